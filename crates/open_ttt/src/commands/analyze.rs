use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use open_ttt_app::clock;
use open_ttt_lib::catalog::{Analysis, DynGame, Verdict};
use open_ttt_lib::rules::{Named, Notation};
use open_ttt_lib::search::{Budget, StopFlag};
use serde::Serialize;

use super::{count, list, milliseconds, position, print_json, texts};
use crate::args::AnalyzeArgs;
use crate::failure::Failure;
use crate::interrupt;

/// The longest line of a batch that is read, in bytes: far longer than any
/// game.
const LONGEST_LINE: u64 = 16 * 1024;

/// How many lines of a batch are read before they are wanted.
const READ_AHEAD: usize = 64;

/// How often a batch that waits for a line looks whether it is interrupted.
const TICK: Duration = Duration::from_millis(100);

/// What `--json` prints; a stable format.
#[derive(Serialize)]
struct AnalysisReport {
    game: String,
    moves: String,
    to_move: &'static str,
    result: &'static str,
    plies: Option<u32>,
    margin: Option<i32>,
    best: Vec<String>,
    pv: Vec<String>,
    exact: bool,
    nodes: u64,
    ms: f64,
}

pub(crate) fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let stop = interrupt::flag();
    if args.batch {
        return batch(args, &stop);
    }
    let report = analyze(&args.game, &args.moves, args.time, &stop)?;
    print(args, &report)
}

/// Answers each line of standard input; one that is no position is reported
/// and the others go on.
fn batch(args: &AnalyzeArgs, stop: &StopFlag) -> Result<(), Failure> {
    let lines = lines_of_stdin();
    let (mut answered, mut wrong) = (0_u32, 0_u32);
    loop {
        if stop.is_raised() {
            return Err(Failure::failed(format_args!(
                "interrupted after {}",
                count(answered, "position", "positions")
            )));
        }
        let line = match lines.recv_timeout(TICK) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let analyzed = line.and_then(|moves| analyze(&args.game, &moves, args.time, stop));
        match analyzed {
            Ok(report) => {
                answered += 1;
                print(args, &report)?;
            }
            Err(failure) => {
                wrong += 1;
                let number = answered + wrong;
                Failure::failed(format_args!("line {number}: {}", failure.message)).tell();
            }
        }
    }
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::failed("1 line was no position")),
        _ => Err(Failure::failed(format_args!(
            "{wrong} lines were no positions"
        ))),
    }
}

/// A line that was read, and whether it can be a list of moves.
type Line = Result<String, Failure>;

/// The lines of standard input. They are read on a thread of their own, so
/// that Ctrl-C is heard while none comes.
fn lines_of_stdin() -> Receiver<io::Result<Line>> {
    let (sender, lines) = sync_channel(READ_AHEAD);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(line) = read_line(&mut input).transpose() {
            let failed = line.is_err();
            if sender.send(line).is_err() || failed {
                break;
            }
        }
    });
    lines
}

/// The next line, if there is one.
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

fn analyze(
    start: &DynGame,
    moves: &str,
    time: Duration,
    stop: &StopFlag,
) -> Result<AnalysisReport, Failure> {
    let (game, moves) = position(start, moves)?;
    let since = Instant::now();
    let analysis: Analysis = game.analyze(&Budget::time(time, clock()), stop);
    let ms = milliseconds(since.elapsed());
    Ok(AnalysisReport {
        game: start.name(),
        moves: list(&texts(&game, &moves)),
        to_move: game.side_name(analysis.to_move),
        result: match analysis.verdict {
            Verdict::Win => "win",
            Verdict::Draw => "draw",
            Verdict::Loss => "loss",
            Verdict::Unknown => "unknown",
        },
        plies: analysis.plies,
        margin: analysis.margin,
        best: texts(&game, &analysis.best),
        pv: texts(&game, &analysis.line),
        exact: analysis.exact,
        nodes: analysis.nodes,
        ms,
    })
}

fn print(args: &AnalyzeArgs, report: &AnalysisReport) -> Result<(), Failure> {
    if args.json {
        return print_json(report);
    }
    let mut output = io::stdout().lock();
    let to_move = report.to_move;
    let plies = report.plies.unwrap_or_default();
    let moves = if plies == 1 { "move" } else { "moves" };
    let points = match report.margin {
        Some(margin) if margin != 0 => format!(" by {}", margin.abs()),
        _ => String::new(),
    };
    match (report.result, plies) {
        ("win", 0) => write!(output, "{to_move} has won{points}")?,
        ("loss", 0) => write!(output, "{to_move} has lost{points}")?,
        ("draw", 0) => write!(output, "the game is drawn")?,
        ("win", _) => write!(output, "{to_move} wins{points} in {plies} {moves}")?,
        ("loss", _) => write!(output, "{to_move} loses{points} in {plies} {moves}")?,
        ("draw", _) => write!(output, "{to_move} draws in {plies} {moves}")?,
        _ => write!(output, "{to_move} to move, not proved")?,
    }
    if !report.best.is_empty() {
        let guess = if report.exact { "best" } else { "perhaps" };
        write!(output, "; {guess}: {}", report.best.join(" "))?;
        write!(output, "; line: {}", list(&report.pv))?;
    }
    writeln!(output)?;
    Ok(())
}
