//! Exact scores by null-window searches and a transposition table.

mod prove;
mod question;
mod table;

pub use prove::Prover;
