//! The crate as its users see it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "conformance")]
mod log;
mod outside;
mod replication;
#[cfg(all(feature = "server", feature = "client"))]
mod server;
mod simulation;
