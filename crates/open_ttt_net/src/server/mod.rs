//! The match server: a lobby over HTTP, a WebSocket for each who plays or
//! watches, and the page.
//!
//! ```text
//!   requests   ──► hosts ──► host ──► ledger ──► log
//!   socket     ──►   │        one for each match that somebody looks at
//!                    │        │
//!                 by name     └──► computers: a few threads
//! ```
//!
//! A [`Server`] over any [`MatchLog`] gives an [`app`], which is a router and
//! can be tested without a socket, or [serves](Server::serve) a listener.
//!
//! What is proposed is checked in this order: is it well formed, who is it,
//! does the match exist, is it theirs to do, was it made for the state as it
//! is, is it possible. Then it is stored, then it is acknowledged, then the
//! others are told.

mod api_error;
mod client_address;
mod clock;
mod commands;
mod computer_pool;
mod config;
mod connections;
mod direct_writer;
mod handlers;
mod limits;
mod listener;
mod lobby;
mod match_actor;
mod metrics;
mod outbox;
mod page;
mod presence;
mod registry;
mod review;
mod secrets;
mod socket;
mod stored_match;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, HeaderName, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::watch;

pub use config::{Config, RateLimit};

use crate::ClientId;
use crate::log::{Broadcast, MatchLog};
use crate::protocol::ErrorCode;
use api_error::ApiError;
use computer_pool::ComputerPool;
use limits::{ConnectionLimiter, RateLimiter};
use lobby::Lobby;
use metrics::Metrics;
use registry::MatchRegistry;

/// The longest body of a request, in bytes.
const MAX_BODY: usize = 16 * 1024;

/// A match server. Its clones are the same server.
#[derive(Clone, Debug)]
pub struct Server {
    shared: Arc<Shared>,
}

/// What all parts of a server know.
#[derive(Debug)]
struct Shared {
    config: Config,
    /// What this server's own proposals are known by.
    client: ClientId,
    numbers: AtomicU64,
    log: Arc<dyn MatchLog>,
    hosts: MatchRegistry,
    lobby: Lobby,
    /// Words between the servers that share the store.
    gossip: Option<Arc<dyn Broadcast>>,
    computers: ComputerPool,
    metrics: Metrics,
    connections: Arc<ConnectionLimiter>,
    makes: RateLimiter,
    requests: RateLimiter,
    ending: watch::Sender<bool>,
}

impl Server {
    /// A server that keeps its matches in this log.
    ///
    /// # Errors
    ///
    /// If the operating system gives no random numbers.
    pub fn new(config: Config, log: Arc<dyn MatchLog>) -> std::io::Result<Self> {
        let client = secrets::new_client_id().map_err(std::io::Error::other)?;
        Ok(Self {
            shared: Arc::new(Shared {
                client,
                numbers: AtomicU64::new(0),
                hosts: MatchRegistry::default(),
                lobby: Lobby::new(Arc::clone(&log)),
                gossip: log.broadcast(),
                computers: ComputerPool::new(
                    config.computer_threads,
                    config.computer_queue,
                    config.computer_time,
                ),
                metrics: Metrics::new(),
                connections: Arc::default(),
                makes: RateLimiter::new(config.create_rate),
                requests: RateLimiter::new(config.request_rate),
                ending: watch::Sender::new(false),
                log,
                config,
            }),
        })
    }
}

/// Tells when the server ends.
struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    async fn wait(&mut self) {
        // If the sender is gone, so is the server.
        let _ = self.0.wait_for(|ending| *ending).await;
    }
}

impl Shared {
    /// The number of this server's next own proposal, in whichever match.
    fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    fn end(&self) {
        self.ending.send_replace(true);
    }

    fn ending(&self) -> Shutdown {
        Shutdown(self.ending.subscribe())
    }
}

/// All that the server answers to.
pub fn app(server: &Server) -> Router {
    let api = Router::new()
        .route("/games", get(handlers::catalog))
        .route("/matches", get(handlers::list).post(handlers::create))
        .route("/matches/{id}", get(handlers::status))
        .route("/matches/{id}/join", post(handlers::join))
        .route("/matches/{id}/games", get(handlers::games))
        .route("/matches/{id}/games/{number}", get(handlers::frames))
        .route("/matches/{id}/socket", get(socket::socket))
        .route("/judge", post(handlers::judge))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method);
    Router::new()
        .nest("/api/v1", api)
        .route("/health", get(handlers::health))
        .route("/ready", get(handlers::ready))
        .route("/metrics", get(handlers::metrics))
        .merge(page::routes())
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(Arc::clone(&server.shared), around))
        .with_state(Arc::clone(&server.shared))
}

async fn nothing_here() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "there is nothing at this address")
}

async fn wrong_method() -> ApiError {
    ApiError::new(
        ErrorCode::WrongMethod,
        "what is at this address does not take such requests",
    )
}

/// What holds for every request: it ends in time, its answer is not taken for
/// something else, and errors are counted.
async fn around(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let answer = tokio::time::timeout(shared.config.client_timeout, next.run(request)).await;
    let mut response = answer.unwrap_or_else(|_| {
        ApiError::new(ErrorCode::TimedOut, "the request took too long").into_response()
    });
    if let Some(code) = response.extensions().get::<ErrorCode>() {
        shared.metrics.error(*code);
    }
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(CACHE_CONTROL, "no-store");
    response
}
