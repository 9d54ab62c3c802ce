//! The library as its users see it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

mod documents;
mod games;
mod rules;
mod state_machine;
mod tic_tac_toe;
