use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, path_text};

/// The server's settings, from the command line, the environment or a TOML file with
/// the same names.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Settings {
    /// The address to listen on; 0.0.0.0 accepts connections from anywhere [default:
    /// 127.0.0.1:7878]
    #[arg(long, env = "OPEN_TTT_LISTEN", value_name = "ADDRESS:PORT")]
    pub(super) listen: Option<String>,
    /// Where to save matches: a file, memory, or a NATS cluster such as
    /// nats://one:4222,nats://two:4222 [default: open_ttt.db]
    #[arg(long, env = "OPEN_TTT_STORE", value_name = "STORE")]
    pub(super) store: Option<String>,
    /// Maximum size of the file in MiB. When an eighth of it is left, there are no new
    /// matches until old ones are deleted [default: what the disk has]
    #[arg(long, env = "OPEN_TTT_MAX_STORE_MIB", value_name = "N")]
    pub(super) max_store_mib: Option<u64>,
    /// Number of NATS servers that store each match [default: 3, or 1 without a
    /// cluster]
    #[arg(long, env = "OPEN_TTT_NATS_REPLICAS", value_name = "N")]
    pub(super) nats_replicas: Option<usize>,
    /// The name of the NATS stream [default: open_ttt]
    #[arg(long, env = "OPEN_TTT_NATS_STREAM", value_name = "NAME")]
    pub(super) nats_stream: Option<String>,
    /// The credentials file for NATS
    #[arg(long, env = "OPEN_TTT_NATS_CREDENTIALS", value_name = "FILE")]
    pub(super) nats_credentials: Option<PathBuf>,
    /// A file with root certificates to verify the NATS servers
    #[arg(long, env = "OPEN_TTT_NATS_AUTHORITIES", value_name = "FILE")]
    pub(super) nats_authorities: Option<PathBuf>,
    /// The log filter: error, warn, info, debug, trace, or for a module,
    /// open_ttt_net=debug [default: info]
    #[arg(long, env = "OPEN_TTT_LOG", value_name = "FILTER")]
    pub(super) log: Option<String>,
    /// Log as JSON lines
    #[arg(long, env = "OPEN_TTT_LOG_JSON", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub(super) log_json: Option<bool>,
    /// Maximum number of connections [default: 20000]
    #[arg(long, env = "OPEN_TTT_MAX_CONNECTIONS", value_name = "N")]
    pub(super) max_connections: Option<usize>,
    /// Maximum number of connections from one address [default: 1000]
    #[arg(long, env = "OPEN_TTT_MAX_CONNECTIONS_PER_ADDRESS", value_name = "N")]
    pub(super) max_connections_per_address: Option<usize>,
    /// Maximum number of matches in memory [default: 50000]
    #[arg(long, env = "OPEN_TTT_MAX_MATCHES", value_name = "N")]
    pub(super) max_matches: Option<usize>,
    /// Maximum number of matches an address can create or join per minute, 0 for no
    /// limit [default: 60]
    #[arg(long, env = "OPEN_TTT_MAKES_PER_MINUTE", value_name = "N")]
    pub(super) makes_per_minute: Option<u32>,
    /// Maximum number of other requests from an address per minute, 0 for no limit
    /// [default: 600]
    #[arg(long, env = "OPEN_TTT_REQUESTS_PER_MINUTE", value_name = "N")]
    pub(super) requests_per_minute: Option<u32>,
    /// Maximum number of messages from a connection per minute, 0 for no limit
    /// [default: 1200]
    #[arg(long, env = "OPEN_TTT_MESSAGES_PER_MINUTE", value_name = "N")]
    pub(super) messages_per_minute: Option<u32>,
    /// Number of threads for computer players [default: all cores but one]
    #[arg(long, env = "OPEN_TTT_COMPUTER_THREADS", value_name = "N")]
    pub(super) computer_threads: Option<usize>,
    /// Maximum time for a computer's move in milliseconds, shorter under load
    /// [default: 3000]
    #[arg(long, env = "OPEN_TTT_COMPUTER_MS", value_name = "MS")]
    pub(super) computer_ms: Option<u64>,
    /// Maximum number of acts, such as moves, from an address per minute, 0 for no limit
    /// [default: 6000]
    #[arg(long, env = "OPEN_TTT_ACTS_PER_MINUTE", value_name = "N")]
    pub(super) acts_per_minute: Option<u32>,
    /// Another port for the operator, with /metrics, /ready and administration:
    /// 127.0.0.1:7879
    #[arg(long, env = "OPEN_TTT_PRIVATE_LISTEN", value_name = "ADDRESS:PORT")]
    pub(super) private_listen: Option<String>,
    /// A file with the token for `open_ttt admin`; made with a new token if it doesn't
    /// exist
    #[arg(long, env = "OPEN_TTT_ADMIN_TOKEN_FILE", value_name = "FILE")]
    pub(super) admin_token_file: Option<PathBuf>,
    /// Delete matches that nobody has changed for N days, whether finished or not
    /// [default: keep all]
    #[arg(long, env = "OPEN_TTT_KEEP_DAYS", value_name = "N")]
    pub(super) keep_days: Option<u32>,
    /// A folder for the games of deleted matches, a file a month, which `open_ttt replay`
    /// reads
    #[arg(long, env = "OPEN_TTT_ARCHIVE", value_name = "FOLDER")]
    pub(super) archive: Option<PathBuf>,
    /// The addresses of your own proxies, whose X-Forwarded-For tells a client's address:
    /// 127.0.0.1,10.0.0.0/8
    #[arg(
        long,
        env = "OPEN_TTT_TRUSTED_PROXIES",
        value_name = "ADDRESSES",
        value_delimiter = ','
    )]
    pub(super) trusted_proxies: Vec<String>,
    /// The server's names, besides IP addresses and names without a dot:
    /// play.example.org
    #[arg(
        long,
        env = "OPEN_TTT_HOSTS",
        value_name = "NAMES",
        value_delimiter = ','
    )]
    pub(super) hosts: Vec<String>,
    // In a doc comment the address would need markup.
    #[arg(
        long,
        alias = "origin",
        help = "Other origins whose pages may connect: https://example.org",
        env = "OPEN_TTT_ORIGINS",
        value_name = "ORIGINS",
        value_delimiter = ','
    )]
    pub(super) origins: Vec<String>,
}

