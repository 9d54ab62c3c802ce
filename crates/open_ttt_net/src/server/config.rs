use core::num::NonZero;
use std::time::Duration;

/// What a server allows, and how long it waits.
///
/// Everything that somebody outside can ask for has a bound here.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Connections at once, of whatever kind.
    pub max_connections: usize,
    /// Connections at once from one address.
    pub max_connections_per_address: usize,
    /// Matches held in memory at once. One that nobody is connected to is put
    /// away after [`idle`](Self::match_idle_timeout).
    pub max_matches: usize,
    /// Changes a match may have; enough for a long evening.
    pub max_changes: u64,
    /// How many may be connected to one match, players included.
    pub max_connections_per_match: usize,
    /// Messages that may wait for a client that reads slowly, before it is cut
    /// off.
    pub outbox_capacity: usize,
    /// Matches an address may make or join in a burst, and how many more a
    /// minute.
    pub create_rate: RateLimit,
    /// Requests of other kinds an address may make in a burst, and how many
    /// more a minute.
    pub request_rate: RateLimit,
    /// Messages a connection may send in a burst, and how many more a minute.
    pub message_rate: RateLimit,
    /// How long a client may take for its request's head, its body, its first
    /// message, and to read what it is sent.
    pub client_timeout: Duration,
    /// How long a connection may be silent.
    pub connection_idle_timeout: Duration,
    /// How long a match that nobody is connected to stays in memory.
    pub match_idle_timeout: Duration,
    /// On how many threads computers think.
    pub computer_threads: NonZero<usize>,
    /// How long a computer may think about a move, when nobody waits for the
    /// threads.
    pub computer_time: Duration,
    /// How many positions may wait to be thought about.
    pub computer_queue: usize,
    /// Whether the address of a client is the last one in `X-Forwarded-For`,
    /// because every connection comes through a proxy of one's own.
    pub behind_proxy: bool,
    /// Origins of pages, besides the server's own, that may connect:
    /// `https://example.org`.
    pub allowed_origins: Vec<String>,
}

/// How often something may be done: a burst, and how many more a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// At once.
    pub burst: u32,
    /// A minute, after that.
    pub per_minute: u32,
}

impl RateLimit {
    /// No bound.
    pub const UNLIMITED: Self = Self {
        burst: u32::MAX,
        per_minute: u32::MAX,
    };
}

impl Default for Config {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            max_connections: 20_000,
            max_connections_per_address: 1_000,
            max_matches: 50_000,
            max_changes: 20_000,
            max_connections_per_match: 1_000,
            outbox_capacity: 64,
            create_rate: RateLimit {
                burst: 40,
                per_minute: 60,
            },
            request_rate: RateLimit {
                burst: 200,
                per_minute: 600,
            },
            message_rate: RateLimit {
                burst: 60,
                per_minute: 1_200,
            },
            client_timeout: Duration::from_secs(10),
            connection_idle_timeout: Duration::from_mins(1),
            match_idle_timeout: Duration::from_secs(30),
            computer_threads: NonZero::new(cores.saturating_sub(1))
                .unwrap_or(NonZero::<usize>::MIN),
            computer_time: Duration::from_secs(3),
            computer_queue: 10_000,
            behind_proxy: false,
            allowed_origins: Vec::new(),
        }
    }
}
