use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::Side;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use super::Shared;
use super::api_error::ApiError;
use super::client_address::{ClientAddress, check_origin};
use super::clock::now_ms;
use super::commands::{History, MatchCommand, TakeSeat, TakeSeatError};
use super::computer_pool::computer;
use super::match_actor::MatchActor;
use super::review;
use super::secrets::{TokenHash, new_match_id, new_token, toss};
use super::stored_match::{MatchState, StoredMatch};
use crate::MatchId;
use crate::matches::{Act, Actor, MatchConflict, Player, Seat, Settings, Transition};
use crate::protocol::{
    AnalyzePosition, BoardView, CreateMatch, ErrorCode, GameFrames, GameInfo, JoinMatch, MatchList,
    MatchRecord, MatchStatus, PositionAnalysis, SeatAssignment, SeatRequest, Token,
};
use crate::replication::{Proposal, ProposalVerdict, Sequence};

type Server = State<Arc<Shared>>;

/// A body that is JSON of a type of the protocol.
pub(super) struct Body<T>(T);

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        check_origin(request.headers(), &shared.config)?;
        let body = Json::<T>::from_request(request, shared).await;
        body.map(|Json(body)| Self(body)).map_err(|error| {
            let text = match &error {
                JsonRejection::MissingJsonContentType(_) => {
                    "the body must be JSON, with the content type application/json".to_owned()
                }
                error => error.body_text(),
            };
            ApiError::new(ErrorCode::BadMessage, text)
        })
    }
}

/// The match that a path names.
pub(super) struct Named(pub(super) MatchId);

impl FromRequestParts<Arc<Shared>> for Named {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let no_such = || ApiError::new(ErrorCode::NoSuchMatch, "there is no such match here");
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, shared).await;
        let Path(segments) = path.map_err(|_| no_such())?;
        let id = segments.into_iter().find(|(name, _)| name == "id");
        let (_, id) = id.ok_or_else(no_such)?;
        id.parse().map(Self).map_err(|_| no_such())
    }
}

/// Asks a match something and waits for the answer.
async fn ask<T>(
    shared: &Arc<Shared>,
    id: &MatchId,
    order: impl FnOnce(oneshot::Sender<T>) -> MatchCommand,
) -> Result<T, ApiError> {
    let (reply, answer) = oneshot::channel();
    shared.hosts.order(shared, id, order(reply)).await?;
    answer.await.map_err(|_| ApiError::unavailable())
}

fn limit_requests(shared: &Shared, ClientAddress(address): ClientAddress) -> Result<(), ApiError> {
    let taken = shared.requests.take(address, Instant::now());
    taken.map_err(ApiError::too_many)
}

fn limit_makes(shared: &Shared, ClientAddress(address): ClientAddress) -> Result<(), ApiError> {
    let taken = shared.makes.take(address, Instant::now());
    taken.map_err(ApiError::too_many)
}

/// Reads who is to sit somewhere, and gives a person what proves the seat.
fn read_seat(game: &DynGame, request: &SeatRequest) -> Result<(Player, Option<Token>), ApiError> {
    Ok(match request {
        SeatRequest::Person(name) => {
            let player = Player::person(name.trim());
            if !player.has_valid_name() {
                return Err(MatchConflict::UnfitName.into());
            }
            (player, Some(new_token()?))
        }
        SeatRequest::Computer(spec) => {
            computer(game, spec).map_err(ApiError::bad_request)?;
            let player = Player::computer(spec.as_str());
            if !player.has_valid_name() {
                return Err(MatchConflict::UnfitName.into());
            }
            (player, None)
        }
    })
}

/// `POST /api/v1/matches`
pub(super) async fn create(
    State(shared): Server,
    caller: ClientAddress,
    Body(request): Body<CreateMatch>,
) -> Result<(StatusCode, Json<SeatAssignment>), ApiError> {
    limit_makes(&shared, caller)?;
    let first = match request.first {
        Some(seat) => seat,
        None if toss()? => Seat::A,
        None => Seat::B,
    };
    let settings = Settings {
        game: request.game,
        clock: request.clock,
        first,
    };
    let start = MatchState::new(settings).map_err(ApiError::bad_request)?;
    let mut seated = Vec::new();
    let mut own = None;
    for (seat, request) in Seat::ALL.into_iter().zip(&request.seats) {
        let Some(request) = request else { continue };
        let (player, token) = read_seat(start.game().position(), request)?;
        let key = token.as_ref().map(TokenHash::of);
        if let Some(token) = token
            && own.replace((seat, token)).is_some()
        {
            let text = "at most one of the seats is a person's; the other one joins by the link";
            return Err(ApiError::bad_request(text));
        }
        seated.push((seat, player, key));
    }
    let id = new_match_id()?;
    let log = Arc::clone(&shared.log);
    let created = StoredMatch::create(log, id.clone(), start, request.listed, now_ms()).await;
    let mut ledger = created.map_err(|cause| {
        tracing::error!(%cause, "a match was not stored");
        ApiError::unavailable()
    })?;
    for (index, (seat, player, key)) in seated.into_iter().enumerate() {
        let proposal = Proposal {
            number: shared.next_number(),
            base: Sequence::new(index as u64),
            transition: Transition {
                at: now_ms().max(ledger.table().at()),
                by: Actor::Server,
                act: Act::Join { seat, player },
            },
        };
        let client = shared.client.clone();
        let answer = ledger.propose(&client, &proposal, key).await;
        if !matches!(answer.verdict, Some(ProposalVerdict::Accepted(_))) {
            return Err(ApiError::unavailable());
        }
    }
    shared.metrics.created.inc();
    if request.listed && !ledger.table().has_started() {
        shared.lobby.show(&MatchActor::summary(&id, &ledger));
    }
    tracing::info!(%id, game = %ledger.table().settings().game, "a match was made");
    shared.hosts.hold(&shared, &id, ledger);
    let (seat, token) = own.unzip();
    Ok((StatusCode::CREATED, Json(seated_at(id, seat, token))))
}

