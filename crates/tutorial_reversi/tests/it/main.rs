//! The tutorial's game in the tutorial's program.
#![expect(
    clippy::unwrap_used,
    reason = "a panic fails the test and has its location"
)]

#[path = "../../src/game.rs"]
mod game;
mod network;
mod page;
mod program;
mod rules;
