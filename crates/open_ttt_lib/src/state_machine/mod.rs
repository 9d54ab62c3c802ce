//! Games as replicated state machines (feature `serde`).
//!
//! A [`StateMachine`] maps a state and a transition to the next state or to a
//! conflict. Replicas that start with the same state and apply the same
//! transitions in the same order reach the same state.
//!
//! | type | state machine |
//! |---|---|
//! | [`GameMachine`] | any game that has a name and a notation |
//! | [`tic_tac_toe::TicTacToe`] | tic-tac-toe with the names and the JSON of the design document |
//!
//! ```
//! use open_ttt_lib::games::Pegs;
//! use open_ttt_lib::state_machine::{GameConflict, GameMachine, StateMachine};
//!
//! let machine = GameMachine::<Pegs>::from_name("pegs(lines=38)")?;
//! let machine = machine.apply(&"A".into())?.apply(&"D".into())?;
//! assert_eq!(machine.apply(&"Z".into()), Err(GameConflict::NotAMove));
//!
//! let json = serde_json::to_string(&machine)?;
//! assert_eq!(json, r#"{"game":"pegs(lines=38)","moves":["A","D"]}"#);
//! assert_eq!(serde_json::from_str::<GameMachine<Pegs>>(&json)?, machine);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The state machine doesn't check who makes a transition. That is up to the
//! server that orders the transitions.

mod game_machine;
mod machine;
pub mod tic_tac_toe;

pub use game_machine::{
    GameConflict, GameMachine, GameMove, NotStartPosition, RestoreError, SavedGame,
};
pub use machine::StateMachine;
