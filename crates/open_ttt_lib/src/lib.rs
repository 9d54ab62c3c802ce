#![doc = include_str!("../README.md")]

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
