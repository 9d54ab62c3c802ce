//! One file a command.

pub(crate) mod analyze;
pub(crate) mod arena;
pub(crate) mod games;
pub(crate) mod join;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod solve;
pub(crate) mod train;
pub(crate) mod work;

use std::io::{self, BufRead, Write};
use std::num::NonZero;
use std::thread;
use std::time::Duration;

use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_lib::rules::{Notation, play_text};
use serde::Serialize;

use crate::args::PositionArgs;
use crate::failure::Failure;

/// The position that was asked for, and the moves that lead to it.
fn position(args: &PositionArgs) -> Result<(DynGame, Vec<DynMove>), Failure> {
    position_after(&args.game, &args.moves)
}

/// The position after some written moves, and the moves.
fn position_after(start: &DynGame, moves: &str) -> Result<(DynGame, Vec<DynMove>), Failure> {
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

/// As many threads as were asked for, or one for each processor.
fn threads(asked: Option<u16>) -> NonZero<usize> {
    match asked {
        Some(threads) => NonZero::new(threads.into()),
        None => thread::available_parallelism().ok(),
    }
    .unwrap_or(NonZero::<usize>::MIN)
}

/// The longest line that is read, in bytes: far longer than any game.
const LONGEST_LINE: u64 = 16 * 1024;

/// A line that was read, and whether it can be one of the program's.
type Line = Result<String, Failure>;

/// The next line, with its end, if there is one.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    io::Read::take(&mut *input, LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(Failure::usage(format_args!(
            "it is longer than {LONGEST_LINE} bytes, and no game is"
        )))));
    }
    Ok(Some(
        String::from_utf8(line).map_err(|_| Failure::usage("it is not text in UTF-8")),
    ))
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
