use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use open_ttt_catalog::DynGame;
use open_ttt_search::StopFlag;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Shared;
use super::api_error::ApiError;
use super::client_address::{ClientAddress, check_origin};
use super::clock::search_clock;
use super::commands::{MatchCommand, TakeSeat};
use super::game_info::game_list;
use super::limits::RateLimiter;
use super::moderation::banned_report;
use super::names::parse_name;
use super::replay::Replay;
use super::secrets::{Credentials, new_match_id, new_token, random_seat};
use super::stored_match::{CreateError, StoredMatch};
use crate::MatchId;
use crate::answers::computer::parse_computer;
use crate::answers::frames::FramesError;
use crate::answers::puzzles::PuzzleParameters;
use crate::answers::{analysis, frames, positions, puzzles};
use crate::log::{AppendError, StoreRoom};
use crate::matches::{Act, Actor, DynMatch, MatchConflict, Player, Seat, Settings};
use crate::protocol::{
    AnalyzePosition, CreateMatch, ErrorCode, GameLesson, GamePuzzle, GameReview, JoinMatch,
    MatchList, MatchStatus, PositionAnalysis, PositionBoard, ReviewGame, SeatAssignment,
    SeatRequest, ShowPosition, Token,
};
use crate::replication::{Proposal, ProposalVerdict, Sequencer};

type Server = State<Arc<Shared>>;

/// A JSON body, from a page of an allowed origin.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        check_origin(request.headers(), &shared.config)?;
        let body = Json::<T>::from_request(request, shared).await;
        body.map(|Json(body)| Self(body)).map_err(|error| {
            let text = match &error {
                JsonRejection::MissingJsonContentType(_) => {
                    "The body must be JSON, with the content type application/json.".to_owned()
                }
                error => error.body_text(),
            };
            ApiError::new(ErrorCode::BadMessage, text)
        })
    }
}

/// The match in the path of a request.
pub(super) struct MatchPath(pub(super) MatchId);

impl FromRequestParts<Arc<Shared>> for MatchPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, shared).await;
        let segments = path.map(|Path(segments)| segments).unwrap_or_default();
        let id = segments.into_iter().find(|(name, _)| name == "id");
        id.and_then(|(_, id)| id.parse().ok())
            .filter(|id: &MatchId| !id.is_reserved())
            .map(Self)
            .ok_or_else(ApiError::no_such_match)
    }
}

/// Sends a client's command to a match and waits for the reply.
pub(super) async fn request<T>(
    shared: &Arc<Shared>,
    ClientAddress(address): ClientAddress,
    id: &MatchId,
    command: impl FnOnce(oneshot::Sender<T>) -> MatchCommand,
) -> Result<T, ApiError> {
    let (reply, result) = oneshot::channel();
    let command = command(reply);
    shared.matches.send(shared, address, id, command).await?;
    result.await.map_err(|_| ApiError::unavailable())
}

pub(super) fn check_rate(
    limiter: &RateLimiter,
    ClientAddress(address): ClientAddress,
) -> Result<(), ApiError> {
    let taken = limiter.take(address, Instant::now());
    taken.map_err(ApiError::too_many_requests)
}

/// The parameters of an address, `?from=3`.
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Shared>> for Parameters<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let query = Query::<T>::from_request_parts(parts, shared).await;
        query
            .map(|Query(parameters)| Self(parameters))
            .map_err(|error: QueryRejection| ApiError::bad_request(error.body_text()))
    }
}

/// JSON that a work pool has written.
struct JsonBytes(Bytes);

impl JsonBytes {
    fn of(value: &impl Serialize) -> Self {
        // The types of the protocol always serialize.
        Self(serde_json::to_vec(value).unwrap_or_default().into())
    }
}

impl IntoResponse for JsonBytes {
    fn into_response(self) -> Response {
        let json = HeaderValue::from_static("application/json");
        ([(CONTENT_TYPE, json)], self.0).into_response()
    }
}

/// Validates the player for a seat. A person gets a token.
async fn parse_player(
    shared: &Shared,
    ClientAddress(address): ClientAddress,
    game: &DynGame,
    request: &SeatRequest,
) -> Result<(Player, Option<Token>), ApiError> {
    let (player, token) = match request {
        SeatRequest::Person(name) => (Player::person(parse_name(name)?), Some(new_token()?)),
        SeatRequest::Computer(spec) => {
            let (game, text) = (game.clone(), spec.clone());
            let check = move |_: &StopFlag| parse_computer(&game, &text, search_clock()).map(drop);
            let checked = shared.requests.run(address, check).await?;
            checked.map_err(ApiError::bad_request)?;
            (Player::computer(spec.as_str()), None)
        }
    };
    if !player.has_valid_name() {
        return Err(MatchConflict::UnfitName.into());
    }
    if shared.moderation.bans_name(&player.name) {
        return Err(banned_report().into());
    }
    Ok((player, token))
}

