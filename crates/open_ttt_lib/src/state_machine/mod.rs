//! Games as replicated state machines (feature `serde`).
//!
//! A [`StateMachine`] turns a state and a transition into the next state, or
//! into a conflict that says why not. Replicas that begin with the same state
//! and apply the same transitions in the same order are in the same state,
//! whoever made the transitions and wherever the replicas are.
//!
//! | type | is |
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
//! Who may make a transition is not the machine's business: whoever orders the
//! transitions looks at the seats as well.

mod game_machine;
mod machine;
pub mod tic_tac_toe;

pub use game_machine::{GameConflict, GameMachine, GameMove, NotStartPosition};
pub use machine::StateMachine;
