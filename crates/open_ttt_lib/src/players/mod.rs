//! Who plays: the [`Player`] trait, a player for every way of choosing a move,
//! [`play_game`] for two of them, and [`Match`] for many games between two.
//!
//! | player | chooses by | strength |
//! |---|---|---|
//! | [`Human`] | asking somebody | theirs |
//! | [`Random`] | chance | none |
//! | [`Perfect`] | having solved the game | cannot be beaten; small games |
//! | [`PerfectFiller`] | solving what is left, with a book | cannot be beaten; games of filling |
//! | [`PerfectProver`] | proving its moves, with a book | cannot be beaten; games with tactics |
//! | [`Negamax`] | alpha-beta search within a [`Budget`](crate::search::Budget) | grows with the budget |
//! | [`Fighter`] | threats and alpha-beta search within a budget | grows with the budget; games of completing lines |
//! | [`MonteCarlo`] | tree search by random games within a budget | grows with the budget; any game |
//! | [`Learned`] | a policy and values it is given, made better by tree search | that of what it was given, and more; any game |
//!
//! A [`NetworkGuide`] is a network that [`Learned`] can be given.
//!
//! The computers err as often as [they are told to](difficulty).
//!
//! A match is played by threads, with openings, until enough is known
//! ([`Sprt`]), and its games can be kept as lines of text ([`TextRecord`]).

mod arena;
pub mod difficulty;
mod fighter;
mod human;
mod learned;
mod match_score;
mod monte_carlo;
mod negamax;
mod network_guide;
mod openings;
mod pair_score;
mod perfect;
mod perfect_filler;
mod perfect_prover;
mod play_game;
mod player;
mod random;
mod sprt;
mod standing;
mod text_record;

pub use arena::{Contender, Contestant, MakePlayer, Match, MatchEnd, MatchGame, MatchReport};
pub use fighter::Fighter;
pub use human::Human;
pub use learned::Learned;
pub use match_score::{Elo, MatchScore};
pub use monte_carlo::{MONTE_CARLO_ITERATIONS, MonteCarlo};
pub use negamax::Negamax;
pub use network_guide::NetworkGuide;
pub use openings::Openings;
pub use pair_score::PairScore;
pub use perfect::Perfect;
pub use perfect_filler::PerfectFiller;
pub use perfect_prover::PerfectProver;
pub use play_game::{
    GameEnd, GameRecord, GameResult, MOST_ILLEGAL_MOVES, WinStatus, legal_answer, play_game,
    play_turn,
};
pub use player::{Decision, Player, Turn};
pub use random::Random;
pub use sprt::{Hypothesis, Sprt, SprtError};
pub use standing::Standing;
pub use text_record::{Ending, ReplayError, TextRecord, TextRecordError};
