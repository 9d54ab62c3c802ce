//! Exact scores by null-window searches, in reading order:
//!
//! 1. `prove`: the [`Prover`], which keeps the table from one proof to the next.
//! 2. `driver`: narrows the value of a position down by null-window searches.
//! 3. `null_window`: one such search.
//! 4. `table`: the values found, as bounds.

mod driver;
mod null_window;
mod prove;
mod table;

pub use prove::Prover;
