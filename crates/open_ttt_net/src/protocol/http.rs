use serde::{Deserialize, Serialize};

use super::{BoardView, ErrorCode, MatchView, Token};
use crate::MatchId;
use crate::matches::{GameVerdict, Score, Seat, TimeControl};
use crate::replication::Sequence;

/// `POST /api/v1/matches`: a new match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateMatch {
    /// The game, by its name in the catalog.
    pub game: String,
    /// How much time each side has; none for as much as it likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Who moves first in the first game; by lot if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Seat>,
    /// Who sits on seat A and seat B; at most one person, who is given the
    /// token. `null` leaves a seat open.
    pub seats: [Option<SeatRequest>; 2],
    /// Whether the lobby shows it while a seat is open.
    #[serde(default)]
    pub listed: bool,
}

/// Who is to sit on a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatRequest {
    /// A person, or a program that plays like one, by name.
    Person(String),
    /// A computer of the catalog: `perfect(mistakes=0.2)`.
    Computer(String),
}

/// `POST /api/v1/matches/ID/join`: takes a seat that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinMatch {
    /// Who. Only who holds the other seat may call a computer.
    pub player: SeatRequest,
    /// Where; on any open seat if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The token of the other seat, to call a computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
}

/// A seat that was given: the answer to [`CreateMatch`] and [`JoinMatch`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatAssignment {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The seat, if a person has one.
    pub seat: Option<Seat>,
    /// What proves it.
    pub token: Option<Token>,
    /// Where the match is on this server, for friends and spectators: `/m/ID`.
    pub path: String,
}

/// `GET /api/v1/matches`: the matches with an open seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchList {
    /// The latest first.
    pub matches: Vec<MatchSummary>,
}

/// A match in the lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchSummary {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The game.
    pub game: String,
    /// Who waits there.
    pub name: Option<String>,
    /// How much time each side has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Since when it waits, in milliseconds since 1970.
    pub since: u64,
}

/// `GET /api/v1/matches/ID`: how a match stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchStatus {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The number of the state.
    pub sequence: Sequence,
    /// The seats that are open.
    pub open: Vec<Seat>,
    /// What there is to see.
    pub view: MatchView,
}

/// `GET /api/v1/matches/ID/games`: the games of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The game, by its name in the catalog.
    pub game: String,
    /// Who sits on each seat.
    pub players: [Option<String>; 2],
    /// What has come of the games played to their end.
    pub score: Score,
    /// The games, from the first.
    pub games: Vec<GameRecord>,
}

/// A game of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number, from 1.
    pub number: u32,
    /// Which seat had the first move.
    pub first: Seat,
    /// The moves that stood in the end.
    pub moves: Vec<String>,
    /// How it ended, if it has.
    pub verdict: Option<GameVerdict>,
}

/// `GET /api/v1/matches/ID/games/NUMBER`: a game move by move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameFrames {
    /// The game.
    pub record: GameRecord,
    /// The board at the start and after each move, with the moves that could be
    /// made there.
    pub boards: Vec<BoardView>,
}

/// `POST /api/v1/judge`: asks what a position is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyzePosition {
    /// The game, by its name in the catalog.
    pub game: String,
    /// The moves that lead to the position.
    pub moves: Vec<String>,
}

/// What a position is worth, for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionAnalysis {
    /// `win`, `draw`, `loss` or `unknown`.
    pub result: String,
    /// Moves to the end under best play, where that is known.
    pub plies: Option<u32>,
    /// The final margin, in games that count points.
    pub margin: Option<i32>,
    /// The best moves.
    pub best: Vec<String>,
    /// Whether all of this is proved.
    pub exact: bool,
}

/// `GET /api/v1/games`: a game of the catalog.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameInfo {
    /// Its name.
    pub game: String,
    /// What it is called in a menu.
    pub title: String,
    /// How it is played, in a few short lines.
    pub rules: String,
    /// The strongest computer for it.
    pub strongest: String,
    /// The board before the first move, which seat A has.
    pub board: BoardView,
}

/// What a request that fails is answered with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorReport,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// For a program.
    pub code: ErrorCode,
    /// For a person.
    pub text: String,
}
