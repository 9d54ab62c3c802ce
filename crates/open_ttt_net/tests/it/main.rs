//! Integration tests of the public API.
#![expect(
    clippy::unwrap_used,
    reason = "a panic fails the test at the right line"
)]

#[cfg(feature = "server")]
mod answers;
mod boards;
#[cfg(feature = "server")]
mod browser;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "server")]
mod deployment;
#[cfg(all(feature = "server", feature = "client"))]
mod endless;
mod games;
#[cfg(feature = "server")]
mod http;
#[cfg(feature = "conformance")]
mod log;
mod matches;
#[cfg(feature = "server")]
mod module;
#[cfg(feature = "server")]
mod page;
mod replication;
#[cfg(all(feature = "server", feature = "client"))]
mod server;
mod simulation;
#[cfg(feature = "server")]
mod test_server;
mod turns;
mod untrusted_input;
#[cfg(any(feature = "nats", feature = "server"))]
mod waiting;
