use core::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

use crate::protocol::Token;

/// Limits and time-outs of a server. Every resource that a client can claim has
/// a limit here.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Maximum number of connections. A tenth of them is kept for players: beyond
    /// nine tenths nobody may watch.
    pub max_connections: usize,
    /// Maximum number of connections from one address.
    pub max_connections_per_address: usize,
    /// Maximum number of matches in memory. A match without connections is
    /// unloaded after [`match_idle_timeout`](Self::match_idle_timeout).
    pub max_matches: usize,
    /// Maximum number of changes of a match.
    pub max_changes: u64,
    /// Maximum number of spectators of one match. Players always have a place.
    pub max_watchers_per_match: usize,
    /// Maximum number of spectators from one address, in all matches.
    pub max_watchers_per_address: usize,
    /// Maximum number of matches of one address that the lobby lists.
    pub max_listed_per_address: usize,
    /// Maximum number of messages queued for a slow client. The server then
    /// disconnects it.
    pub outbox_capacity: usize,
    /// Maximum size of all answers and messages that clients have not read yet, in
    /// bytes.
    pub max_unread_bytes: usize,
    /// Maximum size of those of one address, in bytes.
    pub max_unread_bytes_per_address: usize,
    /// Limit on matches that one address creates or joins.
    pub create_rate: RateLimit,
    /// Limit on all other requests of one address.
    pub request_rate: RateLimit,
    /// Limit on the messages of one connection.
    pub message_rate: RateLimit,
    /// Limit on the acts that one address proposes, over all its connections.
    pub act_rate: RateLimit,
    /// Time-out for a request's head, its body, a connection's first message,
    /// and for a client to read what it is sent.
    pub client_timeout: Duration,
    /// Time after which a silent connection is closed.
    pub connection_idle_timeout: Duration,
    /// Time after which a match without connections is unloaded from memory.
    pub match_idle_timeout: Duration,
    /// Interval at which the server notes in its store that it serves. What the next
    /// server takes for an outage can be longer than the outage by as much.
    pub service_interval: Duration,
    /// How long a match is kept after its last change; `None` keeps all. An older one is
    /// deleted unless it is in memory, whether its game is over or not.
    pub keep_matches: Option<Duration>,
    /// A folder that receives the games of deleted matches: a file a month, with a line
    /// a game, as [`TextRecord`](open_ttt_players::TextRecord) reads them. It belongs to
    /// one server.
    pub archive: Option<PathBuf>,
    /// Number of threads on which computers choose moves.
    pub computer_threads: NonZero<usize>,
    /// Time limit for a computer's move. Shorter while other moves wait for a
    /// thread.
    pub computer_time: Duration,
    /// Maximum number of positions that wait for a thread.
    pub computer_queue: usize,
    /// The addresses of the server's own proxies. From them, the client's address is
    /// the last one in `X-Forwarded-For` that is not a proxy's.
    pub trusted_proxies: Vec<IpNet>,
    /// The names under which the server answers, besides IP addresses, `localhost`,
    /// names without a dot, and those of the [allowed
    /// origins](Self::allowed_origins). A foreign page could otherwise reach a server
    /// through a name of its own (DNS rebinding).
    pub hosts: Vec<String>,
    /// The operator's token; without it there is no administration.
    pub admin_token: Option<Token>,
    /// Origins of pages that may connect, besides the server's own:
    /// `https://example.org`.
    pub allowed_origins: Vec<String>,
}

/// A rate limit: a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Capacity of the bucket.
    pub burst: u32,
    /// Tokens added per minute.
    pub per_minute: u32,
}

impl RateLimit {
    /// No limit.
    pub const UNLIMITED: Self = Self {
        burst: u32::MAX,
        per_minute: u32::MAX,
    };
}

impl Default for Config {
    fn default() -> Self {
        let rate = |burst, per_minute| RateLimit { burst, per_minute };
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            max_connections: 20_000,
            max_connections_per_address: 1_000,
            max_matches: 50_000,
            max_changes: 20_000,
            max_watchers_per_match: 1_000,
            max_watchers_per_address: 200,
            max_listed_per_address: 5,
            outbox_capacity: 64,
            max_unread_bytes: 64 << 20,
            max_unread_bytes_per_address: 4 << 20,
            create_rate: rate(40, 60),
            request_rate: rate(200, 600),
            message_rate: rate(60, 1_200),
            act_rate: rate(1_500, 6_000),
            client_timeout: Duration::from_secs(10),
            connection_idle_timeout: Duration::from_mins(1),
            match_idle_timeout: Duration::from_secs(30),
            service_interval: Duration::from_secs(2),
            keep_matches: None,
            archive: None,
            computer_threads: NonZero::new(cores.saturating_sub(1))
                .unwrap_or(NonZero::<usize>::MIN),
            computer_time: Duration::from_secs(3),
            computer_queue: 10_000,
            trusted_proxies: Vec::new(),
            hosts: Vec::new(),
            admin_token: None,
            allowed_origins: Vec::new(),
        }
    }
}
