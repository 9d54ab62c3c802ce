//! Tests of the client: without sockets against a minimal server, and over sockets.

mod connection;
mod link;
mod mini_server;
mod pairing;
mod protocol_docs;
#[cfg(feature = "schema")]
mod schema;
mod session;
