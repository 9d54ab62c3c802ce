//! Searching games that are won by completing lines
//! ([`Completing`](crate::rules::Completing)): forced wins by threats, a strong
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
mod proof_table;

pub use decide::{Decided, Decider};
pub use fight::{Fight, fight};
pub use forced_win::{ForcedWin, forced_win};
