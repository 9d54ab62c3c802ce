use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, shown};

/// How a server is set up: on the command line, by the environment, or in a
/// file of TOML with the same names.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args, Deserialize)]
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Settings {
    /// Where to listen; 0.0.0.0 for connections from anywhere [default:
    /// 127.0.0.1:7878]
    #[arg(long, env = "OPEN_TTT_LISTEN", value_name = "ADDRESS:PORT")]
    pub(super) listen: Option<String>,
    /// Where matches are kept: a file, memory for none, or the servers of a NATS
    /// cluster, nats://one:4222,nats://two:4222 [default: open_ttt.db]
    #[arg(long, env = "OPEN_TTT_STORE", value_name = "STORE")]
    pub(super) store: Option<String>,
    /// How many servers of the cluster keep each match [default: 3, or 1 where
    /// there is one]
    #[arg(long, env = "OPEN_TTT_NATS_REPLICAS", value_name = "N")]
    pub(super) nats_replicas: Option<usize>,
    /// The name of the stream in the cluster [default: open_ttt]
    #[arg(long, env = "OPEN_TTT_NATS_STREAM", value_name = "NAME")]
    pub(super) nats_stream: Option<String>,
    /// A file of credentials for the cluster
    #[arg(long, env = "OPEN_TTT_NATS_CREDENTIALS", value_name = "FILE")]
    pub(super) nats_credentials: Option<PathBuf>,
    /// A file of certificates that the cluster's servers are checked by
    #[arg(long, env = "OPEN_TTT_NATS_AUTHORITIES", value_name = "FILE")]
    pub(super) nats_authorities: Option<PathBuf>,
    /// What to log: error, warn, info, debug, trace, or by part,
    /// open_ttt_net=debug [default: info]
    #[arg(long, env = "OPEN_TTT_LOG", value_name = "FILTER")]
    pub(super) log: Option<String>,
    /// Log one JSON object a line
    #[arg(long, env = "OPEN_TTT_LOG_JSON", num_args = 0..=1, default_missing_value = "true")]
    pub(super) log_json: Option<bool>,
    /// How many connections at once [default: 20000]
    #[arg(long, env = "OPEN_TTT_MAX_CONNECTIONS", value_name = "N")]
    pub(super) max_connections: Option<usize>,
    /// How many of them from one address [default: 1000]
    #[arg(long, env = "OPEN_TTT_MAX_CONNECTIONS_PER_ADDRESS", value_name = "N")]
    pub(super) max_connections_per_address: Option<usize>,
    /// How many matches in memory at once [default: 50000]
    #[arg(long, env = "OPEN_TTT_MAX_MATCHES", value_name = "N")]
    pub(super) max_matches: Option<usize>,
    /// How many matches an address may make or join a minute, 0 for any number
    /// [default: 60]
    #[arg(long, env = "OPEN_TTT_MAKES_PER_MINUTE", value_name = "N")]
    pub(super) makes_per_minute: Option<u32>,
    /// How many other requests an address may make a minute, 0 for any number
    /// [default: 600]
    #[arg(long, env = "OPEN_TTT_REQUESTS_PER_MINUTE", value_name = "N")]
    pub(super) requests_per_minute: Option<u32>,
    /// How many messages a connection may send a minute, 0 for any number
    /// [default: 1200]
    #[arg(long, env = "OPEN_TTT_MESSAGES_PER_MINUTE", value_name = "N")]
    pub(super) messages_per_minute: Option<u32>,
    /// On how many threads computers think [default: one less than there are
    /// processors]
    #[arg(long, env = "OPEN_TTT_COMPUTER_THREADS", value_name = "N")]
    pub(super) computer_threads: Option<usize>,
    /// How long a computer may think about a move, in milliseconds; less where
    /// many wait [default: 3000]
    #[arg(long, env = "OPEN_TTT_COMPUTER_MS", value_name = "MS")]
    pub(super) computer_ms: Option<u64>,
    /// Take the last address in X-Forwarded-For for the client's: only behind a
    /// proxy of your own
    #[arg(long, env = "OPEN_TTT_BEHIND_PROXY", num_args = 0..=1, default_missing_value = "true")]
    pub(super) behind_proxy: Option<bool>,
    // Not a doc comment, which would have to mark the address up.
    #[arg(
        long = "origin",
        help = "An origin, besides the server's own, whose pages may connect: https://example.org",
        env = "OPEN_TTT_ORIGINS",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub(super) origins: Vec<String>,
}

/// The longest file of settings, in bytes.
const LONGEST: u64 = 64 * 1024;

