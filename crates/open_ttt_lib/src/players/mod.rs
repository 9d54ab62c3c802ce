//! Who plays: the [`Player`] trait, computer players of every kind, and
//! [`play_game`] for two of them.

mod play_game;
mod player;

pub use play_game::{
    GameEnd, GameRecord, GameResult, MOST_ILLEGAL_MOVES, WinStatus, play_game, play_turn,
};
pub use player::{Decision, Player, Turn};
