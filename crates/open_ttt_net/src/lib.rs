#![doc = include_str!("../README.md")]

#[cfg(feature = "answers")]
pub mod answers;
#[cfg(feature = "client")]
pub mod client;
#[cfg(any(feature = "server", feature = "sqlite"))]
mod file_lock;
mod fnv;
mod id;
#[cfg(feature = "server")]
mod json;
#[cfg(feature = "log")]
mod lock;
#[cfg(feature = "log")]
pub mod log;
pub mod matches;
pub mod protocol;
pub mod replication;
#[cfg(feature = "server")]
pub mod server;
mod text_form;

pub use id::{ClientId, MatchId, ParseIdError};
