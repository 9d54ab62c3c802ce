//! Tests of the program as a process, with arguments, standard input and output, and
//! an exit status.
#![expect(
    clippy::unwrap_used,
    reason = "a panic fails the test and has its location"
)]

mod admin;
mod analyze;
mod arena;
#[cfg(unix)]
mod arena_screen;
mod completions;
mod crash;
mod engine;
mod games;
mod help;
mod interrupt;
mod join;
#[cfg(unix)]
mod join_screen;
mod judge;
#[cfg(unix)]
mod kept_games;
mod load_generator;
mod menu;
mod networks;
mod new;
mod output;
mod pages;
mod perft;
mod play;
mod player;
mod program;
mod puzzle;
mod questions;
mod replay;
mod review;
mod scratch;
#[cfg(unix)]
mod settings;
mod solve;
mod store;
mod train;
#[cfg(unix)]
mod train_screen;
mod whole_games;
mod workers;
mod wrong_usage;
