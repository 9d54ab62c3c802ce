use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use serde::Deserialize;

use super::history::History;
use crate::protocol::{ErrorCode, FindPlayer, PlayerHistory, PlayerId, PlayerProfile};
use crate::server::Shared;
use crate::server::api_error::ApiError;
use crate::server::client_address::ClientAddress;
use crate::server::handlers::{Body, Parameters, check_rate};

/// Number of entries on a page.
const PAGE: usize = 50;

/// The player in the path of a request.
pub(in crate::server) struct PlayerPath(PlayerId);

impl FromRequestParts<Arc<Shared>> for PlayerPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let path = Path::<String>::from_request_parts(parts, shared).await;
        let id = path.ok().and_then(|Path(id)| id.parse().ok());
        let text = "A player's id is 30 lower-case hexadecimal digits.";
        id.map(Self)
            .ok_or_else(|| ApiError::new(ErrorCode::NotFound, text))
    }
}

/// `POST /api/v1/players`
pub(in crate::server) async fn find_player(
    State(shared): State<Arc<Shared>>,
    client: ClientAddress,
    Body(wanted): Body<FindPlayer>,
) -> Result<Json<PlayerProfile>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    profile_of(&shared, PlayerId::of(&wanted.key)).await
}

/// `GET /api/v1/players/{id}`
pub(in crate::server) async fn profile(
    State(shared): State<Arc<Shared>>,
    client: ClientAddress,
    PlayerPath(player): PlayerPath,
) -> Result<Json<PlayerProfile>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    profile_of(&shared, player).await
}

async fn profile_of(shared: &Shared, player: PlayerId) -> Result<Json<PlayerProfile>, ApiError> {
    let tail = History::of(&*shared.log, &player).tail().await?;
    Ok(Json(PlayerProfile {
        player,
        games: tail.shown_scores(),
    }))
}

/// Which part of a history to answer with.
#[derive(Deserialize)]
pub(in crate::server) struct HistoryParameters {
    /// The number of entries to skip.
    #[serde(default)]
    from: u64,
}

/// `GET /api/v1/players/{id}/games`
pub(in crate::server) async fn history(
    State(shared): State<Arc<Shared>>,
    client: ClientAddress,
    PlayerPath(player): PlayerPath,
    Parameters(wanted): Parameters<HistoryParameters>,
) -> Result<Json<PlayerHistory>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    let history = History::of(&*shared.log, &player);
    let tail = history.tail().await?;
    Ok(Json(PlayerHistory {
        player,
        total: tail.total(),
        from: wanted.from,
        games: history.page(&tail, wanted.from, PAGE).await?,
    }))
}
