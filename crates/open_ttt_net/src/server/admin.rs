//! The operator's interface, on the private side.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use open_ttt_search::StopFlag;
use serde::Deserialize;
use tokio::sync::oneshot;

use super::api_error::ApiError;
use super::commands::MatchCommand;
use super::handlers::{Body, MatchPath, Parameters};
use super::moderation::Decision;
use super::outbox::Frame;
use super::replay::Replay;
use super::secrets::TokenHash;
use super::{OWN_ADDRESS, Shared};
use crate::MatchId;
use crate::log::StoreRoom;
use crate::matches::{DynMatch, Seat};
use crate::protocol::admin::{
    Ban, Banned, Bans, Done, Drain, MatchDescription, MatchDescriptions, ServerStatus, StoreSize,
    UnreadableMatch,
};
use crate::protocol::{ErrorCode, ServerMessage, Token};
use crate::replication::Sequencer;

type Server = State<Arc<Shared>>;

/// Number of matches on a page.
const PAGE: usize = 100;

/// What players are told before a restart.
const DRAINING: &str =
    "The server will restart soon. Your game is saved and continues after the restart.";

pub(super) fn routes(shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    let routes = Router::new()
        .route("/status", get(status))
        .route("/matches", get(list))
        .route("/matches/{id}", get(show).delete(delete))
        .route("/matches/{id}/close", post(close))
        .route("/matches/{id}/reopen", post(reopen))
        .route("/bans", get(bans).post(ban))
        .route("/unban", post(unban))
        .route("/drain", post(drain))
        .layer(from_fn_with_state(Arc::clone(shared), authorize));
    Router::new().nest("/admin/v1", routes)
}

/// Requires the operator's token.
async fn authorize(State(shared): Server, request: Request, next: Next) -> Response {
    let refused = |text: &str| ApiError::new(ErrorCode::BadToken, text).into_response();
    let Some(expected) = &shared.config.admin_token else {
        return refused("This server has no administration. Start it with --admin-token-file.");
    };
    let header = request.headers().get(AUTHORIZATION);
    let token = header.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let token = token.and_then(|text| text.parse::<Token>().ok());
    let is_right = |token: Token| TokenHash::of(&token).matches(&TokenHash::of(expected));
    if token.is_some_and(is_right) {
        next.run(request).await
    } else {
        refused("The administration token is missing or wrong.")
    }
}

async fn status(State(shared): Server) -> Json<ServerStatus> {
    let store_size = |StoreRoom { used, limit }| StoreSize {
        bytes: used,
        limit_bytes: Some(limit).filter(|&limit| limit != u64::MAX),
    };
    Json(ServerStatus {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        since: shared.since,
        draining: shared.is_draining(),
        connections: shared.connections.total(),
        sockets: usize::try_from(shared.metrics.sockets.get()).unwrap_or(0),
        matches: shared.matches.count(),
        listed: shared.listed.total(),
        computer_moves: shared.moves.unfinished(),
        requests: shared.requests.unfinished(),
        unread_bytes: shared.unread.total(),
        store: shared.log.room().map(store_size),
    })
}

/// Which matches to list.
#[derive(Deserialize)]
struct ListParameters {
    after: Option<MatchId>,
    /// All matches of the store, not only those in memory.
    #[serde(default)]
    stored: bool,
}

async fn list(
    State(shared): Server,
    Parameters(wanted): Parameters<ListParameters>,
) -> Result<Json<MatchDescriptions>, ApiError> {
    let after = wanted.after.as_ref();
    let ids = if wanted.stored {
        shared.log.matches(after, PAGE).await?
    } else {
        shared.matches.ids(after, PAGE)
    };
    let next = ids.last().filter(|_| ids.len() == PAGE).cloned();
    let (mut matches, mut unreadable) = (Vec::new(), Vec::new());
    for id in ids.into_iter().filter(|id| !id.is_reserved()) {
        match describe(&shared, &id).await {
            Ok(description) => matches.push(description),
            // It was just deleted.
            Err(error) if error.code() == ErrorCode::NoSuchMatch => {}
            Err(error) => unreadable.push(UnreadableMatch {
                id,
                error: error.into_report(),
            }),
        }
    }
    Ok(Json(MatchDescriptions {
        matches,
        unreadable,
        next,
    }))
}

