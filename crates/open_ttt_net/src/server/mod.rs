//! The match server: a lobby over HTTP, a WebSocket for each player and
//! spectator, and the page.
//!
//! ```text
//!   handlers ──► registry ──► match actor ──► stored match ──► log
//!   socket   ──►              one for each match in memory
//!      │                           │
//!      └──► work pool: requests    └──► work pool: computers' moves
//! ```
//!
//! Whatever searches, solves or builds large answers runs in a work pool, never on the
//! async threads, and addresses share its threads fairly.
//!
//! A [`Server`] of a [`Catalog`]'s games on any [`MatchLog`] provides an [`app`], a router that can be
//! tested without a socket, or [serves](Server::serve) a listener.
//!
//! The server checks a proposal in this order: is it well formed, is the sender
//! authenticated, does the match exist, may this seat do it, was it made for
//! the current state, is it legal. Then it stores it, acknowledges it, and
//! sends it to the other connections.

mod admin;
mod api_error;
mod broadcasts;
mod client_address;
mod clock;
mod command_queue;
mod commands;
mod compressed;
mod config;
mod connections;
mod direct_writer;
mod fair_queue;
mod game_info;
mod handlers;
mod lag;
mod limits;
mod listener;
mod lobby;
mod match_actor;
mod metrics;
mod moderation;
mod names;
mod other_page;
mod outages;
mod outbox;
mod page;
mod players;
mod playing;
mod readiness;
mod refusals;
mod registry;
mod replay;
mod retention;
mod review;
mod secrets;
#[cfg(test)]
mod simulated_day;
mod socket;
mod stored_change;
mod stored_match;
mod unread;
mod work_pool;

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CACHE_CONTROL, HeaderName, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use open_ttt_catalog::Catalog;
use tokio::sync::watch;

pub use config::{Config, RateLimit};
pub use replay::check_match;

use crate::log::{Broadcast, LogError, MatchLog};
use crate::protocol::ErrorCode;
use crate::replication::Sequence;
use crate::{ClientId, MatchId};
use api_error::ApiError;
use client_address::{ClientAddress, check_host};
use clock::ServerClock;
use compressed::Compressed;
use limits::{Quota, RateLimiter};
use lobby::Lobby;
use metrics::Metrics;
use moderation::{Moderation, banned_report};
use other_page::OtherPage;
use outages::{KnownOutages, Outage};
use playing::Playing;
use readiness::Readiness;
use refusals::RefusalLog;
use registry::MatchRegistry;
use retention::Archive;
use review::Reviews;
use unread::limit_unread;
use work_pool::{PoolSize, WorkPool};

/// Maximum length of a request body, in bytes.
const MAX_BODY: usize = 16 * 1024;

/// Number of entries per read of a whole log.
const ENTRIES: usize = 512;

/// The server's own address in the pool for requests.
const OWN_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// A match server. Clones share one server.
#[derive(Clone, Debug)]
pub struct Server {
    shared: Arc<Shared>,
}

/// The state shared by all parts of a server.
#[derive(Debug)]
struct Shared {
    catalog: Catalog,
    config: Config,
    clock: ServerClock,
    outages: KnownOutages,
    /// The client id of this server's own proposals.
    client: ClientId,
    last_number: AtomicU64,
    log: Arc<dyn MatchLog>,
    matches: MatchRegistry,
    lobby: Lobby,
    playing: Playing,
    moderation: Moderation,
    /// Whether new matches are refused, before a restart.
    draining: AtomicBool,
    /// Since when the server runs, in milliseconds since 1970.
    since: u64,
    /// The channel to the other servers of a shared store.
    broadcast: Option<Arc<dyn Broadcast>>,
    /// The answer to `GET /api/v1/games`, once it has been asked for.
    games: OnceLock<Compressed>,
    /// Threads for the computers' moves.
    moves: WorkPool,
    /// Threads for requests.
    requests: WorkPool,
    /// Replays long logs.
    replays: WorkPool,
    metrics: Metrics,
    readiness: Readiness,
    connections: Arc<Quota>,
    /// Requests and sockets that came through a trusted proxy.
    proxied: Arc<Quota>,
    watchers: Arc<Quota>,
    /// Matches that the lobby lists.
    listed: Arc<Quota>,
    reviews: Reviews,
    /// For the games of deleted matches.
    archive: Option<Arc<Archive>>,
    /// Bytes that clients have not read yet.
    unread: Arc<Quota>,
    create_limiter: RateLimiter,
    request_limiter: RateLimiter,
    act_limiter: RateLimiter,
    shutdown: watch::Sender<bool>,
}

