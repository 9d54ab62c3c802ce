use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use tokio::sync::oneshot;

use super::history::History;
use super::rating::Rating;
use crate::MatchId;
use crate::log::LogError;
use crate::protocol::{
    CancelPairing, CreateMatch, ErrorCode, JoinMatch, MatchSummary, PairPlayer, PairingCancelled,
    PlayerId, SeatAssignment, SeatRequest,
};
use crate::server::Shared;
use crate::server::api_error::ApiError;
use crate::server::client_address::ClientAddress;
use crate::server::commands::{MatchCommand, Withdraw};
use crate::server::handlers::{Body, check_rate, create_match, join_match, request};

/// Number of waiting players, the longest waiting, among whom an opponent is chosen.
const MAX_CANDIDATES: usize = 16;

/// The largest difference of the ratings in a rated game at first, and by how much it
/// grows with each second that one of the two has waited.
const RATING_WINDOW: f64 = 200.0;
const WINDOW_PER_SECOND: f64 = 10.0;

/// `POST /api/v1/pair`
///
/// Of two players who wait, the one who waits since later joins the other, so they
/// cannot join each other at once. Before, the player takes the other seat of the match
/// left behind, so nobody joins that: the log lets only one of them.
pub(in crate::server) async fn pair(
    State(shared): State<Arc<Shared>>,
    client: ClientAddress,
    Body(mut wanted): Body<PairPlayer>,
) -> Result<Json<SeatAssignment>, ApiError> {
    check_rate(&shared.create_limiter, client)?;
    let game = shared.catalog.game(&wanted.game);
    let game = game.map_err(ApiError::bad_request)?;
    wanted.game = open_ttt_lib::rules::Named::name(&game);
    if wanted.waiting.as_ref().is_some_and(MatchId::is_reserved) {
        return Err(ApiError::no_such_match());
    }
    let player = PlayerId::of(&wanted.key);
    let candidates = candidates(&shared, &wanted, &player).await?;
    if let Some(waiting) = &wanted.waiting
        && (candidates.is_empty() || !withdraw(&shared, client, waiting, player).await?)
    {
        return Ok(Json(SeatAssignment {
            path: format!("/m/{waiting}"),
            id: waiting.clone(),
            seat: None,
            token: None,
        }));
    }
    for candidate in candidates {
        let join = JoinMatch {
            player: SeatRequest::Person(wanted.name.clone()),
            seat: None,
            token: None,
            key: Some(wanted.key.clone()),
        };
        match join_match(&shared, client, candidate, join).await {
            Ok(assignment) => return Ok(Json(assignment)),
            // Another player was faster, or the match is gone.
            Err(error) if is_lost(error.code()) => {}
            Err(error) => return Err(error),
        }
    }
    let create = CreateMatch {
        game: wanted.game,
        clock: wanted.clock,
        first: None,
        seats: [Some(SeatRequest::Person(wanted.name)), None],
        listed: true,
        rated: wanted.rated,
        moves: Vec::new(),
        key: Some(wanted.key),
    };
    create_match(&shared, client, create).await.map(Json)
}

/// `POST /api/v1/pair/cancel`
pub(in crate::server) async fn cancel_pairing(
    State(shared): State<Arc<Shared>>,
    client: ClientAddress,
    Body(CancelPairing { id, key }): Body<CancelPairing>,
) -> Result<Json<PairingCancelled>, ApiError> {
    check_rate(&shared.create_limiter, client)?;
    if id.is_reserved() {
        return Err(ApiError::no_such_match());
    }
    shared.check_open(&id).await?;
    let cancelled = withdraw(&shared, client, &id, PlayerId::of(&key)).await?;
    Ok(Json(PairingCancelled { cancelled }))
}

const fn is_lost(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::SeatTaken
            | ErrorCode::NoSuchMatch
            | ErrorCode::Closed
            | ErrorCode::Damaged
            | ErrorCode::BadRequest
    )
}

/// Gives up waiting in a match. Returns `false` if somebody has come.
async fn withdraw(
    shared: &Arc<Shared>,
    client: ClientAddress,
    waiting: &MatchId,
    player: PlayerId,
) -> Result<bool, ApiError> {
    let command =
        |reply: oneshot::Sender<_>| MatchCommand::Withdraw(Box::new(Withdraw { player, reply }));
    request(shared, client, waiting, command).await?
}

/// The matches to join, the best first.
async fn candidates(
    shared: &Shared,
    wanted: &PairPlayer,
    player: &PlayerId,
) -> Result<Vec<MatchId>, ApiError> {
    let waiting = shared
        .lobby
        .read(|list| waiting(list, wanted, player))
        .await;
    let waiting = waiting.map_err(|cause| {
        tracing::error!(%cause, "failed to read the lobby");
        ApiError::unavailable()
    })?;
    if !wanted.rated {
        return Ok(waiting.into_iter().map(|(id, ..)| id).collect());
    }
    let now = shared.clock.now_ms();
    let own = rating(shared, player, &wanted.game).await?;
    let mut near = Vec::new();
    for (id, opponent, since) in waiting {
        let Some(opponent) = opponent else { continue };
        let other = rating(shared, &opponent, &wanted.game).await?;
        let difference = (own.value() - other.value()).abs();
        if difference <= window(now.saturating_sub(since)) {
            near.push((difference, id));
        }
    }
    near.sort_by(|one, other| one.0.total_cmp(&other.0));
    Ok(near.into_iter().map(|(_, id)| id).collect())
}

/// The largest difference of the ratings after this time of waiting.
fn window(waited_ms: u64) -> f64 {
    RATING_WINDOW + WINDOW_PER_SECOND * (waited_ms as f64 / 1_000.0)
}

async fn rating(shared: &Shared, player: &PlayerId, game: &str) -> Result<Rating, LogError> {
    let tail = History::of(&*shared.log, player).tail().await?;
    Ok(tail.rating(game))
}

/// The matches that a player could join, the oldest first: with whoever waits there, and
/// since when.
fn waiting(
    list: &[MatchSummary],
    wanted: &PairPlayer,
    player: &PlayerId,
) -> Vec<(MatchId, Option<PlayerId>, u64)> {
    let age = |summary: &MatchSummary| (summary.since, summary.id.clone());
    let own = wanted.waiting.as_ref().map(|own| {
        let listed = list.iter().find(|summary| summary.id == *own);
        listed.map(age)
    });
    let is_older = |summary: &MatchSummary| match &own {
        None => true,
        // Not listed yet, or no longer.
        Some(None) => false,
        Some(Some(own)) => age(summary) < *own,
    };
    let mut found: Vec<_> = list
        .iter()
        .filter(|summary| summary.game == wanted.game && summary.clock == wanted.clock)
        .filter(|summary| summary.rated == wanted.rated && summary.player != Some(*player))
        .filter(|summary| is_older(summary))
        .collect();
    found.sort_by_key(|summary| age(summary));
    let found = found.into_iter().take(MAX_CANDIDATES);
    found
        .map(|summary| (summary.id.clone(), summary.player, summary.since))
        .collect()
}
