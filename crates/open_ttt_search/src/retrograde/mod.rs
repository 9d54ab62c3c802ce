//! Retrograde analysis and exhaustive search, which solve games outright, in
//! reading order:
//!
//! 1. `solve`: every position of a small game, by depth-first search.
//! 2. `cyclic`: every position of a small game in which positions come back.
//! 3. `solve_by_layers`: board-filling games from their end, layer by layer.
//! 4. `shapes`: the numbering of their positions.
//! 5. `analyze_by_layers`: one position of such a game.

mod analyze_by_layers;
#[cfg(feature = "std")]
mod cyclic;
mod shapes;
#[cfg(feature = "std")]
mod solve;
mod solve_by_layers;
mod too_large;

pub use analyze_by_layers::analyze_by_layers;
#[cfg(feature = "std")]
pub use solve::{Solution, draws_if_repeated, solve, solve_with_draws};
pub use solve_by_layers::{Layer, LayerOptions, LayerSolution, SolveError, solve_by_layers};
pub use too_large::TooLarge;