impl Server {
    /// A server of the games in this catalog, which stores its matches in this log.
    ///
    /// # Errors
    ///
    /// If the operating system provides no random numbers, or the
    /// [archive](Config::archive) can't be used.
    pub fn new(catalog: Catalog, config: Config, log: Arc<dyn MatchLog>) -> std::io::Result<Self> {
        let client = secrets::new_client_id().map_err(std::io::Error::other)?;
        let clock = ServerClock::of_system();
        let log: Arc<dyn MatchLog> = Arc::new(RefusalLog::new(log));
        let archive = config.archive.as_deref().map(Archive::open).transpose()?;
        Ok(Self {
            shared: Arc::new(Shared {
                client,
                last_number: AtomicU64::new(0),
                matches: MatchRegistry::default(),
                playing: Playing::default(),
                lobby: Lobby::new(Arc::clone(&log), clock.clone()),
                moderation: Moderation::new(Arc::clone(&log), clock.clone()),
                draining: AtomicBool::new(false),
                since: clock.now_ms(),
                clock,
                // Until the server serves, nobody has to wait for them.
                outages: KnownOutages::new(Some(Arc::default())),
                broadcast: log.broadcast(),
                games: OnceLock::new(),
                moves: WorkPool::start("computer", config.moves_pool()),
                requests: WorkPool::start("request", config.requests_pool()),
                replays: WorkPool::start("replay", config.replays_pool()),
                metrics: Metrics::new(),
                readiness: Readiness::default(),
                connections: Quota::new(config.max_connections, config.max_connections_per_address),
                proxied: Quota::new(usize::MAX, config.max_connections_per_address),
                watchers: Quota::new(
                    config.max_connections - config.max_connections / 10,
                    config.max_watchers_per_address,
                ),
                listed: Quota::new(usize::MAX, config.max_listed_per_address),
                reviews: Reviews::new(),
                archive: archive.map(Arc::new),
                unread: Quota::new(config.max_unread_bytes, config.max_unread_bytes_per_address),
                create_limiter: RateLimiter::new(config.create_rate),
                request_limiter: RateLimiter::new(config.request_rate),
                act_limiter: RateLimiter::new(config.act_rate),
                shutdown: watch::Sender::new(false),
                log,
                config,
                catalog,
            }),
        })
    }
}

impl Config {
    /// One address has a small part of the places at most, so that the moves of others find
    /// one.
    fn moves_pool(&self) -> PoolSize {
        PoolSize {
            threads: self.computer_threads,
            time_limit: self.computer_time,
            max_waiting: self.computer_queue,
            max_per_address: self.computer_queue.div_ceil(16),
        }
    }

    /// A quarter of the threads for the computers' moves, which players wait for.
    fn requests_pool(&self) -> PoolSize {
        let threads = self.computer_threads.get().div_ceil(4);
        PoolSize {
            threads: NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN),
            time_limit: self.computer_time,
            max_waiting: 1_024,
            max_per_address: 16,
        }
    }

    /// One thread: few matches are so long that they need it. A page waits at most for one of
    /// each other address.
    fn replays_pool(&self) -> PoolSize {
        PoolSize {
            threads: NonZero::<usize>::MIN,
            // A page takes milliseconds.
            time_limit: self.computer_time,
            max_waiting: 4_096,
            max_per_address: 256,
        }
    }
}

impl Shared {
    /// The number of this server's next proposal, unique across matches.
    fn next_number(&self) -> u64 {
        self.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The outages before the start of this server, once they are known.
    async fn outages(&self) -> Arc<[Outage]> {
        let mut known = self.outages.subscribe();
        let known = known.wait_for(Option::is_some).await;
        // The sender is a part of `self`.
        known
            .ok()
            .and_then(|known| known.clone())
            .unwrap_or_default()
    }

    fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// All entries of a log; none if there is no such log.
    async fn entries(&self, id: &MatchId) -> Result<Vec<Bytes>, LogError> {
        let mut entries = Vec::new();
        loop {
            let after = Sequence::new(entries.len() as u64);
            let page = self.log.read(id, after, ENTRIES).await?;
            let is_last = page.len() < ENTRIES;
            entries.extend(page);
            if is_last {
                return Ok(entries);
            }
        }
    }

    /// Whether another server has deleted a match that this one has in memory, because it
    /// is old.
    async fn is_deleted(&self, id: &MatchId) -> bool {
        if !self.log.is_shared() {
            return false;
        }
        let first = self.log.read(id, Sequence::START, 1).await;
        first.is_ok_and(|first| first.is_empty())
    }

    /// Refuses a match that is closed, to whoever wants to play or watch it. A deleted one
    /// is closed as well, but doesn't exist.
    async fn check_open(&self, id: &MatchId) -> Result<(), ApiError> {
        let Err(report) = self.moderation.check_open(id) else {
            return Ok(());
        };
        let first = self.log.read(id, Sequence::START, 1).await?;
        Err(if first.is_empty() {
            ApiError::no_such_match()
        } else {
            report.into()
        })
    }

    /// Deletes a match. It stays closed, so that no server stores more of it.
    async fn delete(&self, id: &MatchId) -> Result<(), ApiError> {
        let close = moderation::Decision::Close(id.clone());
        self.moderation.decide(self, &close).await?;
        self.matches.forget(id);
        self.lobby.remove(id);
        Ok(self.log.remove(id).await?)
    }

    fn is_shutting_down(&self) -> bool {
        *self.shutdown.borrow()
    }

    /// Completes when the shutdown starts.
    fn shutdown(&self) -> impl Future<Output = ()> + 'static {
        let mut shutdown = self.shutdown.subscribe();
        async move {
            // An error says that the server no longer exists.
            let _ = shutdown.wait_for(|started| *started).await;
        }
    }
}

