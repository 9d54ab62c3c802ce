//! Load generator for the match server: measures its throughput ([`measure`]) and
//! the cost of idle connections ([`idle`]), and kills it repeatedly to check that no
//! acknowledged change is lost ([`crash`]).
#![expect(
    clippy::missing_errors_doc,
    reason = "each error is a message that says it"
)]

pub mod crash;
pub mod idle;
pub mod measure;

mod connection;
mod match_player;
mod process;
mod server_process;

pub use process::{Usage, usage};
pub use server_process::ServerProcess;
