//! The client: first without a socket, against a server of a few lines.

mod connection;
mod desk;
mod link;
mod page;
mod session;
