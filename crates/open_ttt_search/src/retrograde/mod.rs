//! Games solved outright: every position of a small game, and board-filling games
//! from their end, layer by layer.

mod answer_by_layers;
mod shapes;
mod solve;
mod solve_by_layers;

pub use answer_by_layers::answer_by_layers;
pub use solve::{Solution, TooLarge, solve};
pub use solve_by_layers::{Layer, LayerOptions, LayerSolution, Unsolved, solve_by_layers};
