use open_ttt_lib::state_machine::GameMove;
use serde::{Deserialize, Serialize};

use super::{BoardView, ErrorCode, MatchView, PlayerId, PlayerKey, Token};
use crate::MatchId;
use crate::matches::{GameVerdict, Score, Seat, TimeControl};
use crate::replication::Sequence;

/// `POST /api/v1/matches`: creates a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateMatch {
    /// The game's name in the catalog.
    pub game: String,
    /// The time control; `None` for unlimited time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The seat that moves first in the first game; random if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Seat>,
    /// The players in seat A and seat B; `null` leaves a seat open. At most one is
    /// a person, who gets the token.
    pub seats: [Option<SeatRequest>; 2],
    /// Whether the lobby lists the match while a seat is open.
    #[serde(default)]
    pub listed: bool,
    /// Whether the games change the players' ratings. Both then need a key.
    #[serde(default)]
    pub rated: bool,
    /// The moves that lead to the position in which the games begin; the start of the
    /// game if absent. Such a match is neither rated nor listed.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<super::schema::MoveText>"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<GameMove>,
    /// The person's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PlayerKey>,
}

/// The player to put in a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SeatRequest {
    /// A person or an external program, by name.
    Person(String),
    /// A computer player of the catalog: `perfect(mistakes=0.2)`.
    Computer(String),
}

/// `POST /api/v1/matches/ID/join`: takes an open seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JoinMatch {
    /// The player. Only the holder of the other seat can add a computer player.
    pub player: SeatRequest,
    /// The seat; any open one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The token of the other seat. This or the key of its holder is required to add a
    /// computer player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// The key of the person who joins, or who adds a computer player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PlayerKey>,
}

/// The response to [`CreateMatch`] and [`JoinMatch`]: the assigned seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeatAssignment {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The person's seat, if there is one.
    pub seat: Option<Seat>,
    /// The token of the seat.
    pub token: Option<Token>,
    /// The path of the match on this server, for opponents and spectators: `/m/ID`.
    pub path: String,
}

/// `GET /api/v1/matches?game=KEY&from=K`: one page of the matches with an open seat
/// whose creator is connected; with `playing=true`, of the public games in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchList {
    /// The number of all these matches.
    pub total: usize,
    /// The number of matches before the first of this page.
    pub from: usize,
    /// The matches, newest first.
    pub matches: Vec<MatchSummary>,
}

/// A match in the lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchSummary {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The game.
    pub game: String,
    /// The name of the player who is waiting, or of the first one in a game in progress.
    pub name: Option<String>,
    /// The name of the other player, in a game in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// The time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Whether the games change the players' ratings.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub rated: bool,
    /// The id of the player who is waiting, with a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerId>,
    /// When the match was created, in milliseconds since 1970.
    pub since: u64,
}

/// `GET /api/v1/matches/ID`: the status of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchStatus {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The number of the state.
    pub sequence: Sequence,
    /// The open seats.
    pub open: Vec<Seat>,
    /// The ids of the players in seat A and seat B that have a key.
    #[serde(default)]
    pub players: [Option<PlayerId>; 2],
    /// The match as displayed.
    pub view: MatchView,
}

/// `GET /api/v1/matches/ID/games`: the games of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchRecord {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The game's name in the catalog.
    pub game: String,
    /// The name of the player in each seat.
    pub players: [Option<String>; 2],
    /// The score of the match.
    pub score: Score,
    /// The games, first to last.
    pub games: Vec<GameRecord>,
}

/// A game of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameRecord {
    /// Its number, from 1.
    pub number: u32,
    /// The seat that moved first.
    pub first: Seat,
    /// The moves, without those taken back.
    pub moves: Vec<String>,
    /// How many of them, at the beginning, led to the position in which the game
    /// began. Nobody has played them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub given: usize,
    /// The result, once the game is over.
    pub verdict: Option<GameVerdict>,
}

const fn is_zero(given: &usize) -> bool {
    *given == 0
}

/// `GET /api/v1/matches/ID/games/NUMBER?from=K`: a game move by move, one page of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameFrames {
    /// The game.
    pub record: GameRecord,
    /// The number of boards before the first of this page.
    pub from: usize,
    /// The board at the start (the board 0) and after each move, with the legal moves
    /// there, from the board `from` on. The rest is on further pages.
    pub boards: Vec<BoardView>,
}

/// `POST /api/v1/judge`: analyzes a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnalyzePosition {
    /// The game's name in the catalog.
    pub game: String,
    /// The moves that lead to the position.
    pub moves: Vec<String>,
    /// Whether to tell the value of every move, and why one is good. This takes longer.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub values: bool,
    /// The longest time to search, in milliseconds; the server's limit if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u32>,
}

