#![doc = include_str!("../README.md")]

mod analysis;
mod dyn_game;
mod dyn_move;
mod dyn_player;
mod entry;
mod erased;
mod network_source;
mod player_spec;
mod solving;

pub use analysis::{Analysis, Verdict};
pub use dyn_game::DynGame;
pub use dyn_move::DynMove;
pub use entry::{CatalogGame, Entry, PerfectPlayerFactory, game, games};
pub use network_source::NetworkSource;
pub use player_spec::{Effort, PlayerKind, PlayerSpec};
pub use solving::{Progress, Solved, Solver, Worth};
