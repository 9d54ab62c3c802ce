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

pub use analysis::{AnalysisResult, GameValue};
pub use dyn_game::DynGame;
pub use dyn_move::DynMove;
pub use entry::{CatalogGame, GameEntry, PerfectPlayerFactory, game, games};
pub use network_source::NetworkSource;
pub use player_spec::{PlayerKind, PlayerSpec, SearchLimits};
pub use solving::{SolveProgress, SolvedPosition, SolvedValue, Solver};