/// The largest settings file, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

impl Settings {
    /// Reads a settings file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let unreadable = Failure::file("read", path);
        let mut text = String::new();
        // The limit also applies to devices, which have no end.
        let mut file = File::open(path).map_err(&unreadable)?.take(MAX_BYTES + 1);
        file.read_to_string(&mut text).map_err(&unreadable)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(Failure::usage(format_args!(
                "{} is too large: a settings file has at most {MAX_BYTES} bytes",
                path_text(path)
            )));
        }
        Self::parse(&text).map_err(|(line, message)| {
            Failure::usage(format_args!("{}, line {line}: {message}", path_text(path)))
        })
    }

    /// Parses the text of a settings file. An error has its line, from 1, and a
    /// message.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.bytes().take(start);
            let line = 1 + before.filter(|&byte| byte == b'\n').count();
            (line, error.message().replace('\n', " "))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use open_ttt_lib::random::Rng;

    use super::*;

    /// All settings.
    const ALL: &str = r#"
listen = "127.0.0.1:7878"
store = "nats://one:4222,nats://two:4222"
max-store-mib = 10_240
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
acts-per-minute = 6000
private-listen = "127.0.0.1:7879"
admin-token-file = "/var/lib/open_ttt/admin-token"
keep-days = 90
archive = "/var/lib/open_ttt/archive"
trusted-proxies = ["127.0.0.1", "10.0.0.0/8"]
hosts = ["play.example.org"]
origins = ["https://example.org", 'https://example.com']
"#;

    #[track_caller]
    fn refused(text: &str, line: usize, cause: &str) {
        let (at, message) = Settings::parse(text).expect_err("the text is invalid");
        assert_eq!(at, line, "{message}");
        assert!(message.contains(cause), "{message}");
        assert!(!message.contains('\n'), "{message:?}");
    }

    #[test]
    fn a_file_can_have_every_setting() {
        let settings = Settings::parse(ALL).expect("the settings are valid");
        // No setting has its default value.
        let debug = format!("{settings:?}");
        assert!(!debug.contains("None") && !debug.contains("[]"), "{debug}");
        assert_eq!(settings.max_connections_per_address, Some(1000));
        assert_eq!(settings.origins.len(), 2);
        assert_eq!(Settings::parse(""), Ok(Settings::default()));
        assert_eq!(Settings::parse("# nothing\n"), Ok(Settings::default()));
    }

    #[test]
    fn settings_have_the_names_of_the_options() {
        let command = <Settings as clap::Args>::augment_args(clap::Command::new("serve"));
        let options = command.get_arguments().filter_map(clap::Arg::get_long);
        let names = ALL
            .lines()
            .filter_map(|line| Some(line.split_once(" = ")?.0));
        assert_eq!(
            names.collect::<BTreeSet<_>>(),
            options.collect::<BTreeSet<_>>()
        );
    }

    #[test]
    fn the_settings_for_hosts_are_valid() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/open_ttt.toml");
        let settings = Settings::read(Path::new(file)).expect("the settings are valid");
        let config = super::super::config(&settings).expect("the settings are valid");
        assert_eq!(config.hosts, ["play.example.org"]);
        assert_eq!(config.trusted_proxies.len(), 1);
        assert!(settings.private_listen.is_some() && settings.listen.is_some());
    }

    #[test]
    fn invalid_settings_are_refused_with_their_line() {
        refused("listen = 'a'\nlisten = 'b'", 2, "duplicate key");
        refused("\n\nlisen = 'a'", 3, "unknown field `lisen`");
        refused("nats_replicas = 3", 1, "unknown field");
        refused("max-matches = -1", 1, "-1");
        refused("max-store-mib = 'all'", 1, "invalid type");
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
    fn random_text_is_parsed_or_refused() {
        let mut rng = Rng::new(1);
        let ends = [' ', '\n', '"', '-', '[', ','];
        let pieces: Vec<&str> = ALL.split_inclusive(ends).collect();
        let strange: Vec<_> = "\r \u{e9} \u{1f9e9} ''' \"\"\" { } . # \\"
            .split(' ')
            .collect();
        let (mut parsed, mut refused) = (0, 0);
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
                Ok(_) => parsed += 1,
                Err((line, _)) => {
                    assert!(line <= text.split('\n').count(), "{line} of {text:?}");
                    refused += 1;
                }
            }
        }
        assert!(
            parsed > 500 && refused > 5_000,
            "{parsed} parsed, {refused} refused"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_endless_file_is_refused() {
        let failure = Settings::read(Path::new("/dev/zero")).expect_err("the text is invalid");
        let expected = "\"/dev/zero\" is too large: a settings file has at most 65536 bytes";
        assert_eq!(failure.message, expected);
        assert_eq!(failure.status, 2);
    }
}
