//! The crate as its users see it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

#[cfg(feature = "server")]
mod browser;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "server")]
mod http;
#[cfg(feature = "conformance")]
mod log;
mod matches;
mod outside;
#[cfg(feature = "server")]
mod page;
mod replication;
#[cfg(all(feature = "server", feature = "client"))]
mod server;
mod simulation;
#[cfg(feature = "server")]
mod test_server;
#[cfg(any(feature = "nats", feature = "server"))]
mod waiting;