fn seated_at(id: MatchId, seat: Option<Seat>, token: Option<Token>) -> SeatAssignment {
    SeatAssignment {
        path: format!("/m/{id}"),
        id,
        seat,
        token,
    }
}

/// `POST /api/v1/matches/{id}/join`
pub(super) async fn join(
    State(shared): Server,
    caller: ClientAddress,
    Named(id): Named,
    Body(request): Body<JoinMatch>,
) -> Result<Json<SeatAssignment>, ApiError> {
    limit_makes(&shared, caller)?;
    let status = ask(&shared, &id, MatchCommand::Status).await?;
    let game = open_ttt_catalog::game(&status.view.settings.game).map_err(ApiError::bad_request)?;
    let (player, token) = read_seat(&game, &request.player)?;
    let (key, by) = (
        token.as_ref().map(TokenHash::of),
        request.token.as_ref().map(TokenHash::of),
    );
    let sit = |reply| {
        MatchCommand::TakeSeat(Box::new(TakeSeat {
            player,
            seat: request.seat,
            key,
            by,
            reply,
        }))
    };
    let seat = ask(&shared, &id, sit).await?.map_err(|error| match error {
        TakeSeatError::Conflict(conflict) => conflict.into(),
        TakeSeatError::NotAPlayer => ApiError::new(
            ErrorCode::BadToken,
            "only who plays here can call a computer, with their token",
        ),
        TakeSeatError::Unavailable => ApiError::unavailable(),
    })?;
    let seat = token.is_some().then_some(seat);
    Ok(Json(seated_at(id, seat, token)))
}

/// `GET /api/v1/matches`
pub(super) async fn list(
    State(shared): Server,
    caller: ClientAddress,
) -> Result<Json<MatchList>, ApiError> {
    limit_requests(&shared, caller)?;
    let matches = shared.lobby.list().await.map_err(|cause| {
        tracing::error!(%cause, "the lobby cannot be read");
        ApiError::unavailable()
    })?;
    Ok(Json(MatchList { matches }))
}

/// `GET /api/v1/matches/{id}`
pub(super) async fn status(
    State(shared): Server,
    caller: ClientAddress,
    Named(id): Named,
) -> Result<Json<MatchStatus>, ApiError> {
    limit_requests(&shared, caller)?;
    ask(&shared, &id, MatchCommand::Status).await.map(Json)
}

async fn story(shared: &Arc<Shared>, id: &MatchId) -> Result<History, ApiError> {
    ask(shared, id, MatchCommand::History).await
}

/// `GET /api/v1/matches/{id}/games`
pub(super) async fn games(
    State(shared): Server,
    caller: ClientAddress,
    Named(id): Named,
) -> Result<Json<MatchRecord>, ApiError> {
    limit_requests(&shared, caller)?;
    let story = story(&shared, &id).await?;
    Ok(Json(review::record(id, &story)))
}

/// `GET /api/v1/matches/{id}/games/{number}`
pub(super) async fn frames(
    State(shared): Server,
    caller: ClientAddress,
    Named(id): Named,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Json<GameFrames>, ApiError> {
    limit_requests(&shared, caller)?;
    let story = story(&shared, &id).await?;
    let number = path.ok().and_then(|Path((_, number))| number.parse().ok());
    let frames = number.and_then(|number| review::frames(&story, number));
    frames
        .map(Json)
        .ok_or_else(|| ApiError::new(ErrorCode::NotFound, "there is no such game in this match"))
}

/// `POST /api/v1/judge`
pub(super) async fn judge(
    State(shared): Server,
    caller: ClientAddress,
    Body(request): Body<AnalyzePosition>,
) -> Result<Json<PositionAnalysis>, ApiError> {
    limit_requests(&shared, caller)?;
    review::judge(&shared, &request).await.map(Json)
}

/// `GET /api/v1/games`
pub(super) async fn catalog() -> Json<Vec<GameInfo>> {
    let infos = open_ttt_catalog::games().iter().filter_map(|entry| {
        let game = open_ttt_catalog::game(entry.key).ok()?;
        Some(GameInfo {
            game: entry.key.to_owned(),
            title: game.title().to_owned(),
            rules: game.rules().to_owned(),
            strongest: game.strongest().to_owned(),
            board: BoardView::of(&game, None, |side| match side {
                Side::First => Seat::A,
                Side::Second => Seat::B,
            }),
        })
    });
    Json(infos.collect())
}

/// `GET /health`: the process answers.
pub(super) async fn health() -> &'static str {
    "ok\n"
}

/// `GET /ready`: matches can be played.
pub(super) async fn ready(State(shared): Server) -> Response {
    if shared.is_ending() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n").into_response();
    }
    match shared.log.check().await {
        Ok(()) => "ready\n".into_response(),
        Err(cause) => {
            tracing::warn!(%cause, "the store is not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the store is not ready\n").into_response()
        }
    }
}

/// `GET /metrics`
pub(super) async fn metrics(State(shared): Server) -> Response {
    let metrics = &shared.metrics;
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    metrics.connections.set(count(shared.connections.count()));
    metrics.matches.set(count(shared.hosts.count()));
    metrics.thoughts.set(count(shared.computers.waiting()));
    let mut headers = HeaderMap::new();
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (headers, metrics.text()).into_response()
}
