//! Alpha-beta search, from plain negamax to principal variation search with a
//! transposition table, iterative deepening and threads, in reading order.

mod deepen;
mod history;
mod iteration;
mod negamax;
mod parallel;
mod principal_variation;
mod pruning;
mod searcher;
mod transposition;
mod window;

pub use deepen::{Answer, RootMoves, deepen, deepen_together};
pub use negamax::negamax;
pub use pruning::alpha_beta;
pub use searcher::{SearchOptions, Searcher};
pub use transposition::TranspositionTable;
