//! The server, over real sockets.

mod connections;
mod harness;
mod matches;
mod nodes;
mod refusals;
mod stores;
