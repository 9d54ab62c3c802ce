//! One file a command.

pub(crate) mod analyze;
pub(crate) mod arena;
pub(crate) mod games;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod solve;

use std::io::{self, Write};
use std::time::Duration;

use open_ttt_lib::catalog::{DynGame, DynMove};
use open_ttt_lib::rules::{Notation, play_text};
use serde::Serialize;

use crate::failure::Failure;

/// The position after some written moves, and the moves.
fn position(start: &DynGame, moves: &str) -> Result<(DynGame, Vec<DynMove>), Failure> {
    let mut game = start.clone();
    let moves = play_text(&mut game, moves).map_err(Failure::usage)?;
    Ok((game, moves))
}

fn texts(game: &DynGame, moves: &[DynMove]) -> Vec<String> {
    moves.iter().map(|&m| game.move_text(m)).collect()
}

/// A list of moves as it may be given to the program again.
fn list(texts: &[String]) -> String {
    if texts.iter().all(|text| text.chars().count() == 1) {
        texts.concat()
    } else {
        texts.join(" ")
    }
}

/// A number of things in words: `1 win`, `2 wins`.
fn count(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Milliseconds, to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Prints one JSON object on a line of its own.
fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, object)?;
    writeln!(output)?;
    Ok(())
}
