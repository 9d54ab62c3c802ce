#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;

pub mod coded_map;
pub mod games;
pub mod keyless_map;
pub mod random;
pub mod rules;
#[cfg(feature = "serde")]
pub mod state_machine;
pub mod tic_tac_toe;

pub use tic_tac_toe::{
    AiMove, AiMoveError, BestOutcome, Board, FreeSquares, Game, GameState, Iter, MoveError, Owner,
    Position, Square, SquareValue, UnreachableBoard, VictorySets,
};
