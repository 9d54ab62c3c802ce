#![doc = "stub"]
pub mod games;
pub mod players;
pub mod random;
pub mod rules;
pub mod search;
pub mod tic_tac_toe;

pub use tic_tac_toe::{
    AiMove, AiMoveError, Board, FreeSquares, Game, GameState, Iter, MoveError, Owner, Position,
    Square, VictorySets,
};
