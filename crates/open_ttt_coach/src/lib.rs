#![doc = include_str!("../README.md")]

mod game_value;
mod hint;
mod judge;
mod layers_judge;
mod line_judge;
mod move_value;
mod prover_judge;
mod puzzle;
mod remaining;
mod review;
mod search_judge;
mod solved_judge;
mod tree_judge;

pub use game_value::{GameValue, SolvedValue};
pub use hint::{Claim, Hint, hint};
pub use judge::Judge;
pub use layers_judge::LayersJudge;
pub use line_judge::LineJudge;
pub use move_value::{MoveValue, PositionValues};
pub use prover_judge::ProverJudge;
pub use puzzle::{FastestWin, Goal, Puzzle, PuzzleFinder, fastest_win, only_move, puzzle};
pub use review::{Quality, Review, ReviewedMove, review};
pub use search_judge::SearchJudge;
pub use solved_judge::SolvedJudge;
pub use tree_judge::TreeJudge;