/// `POST /api/v1/matches`
pub(super) async fn create(
    State(shared): Server,
    client: ClientAddress,
    Body(request): Body<CreateMatch>,
) -> Result<(StatusCode, Json<SeatAssignment>), ApiError> {
    check_rate(&shared.create_limiter, client)?;
    let assignment = create_match(&shared, client, request).await?;
    Ok((StatusCode::CREATED, Json(assignment)))
}

/// Creates a match with its first players.
pub(super) async fn create_match(
    shared: &Arc<Shared>,
    client: ClientAddress,
    request: CreateMatch,
) -> Result<SeatAssignment, ApiError> {
    if shared.is_draining() {
        let text = "This server will restart soon and takes no new games. Try again later.";
        return Err(ApiError::new(ErrorCode::ShuttingDown, text));
    }
    if shared.log.room().is_some_and(|room| !room.fits_matches()) {
        let text = "The server has stored as many games as it may. Try again later.";
        return Err(ApiError::new(ErrorCode::Unavailable, text));
    }
    if request.listed && !request.moves.is_empty() {
        let text = "The lobby lists only games from the start. Send a friend the link.";
        return Err(ApiError::bad_request(text));
    }
    let first = request.first.map_or_else(random_seat, Ok)?;
    let settings = Settings {
        game: request.game,
        clock: request.clock,
        first,
        rated: request.rated,
        moves: request.moves,
    };
    // The moves it begins with are few enough to be played at once.
    let start = DynMatch::new(settings, |name| shared.catalog.game(name));
    let start = start.map_err(ApiError::bad_request)?;
    let mut joins = Vec::new();
    let mut own = None;
    for (seat, seated) in Seat::ALL.into_iter().zip(&request.seats) {
        let Some(seated) = seated else { continue };
        let game = start.game().position();
        let (player, token) = parse_player(shared, client, game, seated).await?;
        let key = request.key.as_ref().filter(|_| token.is_some());
        let holder = Credentials::of(token.as_ref(), key);
        if request.rated && holder.player.is_none() {
            let text = "A rated game is between persons, and needs your player key.";
            return Err(ApiError::bad_request(text));
        }
        if let Some(token) = token
            && own.replace((seat, token)).is_some()
        {
            let text = "You can only seat one person. The other player joins by the link.";
            return Err(ApiError::bad_request(text));
        }
        joins.push((Act::Join { seat, player }, holder));
    }
    let listing = if request.listed {
        let text = "You already have several open games in the lobby. Wait for an opponent.";
        let permit = shared.listed.acquire(client.0, 1);
        Some(permit.ok_or_else(|| ApiError::new(ErrorCode::TooMany, text))?)
    } else {
        None
    };
    let id = new_match_id()?;
    let slot = shared.matches.hold(shared, &id)?;
    let log = Arc::clone(&shared.log);
    let now = shared.clock.now_ms();
    let created = StoredMatch::create(log, id.clone(), start, request.listed, now).await;
    let mut stored = created.map_err(|error| match error {
        CreateError::TooLong => {
            let text = "A match can't begin after so many long moves. Leave some of them out.";
            ApiError::bad_request(text)
        }
        // The store has told the operator.
        CreateError::Append(AppendError::Refused(_)) => ApiError::unavailable(),
        CreateError::Append(cause) => {
            tracing::error!(%cause, "failed to store a match");
            ApiError::unavailable()
        }
    })?;
    for (act, holder) in joins {
        let proposal = Proposal {
            number: shared.next_number(),
            base: stored.sequencer().sequence(),
            transition: stored.stamp(Actor::Server, act, now),
        };
        let mut changes = Vec::new();
        let proposing = stored.propose(&shared.client, &proposal, holder, &mut changes);
        if !matches!(proposing.await, Some(ProposalVerdict::Accepted(_))) {
            return Err(ApiError::unavailable());
        }
    }
    shared.metrics.created.inc();
    tracing::info!(%id, game = %stored.state().settings().game, "created a match");
    slot.fill(shared, stored, listing);
    let (seat, token) = own.unzip();
    Ok(assignment(id, seat, token))
}

fn assignment(id: MatchId, seat: Option<Seat>, token: Option<Token>) -> SeatAssignment {
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
    client: ClientAddress,
    MatchPath(id): MatchPath,
    Body(body): Body<JoinMatch>,
) -> Result<Json<SeatAssignment>, ApiError> {
    check_rate(&shared.create_limiter, client)?;
    join_match(&shared, client, id, body).await.map(Json)
}

