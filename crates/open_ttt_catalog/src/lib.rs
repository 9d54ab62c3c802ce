#![doc = include_str!("../README.md")]
#![cfg_attr(
    open_ttt_small,
    allow(dead_code, unused_imports, reason = "what networks and perft need")
)]

mod analysis;
mod catalog;
mod catalog_game;
mod dyn_evaluator;
mod dyn_game;
mod dyn_judge;
mod dyn_move;
mod dyn_player;
#[cfg(not(open_ttt_small))]
mod dyn_puzzles;
mod encode_picture;
mod encoder;
mod erased;
mod games;
mod network_source;
mod player_spec;
#[cfg(feature = "puzzles")]
mod puzzle_files;
mod puzzles;
mod searches;
mod solving;
mod transforms;

pub use analysis::AnalysisResult;
pub use catalog::{Catalog, GameEntry};
pub use catalog_game::{CatalogGame, PerfectPlayerFactory, SearchPlayer};
pub use dyn_game::DynGame;
pub use dyn_move::DynMove;
#[cfg(not(open_ttt_small))]
pub use dyn_puzzles::DynPuzzleFinder;
pub use encoder::Encoder;
pub use games::GameVisitor;
pub use network_source::NetworkSource;
pub use player_spec::{PlayerKind, PlayerSpec, SearchLimits};
pub use puzzles::{Puzzles, ReadPuzzleError};
pub use searches::Searches;
pub use solving::{SolveProgress, SolvedPosition, Solver};
#[cfg(not(open_ttt_small))]
pub use transforms::DynTransform;
pub use transforms::Transforms;
