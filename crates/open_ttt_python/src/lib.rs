//! The part of the Python package `open_ttt` that is written in Rust: its module `_open_ttt`.
//!
//! Its documentation is that of the package: `README.md`, `docs/python.md`, and the doc
//! comments of classes and functions here, which Python shows as docstrings.

mod analysis;
mod arena;
mod budget;
mod errors;
mod game;
mod game_info;
mod integer;
mod interrupt;
mod player;
mod record;
mod vector;

/// The module with everything that is written in Rust. The package re-exports it.
#[pyo3::pymodule]
mod _open_ttt {
    #[pymodule_export]
    use crate::analysis::{Analysis, Hint, MoveValue, Review, ReviewedMove};
    #[pymodule_export]
    use crate::arena::{MatchResult, play_match};
    #[pymodule_export]
    use crate::errors::IllegalMoveError;
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::game_info::{GameInfo, Parameter, games};
    #[pymodule_export]
    use crate::player::Player;
    #[pymodule_export]
    use crate::vector::VectorEnv;
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
