//! Who plays: the [`Player`] trait, a player for every way of choosing a move,
//! and [`play_game`] for two of them.
//!
//! | player | chooses by | strength |
//! |---|---|---|
//! | [`Human`] | asking somebody | theirs |
//! | [`Random`] | chance | none |
//! | [`Perfect`] | having solved the game | cannot be beaten; small games |
//! | [`PerfectFiller`] | solving what is left, with a book | cannot be beaten; games of filling |
//! | [`Negamax`] | alpha-beta search within a [`Budget`](crate::search::Budget) | grows with the budget |
//! | [`Fighter`] | threats and alpha-beta search within a budget | grows with the budget; games of completing lines |
//! | [`MonteCarlo`] | random games within a budget | grows with the budget; any game |
//!
//! The computers err as often as [they are told to](difficulty).

pub mod difficulty;
mod fighter;
mod human;
mod match_score;
mod monte_carlo;
mod negamax;
mod perfect;
mod perfect_filler;
mod play_game;
mod player;
mod random;

pub use fighter::Fighter;
pub use human::Human;
pub use match_score::{Elo, MatchScore};
pub use monte_carlo::MonteCarlo;
pub use negamax::Negamax;
pub use perfect::Perfect;
pub use perfect_filler::PerfectFiller;
pub use play_game::{
    GameEnd, GameRecord, GameResult, MOST_ILLEGAL_MOVES, WinStatus, legal_answer, play_game,
    play_turn,
};
pub use player::{Decision, Player, Turn};
pub use random::Random;