async fn show(
    State(shared): Server,
    MatchPath(id): MatchPath,
) -> Result<Json<MatchDescription>, ApiError> {
    describe(&shared, &id).await.map(Json)
}

async fn describe(shared: &Shared, id: &MatchId) -> Result<MatchDescription, ApiError> {
    let description = match describe_loaded(shared, id).await {
        Some(description) => description,
        None => describe_stored(shared, id).await?,
    };
    Ok(MatchDescription {
        closed: shared.moderation.is_closed(id),
        ..description
    })
}

/// Describes a match that is in memory.
async fn describe_loaded(shared: &Shared, id: &MatchId) -> Option<MatchDescription> {
    let (reply, description) = oneshot::channel();
    let describe = MatchCommand::Describe(reply);
    shared.matches.loaded(id)?.send(describe).await.ok()?;
    description.await.ok()
}

/// Describes a match without loading it: the server would then do what is due in it, and
/// so make it younger.
async fn describe_stored(shared: &Shared, id: &MatchId) -> Result<MatchDescription, ApiError> {
    let entries = shared.entries(id).await?;
    if entries.is_empty() {
        return Err(ApiError::no_such_match());
    }
    let (catalog, match_id) = (shared.catalog.clone(), id.clone());
    let job = move |_: &StopFlag| {
        let replay = Replay::of(&catalog, &match_id, &entries)?;
        let since = replay.created_at();
        Ok(description(&match_id, replay.sequencer(), since))
    };
    let described = shared.requests.run(OWN_ADDRESS, job).await?;
    described.map_err(|cause| shared.matches.load_error(id, cause))
}

/// A match that nobody is connected to.
pub(super) fn description(
    id: &MatchId,
    history: &Sequencer<DynMatch>,
    since: u64,
) -> MatchDescription {
    let state = history.state();
    MatchDescription {
        id: id.clone(),
        game: state.settings().game.clone(),
        players: Seat::ALL.map(|seat| state.player(seat).map(|player| player.name.clone())),
        since,
        at: state.at(),
        sequence: history.sequence(),
        number: state.number(),
        moves: state.game().moves().len(),
        verdict: state.verdict(),
        score: state.score(),
        closed: false,
        connections: Vec::new(),
    }
}

async fn decide(shared: &Shared, decision: Decision) -> Result<Json<Done>, ApiError> {
    shared.moderation.decide(shared, &decision).await?;
    tracing::info!(?decision, "the operator has decided");
    Ok(Json(Done {}))
}

async fn close(State(shared): Server, MatchPath(id): MatchPath) -> Result<Json<Done>, ApiError> {
    // Fails if there is no such match.
    describe(&shared, &id).await?;
    decide(&shared, Decision::Close(id)).await
}

async fn reopen(State(shared): Server, MatchPath(id): MatchPath) -> Result<Json<Done>, ApiError> {
    decide(&shared, Decision::Reopen(id)).await
}

async fn delete(State(shared): Server, MatchPath(id): MatchPath) -> Result<Json<Done>, ApiError> {
    // One that can't be read is there as well.
    if let Err(error) = describe(&shared, &id).await
        && error.code() == ErrorCode::NoSuchMatch
    {
        return Err(error);
    }
    shared.delete(&id).await?;
    tracing::info!(%id, "the operator has deleted a match");
    Ok(Json(Done {}))
}

async fn bans(State(shared): Server) -> Json<Bans> {
    Json(Bans {
        bans: shared.moderation.bans(),
    })
}

async fn ban(State(shared): Server, Body(ban): Body<Ban>) -> Result<Json<Done>, ApiError> {
    decide(&shared, Decision::Ban(ban)).await
}

async fn unban(State(shared): Server, Body(who): Body<Banned>) -> Result<Json<Done>, ApiError> {
    decide(&shared, Decision::Unban(who)).await
}

async fn drain(State(shared): Server, Body(drain): Body<Drain>) -> Json<Done> {
    shared.draining.store(drain.on, Ordering::Relaxed);
    tracing::info!(on = drain.on, "draining");
    let text = drain.text.or_else(|| drain.on.then(|| DRAINING.to_owned()));
    if let Some(text) = text {
        let frame = Frame::json(&ServerMessage::Notice { text });
        shared
            .matches
            .send_all(move || MatchCommand::Send(Box::new(frame.clone())));
    }
    Json(Done {})
}
