//! Searching games that are won by completing lines
//! ([`LineGame`](open_ttt_lib::rules::LineGame)): forced wins by threats, a strong
//! game, and who wins at all.

mod board;
mod cells;
mod decide;
mod failures;
mod fight;
mod forced_win;
mod hunt;
mod images;
mod memory;
mod pairing;
mod presser;
mod proof;
mod proof_table;
mod rows;
#[cfg(test)]
pub(crate) mod tangle;

pub use decide::{ProofNumberSearch, ProvedOutcome};
pub use fight::{LineSearchResult, line_search};
pub use forced_win::{ForcedWin, forced_win};