/// Takes a seat of a match.
pub(super) async fn join_match(
    shared: &Arc<Shared>,
    client: ClientAddress,
    id: MatchId,
    body: JoinMatch,
) -> Result<SeatAssignment, ApiError> {
    shared.check_open(&id).await?;
    let status = request(shared, client, &id, MatchCommand::GetStatus).await?;
    let game = shared.catalog.game(&status.view.settings.game);
    let game = game.map_err(ApiError::bad_request)?;
    let (player, token) = parse_player(shared, client, &game, &body.player).await?;
    let key = body.key.as_ref();
    let holder = Credentials::of(token.as_ref(), key.filter(|_| token.is_some()));
    let requester = Credentials::of(body.token.as_ref(), key);
    let take_seat = |reply| {
        MatchCommand::TakeSeat(Box::new(TakeSeat {
            player,
            seat: body.seat,
            holder,
            requester,
            reply,
        }))
    };
    let seat = request(shared, client, &id, take_seat).await??;
    let seat = token.is_some().then_some(seat);
    Ok(assignment(id, seat, token))
}

/// Which part of the lobby to list.
#[derive(Deserialize)]
pub(super) struct ListParameters {
    /// Only matches of this game.
    game: Option<String>,
    /// The number of matches to skip.
    #[serde(default)]
    from: usize,
    /// Whether to list the public games in progress instead of open seats.
    #[serde(default)]
    playing: bool,
}

/// `GET /api/v1/matches`
pub(super) async fn list(
    State(shared): Server,
    client: ClientAddress,
    Parameters(wanted): Parameters<ListParameters>,
) -> Result<Json<MatchList>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    if wanted.playing {
        return Ok(Json(
            shared.playing.list(wanted.game.as_deref(), wanted.from),
        ));
    }
    let list = shared.lobby.list(wanted.game.as_deref(), wanted.from);
    let list = list.await.map_err(|cause| {
        tracing::error!(%cause, "failed to read the lobby");
        ApiError::unavailable()
    })?;
    Ok(Json(list))
}

/// `GET /api/v1/matches/{id}`
pub(super) async fn status(
    State(shared): Server,
    client: ClientAddress,
    MatchPath(id): MatchPath,
) -> Result<Json<MatchStatus>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    shared.check_open(&id).await?;
    request(&shared, client, &id, MatchCommand::GetStatus)
        .await
        .map(Json)
}

/// `GET /api/v1/matches/{id}/games`
pub(super) async fn games(
    State(shared): Server,
    client: ClientAddress,
    MatchPath(id): MatchPath,
) -> Result<Response, ApiError> {
    let match_id = id.clone();
    let review = move |history: &Sequencer<DynMatch>, stop: &StopFlag| {
        let record = frames::record(match_id, history, stop);
        record.map(|record| JsonBytes::of(&record).into_response())
    };
    Ok(review_match(&shared, client, &id, review).await??)
}

/// Which boards of a game to answer with.
#[derive(Deserialize)]
pub(super) struct FramesParameters {
    /// The number of boards to skip.
    #[serde(default)]
    from: usize,
}

/// `GET /api/v1/matches/{id}/games/{number}`
pub(super) async fn frames(
    State(shared): Server,
    client: ClientAddress,
    MatchPath(id): MatchPath,
    path: Result<Path<(String, String)>, PathRejection>,
    Parameters(wanted): Parameters<FramesParameters>,
) -> Result<Response, ApiError> {
    let number = path.ok().and_then(|Path((_, number))| number.parse().ok());
    let number = number.ok_or(FramesError::NoSuchGame)?;
    let review = move |history: &Sequencer<DynMatch>, stop: &StopFlag| {
        let frames = frames::frames(history, number, wanted.from, stop);
        frames.map(|frames| JsonBytes::of(&frames).into_response())
    };
    Ok(review_match(&shared, client, &id, review).await??)
}

/// Reads the whole history of a match in the pool for requests.
async fn review_match<T: Send + 'static>(
    shared: &Arc<Shared>,
    client: ClientAddress,
    id: &MatchId,
    review: impl FnOnce(&Sequencer<DynMatch>, &StopFlag) -> T + Send + 'static,
) -> Result<T, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    shared.check_open(id).await?;
    let _place = shared.reviews.enter(client).await?;
    request(shared, client, id, MatchCommand::Settle).await?;
    let entries = shared.entries(id).await?;
    let (catalog, match_id) = (shared.catalog.clone(), id.clone());
    let job = move |stop: &StopFlag| {
        let replay = Replay::of(&catalog, &match_id, &entries)?;
        Ok(review(replay.sequencer(), stop))
    };
    let reviewed = shared.requests.run(client.0, job).await?;
    reviewed.map_err(|cause| shared.matches.load_error(id, cause))
}

