//! Alpha-beta search, in reading order:
//!
//! 1. `negamax`: the full tree to a depth, with the `node_result` of each position.
//! 2. `pruning`: alpha-beta pruning, with the `window` of scores.
//! 3. `pv_search`: principal variation search, with the `transposition_table`
//!    (which lives in a `lockless_table`) and the `history` heuristic.
//! 4. `root_search`: all moves of the root position, with aspiration windows.
//! 5. `searcher`: iterative deepening in steps.
//! 6. `parallel`: the same on several threads.
//! 7. `iterative_deepening`: the same in one call.

mod history;
mod iterative_deepening;
mod lockless_table;
mod negamax;
mod node_result;
mod parallel;
mod pruning;
mod pv_search;
mod root_search;
mod searcher;
mod transposition_table;
mod window;

pub use iterative_deepening::{IterativeDeepening, deepen};
pub use negamax::negamax;
pub use pruning::alpha_beta;
pub use searcher::{SearchOptions, Searcher};
