//! A match as a state machine: two seats, a series of games, clocks, offers.
//!
//! [`MatchMachine`] is the whole of it, over any game that has a name and a
//! notation. What happens in it is a [`Transition`]: an [`Act`], by whom, and
//! at what time. The time is the server's, so the machine needs no clock, and
//! everybody who applies the same transitions has the same match.
//!
//! ```
//! use open_ttt_lib::games::TicTacToe;
//! use open_ttt_lib::state_machine::StateMachine;
//! use open_ttt_net::matches::{Act, Actor, MatchMachine, Player, Seat, Settings, Transition};
//!
//! let mut table = MatchMachine::<TicTacToe>::new(Settings::of_game("ttt"))?;
//! let mut at = 1_700_000_000_000;
//! for (by, act) in [
//!     (Actor::Server, Act::Join { seat: Seat::A, player: Player::person("Ann") }),
//!     (Actor::Server, Act::Join { seat: Seat::B, player: Player::person("Bob") }),
//!     (Actor::Seat(Seat::A), Act::play("b2")),
//!     (Actor::Seat(Seat::B), Act::Resign),
//! ] {
//!     at += 1_000;
//!     table = table.apply(&Transition { at, by, act })?;
//! }
//! assert_eq!(table.score().wins, [1, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Who may speak for a seat is not the machine's business, nor is whether
//! somebody is there: its host looks at tokens and connections first.

mod act;
mod clock;
mod conflict;
mod machine;
mod seat;
mod settings;
mod wire;

/// A match of any game of the catalog.
pub type DynMatch = MatchMachine<open_ttt_catalog::DynGame>;

pub use act::{Act, Actor, Transition};
pub use clock::{Clock, MAX_LAG_MS};
pub use conflict::MatchConflict;
pub use machine::{CLAIM_MS, Ending, GameVerdict, MatchMachine, Score};
pub use seat::{MAX_NAME, Player, Seat};
pub use settings::{Settings, SettingsError, TimeControl};
