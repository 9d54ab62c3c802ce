//! One module a command: its arguments and what it does.

pub(crate) mod admin;
pub(crate) mod analyze;
pub(crate) mod arena;
pub(crate) mod completions;
pub(crate) mod games;
pub(crate) mod join;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod player;
pub(crate) mod puzzle;
mod records;
pub(crate) mod replay;
pub(crate) mod review;
mod self_play;
pub(crate) mod serve;
pub(crate) mod solve;
pub(crate) mod store;
pub(crate) mod train;
mod values;
pub(crate) mod work;

use std::io::{self, BufRead, Write};
use std::num::NonZero;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_app::{InputLine, solved_clause};
use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_coach::{GameValue, SolvedValue};
use open_ttt_lib::rules::{History, Notation};
use serde::{Serialize, Serializer};

use crate::failure::Failure;

/// The game after the moves in a text.
fn played(start: &DynGame, moves: &str) -> Result<History<DynGame>, Failure> {
    let mut game = History::new(start.clone());
    game.play_text(moves).map_err(Failure::usage)?;
    Ok(game)
}

fn move_texts(game: &DynGame, moves: &[DynMove]) -> Vec<String> {
    moves.iter().map(|&m| game.move_text(m)).collect()
}

/// Successive moves from a position, each in the notation of its position.
fn line_texts(start: &DynGame, moves: &[DynMove]) -> Vec<String> {
    let mut line = History::new(start.clone());
    for &m in moves {
        line.play_unchecked(m);
    }
    line.move_texts()
}

/// The moves of a game as an argument of the program.
fn move_list(game: &History<DynGame>) -> String {
    join_moves(&game.move_texts())
}

/// Moves as an argument of the program: without spaces if each is a single
/// character.
fn join_moves(texts: &[String]) -> String {
    let is_short = texts.iter().all(|text| text.chars().count() == 1);
    texts.join(if is_short { "" } else { " " })
}

/// A number with its noun: `1 win`, `2 wins`.
fn count(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The value of a position for the side to move, in `--json` a stable format.
#[derive(Clone, Copy, Default, Serialize)]
struct ValueReport {
    #[serde(serialize_with = "serialize_result")]
    result: GameValue,
    /// The moves to the end of the game.
    plies: Option<u32>,
    margin: Option<i32>,
}

fn serialize_result<S: Serializer>(result: &GameValue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(result.as_str())
}

impl ValueReport {
    fn new(value: SolvedValue) -> Self {
        Self {
            result: value.result,
            plies: value.plies,
            margin: value.margin,
        }
    }

    /// The result under best play: `X wins in 5`, `Red loses by 2`, `O draws`, `X has
    /// won`.
    fn sentence(self, to_move: &str) -> String {
        match (self.result, self.plies) {
            (GameValue::Draw, Some(0)) => "the game is drawn".to_owned(),
            (GameValue::Unknown, _) => "unknown".to_owned(),
            _ => {
                let mut value = SolvedValue::only(self.result).with_plies(self.plies);
                value.margin = self.margin;
                format!("{to_move} {}", solved_clause(value))
            }
        }
    }
}

/// The number of threads in the arguments; by default all cores.
fn threads(wanted: Option<u16>) -> NonZero<usize> {
    match wanted {
        Some(threads) => NonZero::new(threads.into()),
        None => thread::available_parallelism().ok(),
    }
    .unwrap_or(NonZero::<usize>::MIN)
}

/// Reads the next line of at most so many bytes, if any. The inner error is a line that
/// is longer or not text.
fn read_line(
    input: &mut impl BufRead,
    max_bytes: usize,
) -> io::Result<Option<Result<String, Failure>>> {
    Ok(match InputLine::read(input, max_bytes)? {
        InputLine::Text(text) => Some(Ok(text)),
        InputLine::TooLong => Some(Err(Failure::usage(format_args!(
            "the line is longer than {max_bytes} bytes"
        )))),
        InputLine::NotUtf8 => Some(Err(Failure::usage("the line isn't valid UTF-8"))),
        InputLine::EndOfInput => None,
    })
}

/// A bar on standard error, hidden unless that is a terminal.
fn progress_bar(length: u64, template: &str) -> ProgressBar {
    ProgressBar::new(length).with_style(progress_style(template))
}

fn progress_style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Milliseconds, rounded to microseconds.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// The time, in milliseconds since 1970.
fn now_ms() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    elapsed.unwrap_or_default().as_millis() as u64
}

/// How long ago this was, roughly: `5 min ago`.
fn ago(at: u64) -> String {
    let minutes = now_ms().saturating_sub(at) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..2_880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1_440),
    }
}

/// Prints one JSON object on a line of its own.
fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    write_json(&mut io::stdout().lock(), object)
}

fn write_json(output: &mut impl Write, object: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *output, object)?;
    Ok(writeln!(output)?)
}
