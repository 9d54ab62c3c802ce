//! Brokers that ask who it is, and show who they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, NatsConnectError, NatsLog, NatsOptions};
use open_ttt_net::replication::Sequence;

use super::nats::connect;
use super::nats_server::Server;

/// Matches can be kept with these options.
async fn keeps(options: &NatsOptions) {
    let log = connect(options).await;
    let of: MatchId = "secured".parse().unwrap();
    let begun = log.append(&of, Sequence::START, "b2".into()).await;
    assert_eq!(begun, Ok(()));
    let read = log.read(&of, Sequence::START, 10).await;
    assert_eq!(read.unwrap(), ["b2"]);
}

/// The broker, which is there, does not let us in, or we do not trust it.
async fn refused(options: &NatsOptions) {
    let refused = NatsLog::connect(options).await.unwrap_err();
    assert!(
        matches!(refused, NatsConnectError::Unreachable(_)),
        "{refused}"
    );
}

#[tokio::test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn credentials_open_a_broker() {
    let server = Server::alone(include_str!("data/operator.conf"));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/log/data");
    let mut options = NatsOptions::new(server.url());
    options.credentials = Some(data.join("user.creds"));
    keeps(&options).await;
    options.credentials = None;
    refused(&options).await;
    options.credentials = Some(data.join("operator.conf"));
    let wrong = NatsLog::connect(&options).await.unwrap_err();
    assert!(matches!(wrong, NatsConnectError::Options(_)), "{wrong}");
}

/// Certificates, which are gone afterwards.
struct Certificates(PathBuf);

impl Certificates {
    /// Two authorities, and one certificate from each.
    fn make() -> Self {
        let folder = format!("open_ttt-certificates-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let made = Self(folder);
        for name in ["ours", "other"] {
            let authority = format!("{name}-authority");
            made.certify(
                &authority,
                &["-addext", "basicConstraints=critical,CA:TRUE"],
            );
            let (issuer, key) = (made.file(&authority), made.key(&authority));
            let [issuer, key] = [issuer, key].map(|path| path.display().to_string());
            let from = ["-CA", &issuer, "-CAkey", &key];
            let about = ["-addext", "subjectAltName=IP:127.0.0.1"];
            let leaf = ["-addext", "basicConstraints=critical,CA:FALSE"];
            made.certify(name, &[from.as_slice(), &about, &leaf].concat());
        }
        made
    }

    fn certify(&self, name: &str, more: &[&str]) {
        let status = Command::new("openssl")
            .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(' '))
            // Not what the machine's configuration would add.
            .args(["-config", "/dev/null", "-subj", &format!("/CN={name}")])
            .arg("-out")
            .arg(self.file(name))
            .arg("-keyout")
            .arg(self.key(name))
            .args(more)
            .stderr(Stdio::null())
            .status()
            .unwrap_or_else(|error| panic!("openssl makes the certificates: {error}"));
        assert!(status.success(), "{name}: {status}");
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.pem"))
    }

    fn key(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.key"))
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        // What cannot be removed harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn certificates_are_checked_on_both_sides() {
    let made = Certificates::make();
    let shown = |path: PathBuf| format!("\"{}\"", path.display());
    let own = format!(
        "cert_file: {}, key_file: {}",
        shown(made.file("ours")),
        shown(made.key("ours"))
    );
    let server = Server::alone(&format!("tls {{ {own} }}"));
    let mut options = NatsOptions::new(format!("tls://127.0.0.1:{}", server.port()));
    options.root_certificates = Some(made.file("ours-authority"));
    keeps(&options).await;
    options.root_certificates = Some(made.file("other-authority"));
    refused(&options).await;
    options.root_certificates = None;
    refused(&options).await;

    let authority = shown(made.file("ours-authority"));
    let verify = format!("tls {{ {own}, ca_file: {authority}, verify: true }}");
    let server = Server::alone(&verify);
    let mut options = NatsOptions::new(format!("tls://127.0.0.1:{}", server.port()));
    options.root_certificates = Some(made.file("ours-authority"));
    let certificate = |name| Some((made.file(name), made.key(name)));
    options.client_certificate = certificate("ours");
    keeps(&options).await;
    options.client_certificate = certificate("other");
    refused(&options).await;
    options.client_certificate = None;
    refused(&options).await;
}
