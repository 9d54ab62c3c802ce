#![doc = include_str!("../README.md")]

mod arena;
pub mod difficulty;
mod fallible_player;
mod gumbel_player;
mod human;
mod level;
mod line_player;
mod match_score;
mod match_statistics;
mod monte_carlo;
mod negamax;
mod network_model;
mod openings;
mod overlooking;
mod pentanomial_score;
mod perfect;
mod perfect_book;
mod perfect_prover;
mod perfect_retrograde;
mod play_game;
mod player;
mod random;
mod skill;
mod sprt;
mod text_record;

pub use arena::{
    Match, MatchEnd, MatchGame, MatchReport, Participant, ParticipantId, PlayerFactory,
};
pub use fallible_player::FalliblePlayer;
pub use gumbel_player::GumbelPlayer;
pub use human::Human;
pub use level::{InvalidStrength, Level, LevelSkills, Strength};
pub use line_player::LinePlayer;
pub use match_score::{Elo, MatchScore};
pub use match_statistics::MatchStatistics;
pub use monte_carlo::{MONTE_CARLO_ITERATIONS, MonteCarlo};
pub use negamax::Negamax;
pub use network_model::NetworkModel;
pub use openings::Openings;
pub use pentanomial_score::PentanomialScore;
pub use perfect::Perfect;
pub use perfect_book::PerfectBook;
pub use perfect_prover::PerfectProver;
pub use perfect_retrograde::PerfectRetrograde;
pub use play_game::{
    GameEnd, GameRecord, GameResult, MAX_ILLEGAL_MOVES, WinStatus, play_game, play_turn,
    request_move,
};
pub use player::{Decision, Player, Turn};
pub use random::Random;
pub use skill::Skill;
pub use sprt::{Hypothesis, Sprt, SprtError};
pub use text_record::{ReplayError, Termination, TextRecord, TextRecordError};
