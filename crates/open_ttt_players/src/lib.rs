#![doc = include_str!("../README.md")]

mod arena;
pub mod difficulty;
mod human;
mod learned;
mod line_player;
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
pub use human::Human;
pub use learned::Learned;
pub use line_player::LinePlayer;
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
