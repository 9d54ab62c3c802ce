//! Load generator for the match server: measures its throughput ([`measure`]) and
//! the cost of idle connections ([`idle`]), kills it repeatedly to check that no
//! acknowledged change is lost ([`crash`]), and attacks it while honest players play
//! ([`attack`]).
#![expect(
    clippy::missing_errors_doc,
    reason = "each error is a message that says it"
)]

pub mod attack;
pub mod crash;
pub mod idle;
pub mod measure;

mod connection;
mod match_player;
mod process;
mod progress;
mod server_process;
mod source;

pub use process::{Usage, usage};
pub use server_process::{Limits, ServerProcess};
