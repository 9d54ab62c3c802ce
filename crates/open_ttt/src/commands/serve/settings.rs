use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::commands::shown;
use crate::failure::Failure;

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
        let unread = |error: std::io::Error| {
            Failure::failed(format_args!("{} cannot be read: {error}", shown(path)))
        };
        if fs::metadata(path).map_err(unread)?.len() > LONGEST {
            return Err(Failure::usage(format_args!(
                "{} is longer than {LONGEST} bytes, and no settings are",
                shown(path)
            )));
        }
        let text = fs::read_to_string(path).map_err(unread)?;
        toml::from_str(&text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| {
                1 + text[..span.start]
                    .bytes()
                    .filter(|&byte| byte == b'\n')
                    .count()
            });
            let message = error.message().replace('\n', " ");
            Failure::usage(format_args!("{}, line {line}: {message}", shown(path)))
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