/// The server as a router.
pub fn app(server: &Server) -> Router {
    let api = Router::new()
        .route("/games", get(handlers::catalog))
        .route("/matches", get(handlers::list).post(handlers::create))
        .route("/matches/{id}", get(handlers::status))
        .route("/matches/{id}/join", post(handlers::join))
        .route("/matches/{id}/games", get(handlers::games))
        .route("/matches/{id}/games/{number}", get(handlers::frames))
        .route("/matches/{id}/socket", get(socket::socket))
        .route("/pair", post(players::pair))
        .route("/pair/cancel", post(players::cancel_pairing))
        .route("/players", post(players::find_player))
        .route("/players/{id}", get(players::profile))
        .route("/players/{id}/games", get(players::history))
        .route("/judge", post(handlers::analyze))
        .route("/review", post(handlers::review_game))
        .route("/position", post(handlers::position))
        .route("/lesson", get(handlers::lesson))
        .route("/puzzles/{game}", get(handlers::puzzle))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method);
    Router::new()
        .nest("/api/v1", api)
        .route("/health", get(handlers::health))
        .merge(page::routes())
        .fallback(page::missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(Arc::clone(&server.shared), middleware))
        .with_state(Arc::clone(&server.shared))
}

/// The server's private side as a router: `/metrics`, `/ready`, and the administration
/// under `/admin/v1`. For the operator, not for players.
pub fn private_app(server: &Server) -> Router {
    Router::new()
        .route("/health", get(handlers::health))
        .route("/ready", get(handlers::ready))
        .route("/metrics", get(handlers::metrics))
        .merge(admin::routes(&server.shared))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(Arc::clone(&server.shared), own_name))
        .with_state(Arc::clone(&server.shared))
}

/// Answers only to the names of the server, so that no page in the operator's browser reads
/// the private side through a name of its own (DNS rebinding).
async fn own_name(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match check_host(request.headers(), &shared.config) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

async fn not_found() -> ApiError {
    ApiError::not_found()
}

async fn wrong_method() -> ApiError {
    ApiError::new(
        ErrorCode::WrongMethod,
        "This address doesn't support this request method.",
    )
}

/// Applies the limits that hold for every request, counts errors and sets common
/// headers.
async fn middleware(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let config = &shared.config;
    let (client, is_proxied) = ClientAddress::of(request.extensions(), request.headers(), config);
    let other_page = OtherPage::of(&request, config);
    let response = respond(
        &shared,
        client,
        is_proxied,
        other_page.as_ref(),
        request,
        next,
    )
    .await;
    if let Some(code) = response.extensions().get::<ErrorCode>() {
        shared.metrics.count_error(*code);
    }
    // A connection that is upgraded has no body.
    let mut response = if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        response
    } else {
        limit_unread(&shared.unread, client, response).await
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(CACHE_CONTROL, "no-store");
    if let Some(page) = other_page {
        page.allow(headers);
    }
    response
}

async fn respond(
    shared: &Shared,
    client: ClientAddress,
    is_proxied: bool,
    other_page: Option<&OtherPage>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Err(error) = check_host(request.headers(), &shared.config) {
        return error.into_response();
    }
    if shared.moderation.bans_address(client.0) {
        return ApiError::from(banned_report()).into_response();
    }
    // Connections of a proxy carry requests of many addresses.
    if is_proxied {
        let Some(permit) = shared.proxied.acquire(client.0, 1) else {
            return ApiError::too_many_requests(Duration::from_secs(5)).into_response();
        };
        request.extensions_mut().insert(Arc::new(permit));
    }
    request.extensions_mut().insert(client);
    if let Some(answer) = other_page.and_then(OtherPage::preflight) {
        return answer;
    }
    let response = tokio::time::timeout(shared.config.client_timeout, next.run(request)).await;
    response.unwrap_or_else(|_| {
        ApiError::new(ErrorCode::TimedOut, "The request took too long.").into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_has_all_places_of_a_pool() {
        for computer_queue in [10, 16, 10_000] {
            let config = Config {
                computer_queue,
                ..Config::default()
            };
            for pool in [config.moves_pool(), config.requests_pool()] {
                let addresses = pool.max_waiting / pool.max_per_address;
                assert!(addresses >= 10, "{pool:?}");
            }
        }
    }
}
