//! The server over real sockets.

mod admin;
mod clocks;
#[cfg(all(feature = "conformance", feature = "nats"))]
mod cluster;
mod connections;
mod damage;
pub(crate) mod harness;
mod limits;
mod lobby;
mod long_matches;
mod matches;
mod names;
pub(crate) mod nodes;
mod pairing;
mod players;
mod proposals;
mod refusals;
mod stores;