/// The value of a position for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionAnalysis {
    /// `win`, `draw`, `loss` or `unknown`.
    pub result: String,
    /// The number of moves to the end with best play, if known.
    pub plies: Option<u32>,
    /// The final margin with best play, in scoring games.
    pub margin: Option<i32>,
    /// The best moves.
    pub best: Vec<String>,
    /// Whether the analysis is proven.
    pub exact: bool,
    /// What every legal move is worth, the best first, if asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<MoveWorth>,
    /// A good move and why, if values were asked for and the game isn't over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<PositionHint>,
}

/// What a move is worth to the side that plays it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MoveWorth {
    /// The move.
    #[serde(rename = "move")]
    pub m: String,
    /// `win`, `draw`, `loss` or `unknown`.
    pub result: String,
    /// The number of moves to the end with best play, this one included, if known.
    pub plies: Option<u32>,
    /// The final margin with best play, in scoring games.
    pub margin: Option<i32>,
    /// Whether the result is proven.
    pub exact: bool,
    /// The points that can be expected, from 0 to 1: a win counts 1, a draw half.
    pub expected: f64,
    /// By how much `expected` may be wrong, as far as the search shows it: 0 if it is
    /// proven, 0.5 if nothing is known.
    pub uncertainty: f64,
}

/// A good move and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionHint {
    /// The move.
    #[serde(rename = "move")]
    pub m: String,
    /// One sentence about it.
    pub why: String,
    /// The moves of both sides that seem best, beginning with it.
    pub line: Vec<String>,
}

/// `POST /api/v1/review`: judges a game move by move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReviewGame {
    /// The game's name in the catalog.
    pub game: String,
    /// The moves of the game.
    pub moves: Vec<String>,
    /// The result of a game that the rules didn't end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GameResult {
    /// The side that moves first has won.
    First,
    /// The other side has won.
    Second,
    /// It is drawn.
    Draw,
}

/// The response to [`ReviewGame`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameReview {
    /// The accuracy of the first and the second side in percent; `null` without moves.
    pub accuracy: [Option<f64>; 2],
    /// The index of the move with which the game turned to its result, if there is one.
    pub turning_point: Option<usize>,
    /// Each move.
    pub moves: Vec<ReviewedMove>,
}

/// A move of a game, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewedMove {
    /// The side that played it: 0 is the first.
    pub side: u8,
    /// `best`, `good`, `inaccuracy`, `mistake` or `blunder`.
    pub quality: String,
    /// The points, from 0 to 1, that the side gave away.
    pub lost: f64,
    /// The move and what it is worth.
    pub played: MoveWorth,
    /// The best move: the one played if none is better.
    pub best: MoveWorth,
    /// The moves of both sides that seem best, from the position before the move on.
    pub line: Vec<String>,
    /// The points that the first side could expect after the move.
    pub first_expects: f64,
}

/// `GET /api/v1/games`: a game of the catalog.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameInfo {
    /// The name in the catalog.
    pub game: String,
    /// The title for menus.
    pub title: String,
    /// The rules, in a few short lines.
    pub rules: String,
    /// The spec of the strongest computer player.
    pub strongest: String,
    /// The board before the first move, with seat A to move.
    pub board: BoardView,
    /// The board some moves later, as a picture of the game.
    pub sample: BoardView,
    /// The parameters that its name can have.
    pub parameters: Vec<GameParameter>,
    /// The number of puzzles that come with it.
    #[serde(default)]
    pub puzzles: usize,
    /// Whether the WebAssembly module that comes with the page has the same game, so that a
    /// browser needs no server for it.
    #[serde(default)]
    pub local: bool,
}

/// A parameter of a game: `k` of `mnk(k=4)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameParameter {
    /// The name.
    pub name: String,
    /// The meaning, as part of a sentence: `number of columns`.
    pub meaning: String,
    /// The allowed values, from the least.
    pub allowed: AllowedParameterValues,
    /// The value if the name has none.
    pub default: u32,
}

/// The values that a parameter may have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AllowedParameterValues {
    /// Every number from the first to the second.
    Range([u32; 2]),
    /// These.
    OneOf(Vec<u32>),
}

/// The body of the response to a failed request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorReport,
}

/// An error as reported to clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorReport {
    /// The code, for programs.
    pub code: ErrorCode,
    /// The message, for people.
    pub text: String,
}

impl ErrorReport {
    #[cfg(feature = "answers")]
    pub(crate) fn new(code: ErrorCode, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code, text }
    }
}