impl Settings {
    /// Reads a file of settings.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let unread = |error: io::Error| {
            Failure::failed(format_args!("{} cannot be read: {error}", shown(path)))
        };
        let mut text = String::new();
        // Of what has no end, as a device, no more is read.
        let mut file = File::open(path).map_err(unread)?.take(LONGEST + 1);
        file.read_to_string(&mut text).map_err(unread)?;
        if text.len() as u64 > LONGEST {
            return Err(Failure::usage(format_args!(
                "{} is longer than {LONGEST} bytes, and no settings are",
                shown(path)
            )));
        }
        Self::parse(&text).map_err(|(line, message)| {
            Failure::usage(format_args!("{}, line {line}: {message}", shown(path)))
        })
    }

    /// Reads the text of a file; an error is a line, from 1, and what is wrong
    /// there.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.bytes().take(start);
            let line = 1 + before.filter(|&byte| byte == b'\n').count();
            (line, error.message().replace('\n', " "))
        })
    }

    /// These settings, and the others where nothing is said.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            listen: self.listen.or(other.listen),
            store: self.store.or(other.store),
            nats_replicas: self.nats_replicas.or(other.nats_replicas),
            nats_stream: self.nats_stream.or(other.nats_stream),
            nats_credentials: self.nats_credentials.or(other.nats_credentials),
            nats_authorities: self.nats_authorities.or(other.nats_authorities),
            log: self.log.or(other.log),
            log_json: self.log_json.or(other.log_json),
            max_connections: self.max_connections.or(other.max_connections),
            max_connections_per_address: self
                .max_connections_per_address
                .or(other.max_connections_per_address),
            max_matches: self.max_matches.or(other.max_matches),
            makes_per_minute: self.makes_per_minute.or(other.makes_per_minute),
            requests_per_minute: self.requests_per_minute.or(other.requests_per_minute),
            messages_per_minute: self.messages_per_minute.or(other.messages_per_minute),
            computer_threads: self.computer_threads.or(other.computer_threads),
            computer_ms: self.computer_ms.or(other.computer_ms),
            behind_proxy: self.behind_proxy.or(other.behind_proxy),
            origins: if self.origins.is_empty() {
                other.origins
            } else {
                self.origins
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use open_ttt_lib::random::Rng;

    use super::*;

    /// Every setting there is.
    const ALL: &str = r#"
listen = "127.0.0.1:7878"
store = "nats://one:4222,nats://two:4222"
nats-replicas = 3
nats-stream = "open_ttt"
nats-credentials = "/etc/open_ttt.creds"
nats-authorities = "/etc/open_ttt.pem"
log = "open_ttt_net=debug"
log-json = true
max-connections = 20_000
max-connections-per-address = 0x3e8
max-matches = 50000
makes-per-minute = 60
requests-per-minute = 0
messages-per-minute = 1200
computer-threads = 1
computer-ms = 3000
behind-proxy = false
origins = ["https://example.org", 'https://example.com']
"#;

    #[track_caller]
    fn refused(text: &str, line: usize, cause: &str) {
        let (at, message) = Settings::parse(text).expect_err("it is refused");
        assert_eq!(at, line, "{message}");
        assert!(message.contains(cause), "{message}");
        assert!(!message.contains('\n'), "{message:?}");
    }

    #[test]
    fn every_setting_can_stand_in_a_file() {
        let settings = Settings::parse(ALL).expect("all are settings");
        // Nothing is left as it would be without the file.
        let shown = format!("{settings:?}");
        assert!(!shown.contains("None") && !shown.contains("[]"), "{shown}");
        assert_eq!(settings.max_connections_per_address, Some(1000));
        assert_eq!(settings.origins.len(), 2);
        assert_eq!(Settings::parse(""), Ok(Settings::default()));
        assert_eq!(Settings::parse("# nothing\n"), Ok(Settings::default()));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_line() {
        refused("listen = 'a'\nlisten = 'b'", 2, "duplicate key");
        refused("\n\nlisen = 'a'", 3, "unknown field `lisen`");
        refused("nats_replicas = 3", 1, "unknown field");
        refused("max-matches = -1", 1, "-1");
        refused("makes-per-minute = 4294967296", 1, "4294967296");
        refused("computer-ms = 1.5", 1, "1.5");
        refused("computer-ms = 1e999", 1, "");
        refused("log-json = 'true'", 1, "invalid type");
        refused("origins = 'https://example.org'", 1, "invalid type");
        refused("[listen]\na = 1", 1, "invalid type");
        refused("store = '\0'", 1, "");
        refused(r#"store = "\ud800""#, 1, "");
        refused("store = '", 1, "");
        refused("\u{feff}\u{feff}", 1, "");
        refused(&format!("origins = {}", "[".repeat(60_000)), 1, "");
        refused(&format!("a{} = 1", ".a".repeat(30_000)), 1, "");
        let endless = format!("origins = [{}", "'',\n".repeat(9_000));
        refused(&endless, 9_000, "");
    }

    #[test]
    fn nonsense_is_read_or_refused() {
        let mut rng = Rng::new(1);
        let pieces: Vec<&str> = ALL
            .split_inclusive([' ', '\n', '"', '-', '[', ','])
            .collect();
        let strange = [
            "\r",
            "\u{e9}",
            "\u{1f9e9}",
            "'''",
            "\"\"\"",
            "{",
            "}",
            ".",
            "#",
            "\\",
        ];
        let (mut read, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mut text = pieces.clone();
            for _ in 0..=rng.below(3) {
                if text.is_empty() {
                    break;
                }
                let at = rng.below(text.len());
                match rng.below(4) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, pieces[rng.below(pieces.len())]),
                    2 => text[at] = strange[rng.below(strange.len())],
                    _ => text.truncate(at + 1),
                }
            }
            let text = text.concat();
            match Settings::parse(&text) {
                Ok(_) => read += 1,
                Err((line, _)) => {
                    assert!(line <= text.split('\n').count(), "{line} of {text:?}");
                    refused += 1;
                }
            }
        }
        assert!(
            read > 500 && refused > 5_000,
            "{read} read, {refused} refused"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_without_end_is_not_read_to_its_end() {
        let failure = Settings::read(Path::new("/dev/zero")).expect_err("it is refused");
        let expected = "\"/dev/zero\" is longer than 65536 bytes, and no settings are";
        assert_eq!(failure.message, expected);
        assert_eq!(failure.status, 2);
    }
}
