//! The client: first without a socket, against a server of a few lines.

mod connection;
mod link;
mod mini_server;
mod page;
mod session;
