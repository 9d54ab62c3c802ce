use serde::{Deserialize, Serialize};

use super::BoardView;

/// `GET /api/v1/puzzles/GAME?number=N` or `?rating=R`: a puzzle; without a parameter that of
/// the day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GamePuzzle {
    /// The game's name in the catalog.
    pub game: String,
    /// Its number among the game's puzzles, from 1, the easiest.
    pub number: usize,
    /// The number of the game's puzzles.
    pub count: usize,
    /// How hard it is, on a scale like Elo's: 400 to 2400.
    pub rating: u32,
    /// The same in stars, 1 to 5.
    pub stars: u32,
    /// What only one move reaches: `win`, `draw`, `fastest` (a win, and no other move wins as
    /// fast) or `defend` (every other move loses).
    pub goal: String,
    /// The number of moves of both sides to the win, if known.
    pub plies: Option<u32>,
    /// The moves from the start of the game to the position.
    pub moves: Vec<String>,
    /// The moves of both sides that solve it, from the position on.
    pub solution: Vec<String>,
    /// The board of the position and after each move of the solution. The side that moves
    /// first in a game has seat A.
    pub boards: Vec<BoardView>,
}
