//! Brokers with authentication and TLS.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, NatsConnectError, NatsLog, NatsOptions};
use open_ttt_net::replication::Sequence;

use super::nats::{connect, patient};
use super::nats_server::Server;

/// Checks that these options give access to a store.
async fn accepted(options: &NatsOptions) {
    let log = connect(options).await;
    let of: MatchId = "secured".parse().unwrap();
    let created = log.append(&of, Sequence::START, "b2".into()).await;
    assert_eq!(created, Ok(()));
    let read = log.read(&of, Sequence::START, 10).await;
    assert_eq!(read.unwrap(), ["b2"]);
}

/// Checks that client or broker rejects the other.
async fn refused(options: &NatsOptions) {
    let refused = NatsLog::connect(options).await.unwrap_err();
    assert!(
        matches!(refused, NatsConnectError::Unreachable(_)),
        "{refused}"
    );
}

#[tokio::test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn credentials_are_checked() {
    let broker = Server::alone(include_str!("data/operator.conf"));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/log/data");
    let mut options = patient(broker.url());
    options.credentials = Some(data.join("user.creds"));
    accepted(&options).await;
    options.credentials = None;
    refused(&options).await;
    options.credentials = Some(data.join("operator.conf"));
    let wrong = NatsLog::connect(&options).await.unwrap_err();
    assert!(matches!(wrong, NatsConnectError::Options(_)), "{wrong}");
}

/// A temporary folder of certificates, removed on drop.
struct Certificates(PathBuf);

impl Certificates {
    /// Two authorities and one certificate of each.
    fn create() -> Self {
        let folder = format!("open_ttt-certificates-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let certificates = Self(folder);
        for name in ["ours", "other"] {
            let authority = format!("{name}-authority");
            certificates.certify(
                &authority,
                &["-addext", "basicConstraints=critical,CA:TRUE"],
            );
            let (issuer, key) = (certificates.file(&authority), certificates.key(&authority));
            let [issuer, key] = [issuer, key].map(|path| path.display().to_string());
            let from = ["-CA", &issuer, "-CAkey", &key];
            let about = ["-addext", "subjectAltName=IP:127.0.0.1"];
            let leaf = ["-addext", "basicConstraints=critical,CA:FALSE"];
            certificates.certify(name, &[from.as_slice(), &about, &leaf].concat());
        }
        certificates
    }

    fn certify(&self, name: &str, more: &[&str]) {
        let status = Command::new("openssl")
            .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(' '))
            // Without the extensions of the system's configuration.
            .args(["-config", "/dev/null", "-subj", &format!("/CN={name}")])
            .arg("-out")
            .arg(self.file(name))
            .arg("-keyout")
            .arg(self.key(name))
            .args(more)
            .stderr(Stdio::null())
            .status()
            .unwrap_or_else(|error| panic!("run openssl: {error}"));
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
        // A leftover temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn client_and_broker_check_certificates() {
    let certificates = Certificates::create();
    let quoted = |path: PathBuf| format!("\"{}\"", path.display());
    let own = format!(
        "cert_file: {}, key_file: {}",
        quoted(certificates.file("ours")),
        quoted(certificates.key("ours"))
    );
    let broker = Server::alone(&format!("tls {{ {own} }}"));
    let mut options = patient(format!("tls://127.0.0.1:{}", broker.port()));
    options.root_certificates = Some(certificates.file("ours-authority"));
    accepted(&options).await;
    options.root_certificates = Some(certificates.file("other-authority"));
    refused(&options).await;
    options.root_certificates = None;
    refused(&options).await;

    let authority = quoted(certificates.file("ours-authority"));
    let verify = format!("tls {{ {own}, ca_file: {authority}, verify: true }}");
    let broker = Server::alone(&verify);
    let mut options = patient(format!("tls://127.0.0.1:{}", broker.port()));
    options.root_certificates = Some(certificates.file("ours-authority"));
    let certificate = |name| Some((certificates.file(name), certificates.key(name)));
    options.client_certificate = certificate("ours");
    accepted(&options).await;
    options.client_certificate = certificate("other");
    refused(&options).await;
    options.client_certificate = None;
    refused(&options).await;
}
