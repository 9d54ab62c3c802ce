//! A match as a state machine: two seats, a series of games, clocks and offers.
//!
//! [`MatchMachine`] works for any game that has a name and a notation. Its
//! [`Transition`]s are an [`Act`], the actor, and the server's time, so the machine
//! reads no clock, and the same transitions lead to the same match everywhere.
//!
//! ```
//! use open_ttt_lib::games::TicTacToe;
//! use open_ttt_lib::rules::FromName;
//! use open_ttt_lib::state_machine::StateMachine;
//! use open_ttt_net::matches::{Act, Actor, MatchMachine, Player, Seat, Settings, Transition};
//!
//! let mut state = MatchMachine::new(Settings::of_game("ttt"), TicTacToe::from_name)?;
//! let mut at = 1_700_000_000_000;
//! for (by, act) in [
//!     (Actor::Server, Act::Join { seat: Seat::A, player: Player::person("Ann") }),
//!     (Actor::Server, Act::Join { seat: Seat::B, player: Player::person("Bob") }),
//!     (Actor::Seat(Seat::A), Act::play("b2")),
//!     (Actor::Seat(Seat::B), Act::Resign),
//! ] {
//!     at += 1_000;
//!     state = state.apply(&Transition { at, by, act })?;
//! }
//! assert_eq!(state.score().wins, [1, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The machine neither authenticates players nor tracks connections: the server
//! does both before it applies a transition.

mod act;
mod clock;
mod conflict;
mod machine;
#[cfg(feature = "server")]
mod rolling_digest;
mod seat;
mod settings;
mod wire;

/// A match of a game chosen at run time.
pub type DynMatch = MatchMachine<open_ttt_catalog::DynGame>;

pub use act::{Act, Actor, Transition};
pub use clock::{Clock, MAX_LAG_MS};
pub use conflict::MatchConflict;
pub use machine::{CLAIM_MS, Ending, GameVerdict, MatchMachine, Score};
pub use seat::{MAX_NAME, Player, Seat};
pub use settings::{Settings, SettingsError, TimeControl};
pub use wire::{SavedMatch, SavedMatchError};

#[cfg(feature = "server")]
pub(crate) use rolling_digest::RollingDigest;
