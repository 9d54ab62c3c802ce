//! Requests about positions and games that aren't those of a match.

use open_ttt_lib::state_machine::GameMove;
use serde::{Deserialize, Serialize};

use super::{BoardView, GameResult};

/// `POST /api/v1/position`: shows a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShowPosition {
    /// The game's name in the catalog.
    pub game: String,
    /// The moves that lead to the position.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<super::schema::MoveText>"))]
    pub moves: Vec<GameMove>,
}

/// The response to [`ShowPosition`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionBoard {
    /// The moves, as the game writes them.
    pub moves: Vec<String>,
    /// The result, if the game is over.
    pub result: Option<GameResult>,
    /// The board, with seat A as the side that moves first.
    pub board: BoardView,
}

/// `GET /api/v1/lesson?game=NAME`: a position of a game in which a move wins at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameLesson {
    /// The moves that lead to the position.
    pub moves: Vec<String>,
    /// The moves that win; empty if no such position was found.
    pub wins: Vec<String>,
}
