#![doc = include_str!("../README.md")]

mod analysis;
mod catalog_game;
mod dyn_game;
mod dyn_move;
mod dyn_player;
mod erased;
mod games;
mod network_source;
mod player_spec;
mod solving;

pub use analysis::{AnalysisResult, GameValue};
pub use catalog_game::{CatalogGame, PerfectPlayerFactory, SearchPlayer};
pub use dyn_game::DynGame;
pub use dyn_move::DynMove;
pub use games::{GameEntry, GameVisitor, game, games};
pub use network_source::NetworkSource;
pub use player_spec::{PlayerKind, PlayerSpec, SearchLimits};
pub use solving::{SolveProgress, SolvedPosition, SolvedValue, Solver};
