//! The library as an application sees it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tic_tac_toe;