/// `POST /api/v1/judge`
pub(super) async fn analyze(
    State(shared): Server,
    client: ClientAddress,
    Body(position): Body<AnalyzePosition>,
) -> Result<Json<PositionAnalysis>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    let catalog = shared.catalog.clone();
    let job = move |stop: &StopFlag| analysis::analyze(&catalog, &position, search_clock(), stop);
    Ok(shared.requests.run(client.0, job).await?.map(Json)?)
}

/// `POST /api/v1/review`
pub(super) async fn review_game(
    State(shared): Server,
    client: ClientAddress,
    Body(game): Body<ReviewGame>,
) -> Result<Json<GameReview>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    let catalog = shared.catalog.clone();
    let job = move |stop: &StopFlag| analysis::review_game(&catalog, &game, search_clock(), stop);
    Ok(shared.requests.run(client.0, job).await?.map(Json)?)
}

/// `POST /api/v1/position`
pub(super) async fn position(
    State(shared): Server,
    client: ClientAddress,
    Body(position): Body<ShowPosition>,
) -> Result<Json<PositionBoard>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    let catalog = shared.catalog.clone();
    let job = move |_: &StopFlag| positions::show(&catalog, &position);
    Ok(shared.requests.run(client.0, job).await?.map(Json)?)
}

/// Which game to learn.
#[derive(Deserialize)]
pub(super) struct LessonParameters {
    game: String,
}

/// `GET /api/v1/lesson`
pub(super) async fn lesson(
    State(shared): Server,
    client: ClientAddress,
    Parameters(wanted): Parameters<LessonParameters>,
) -> Result<Json<GameLesson>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    let catalog = shared.catalog.clone();
    let job =
        move |stop: &StopFlag| positions::lesson(&catalog, &wanted.game, search_clock(), stop);
    Ok(shared.requests.run(client.0, job).await?.map(Json)?)
}

/// `GET /api/v1/puzzles/GAME`
pub(super) async fn puzzle(
    State(shared): Server,
    client: ClientAddress,
    path: Result<Path<String>, PathRejection>,
    Parameters(wanted): Parameters<PuzzleParameters>,
) -> Result<Json<GamePuzzle>, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    let Path(name) = path.map_err(|_| ApiError::not_found())?;
    let catalog = shared.catalog.clone();
    let now = shared.clock.now_ms();
    let job = move |_: &StopFlag| puzzles::puzzle(&catalog, &name, wanted, now);
    Ok(shared.requests.run(client.0, job).await?.map(Json)?)
}

/// `GET /api/v1/games`
pub(super) async fn catalog(
    State(shared): Server,
    client: ClientAddress,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    check_rate(&shared.request_limiter, client)?;
    if shared.games.get().is_none() {
        let keeper = Arc::clone(&shared);
        let list = move |_: &StopFlag| {
            keeper.games.get_or_init(|| game_list(&keeper.catalog));
        };
        // In a task of its own: it is made also if whoever asked has gone before it has begun.
        let pool = Arc::clone(&shared);
        let made = tokio::spawn(async move { pool.requests.run(client.0, list).await });
        made.await.map_err(|_| ApiError::unavailable())??;
    }
    let games = shared.games.get().ok_or_else(ApiError::unavailable)?;
    let mut response = games.answer(&headers);
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    Ok(response)
}

/// `GET /health`: the process responds.
pub(super) async fn health() -> &'static str {
    "ok\n"
}

/// `GET /ready`: matches can be stored.
pub(super) async fn ready(State(shared): Server) -> Response {
    let unavailable = |text: &'static str| (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    if shared.is_shutting_down() || shared.is_draining() {
        return unavailable("shutting down\n");
    }
    match shared.readiness.check(&*shared.log).await {
        Ok(()) => "ready\n".into_response(),
        Err(_) => unavailable("the store is not ready\n"),
    }
}

/// `GET /metrics`
pub(super) async fn metrics(State(shared): Server) -> Response {
    let metrics = &shared.metrics;
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    metrics.connections.set(count(shared.connections.total()));
    metrics.matches.set(count(shared.matches.count()));
    metrics.thoughts.set(count(shared.moves.unfinished()));
    if let Some(StoreRoom { used, limit }) = shared.log.room() {
        let bytes = |bytes| i64::try_from(bytes).unwrap_or(0);
        metrics.store_bytes.set(bytes(used));
        metrics.store_limit_bytes.set(bytes(limit));
    }
    let mut headers = HeaderMap::new();
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (headers, metrics.to_text()).into_response()
}
