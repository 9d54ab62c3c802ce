mod batch;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use open_ttt_app::clock;
use open_ttt_lib::catalog::{Analysis, DynGame, Verdict};
use open_ttt_lib::rules::{Named, Notation};
use open_ttt_lib::search::{Budget, StopFlag};
use serde::Serialize;

use super::{list, milliseconds, position, texts};
use crate::args::AnalyzeArgs;
use crate::failure::Failure;
use crate::interrupt;

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
        return batch::run(args, &stop);
    }
    let mut answer = Vec::new();
    let report = analyze(&args.game, &args.moves, args.time, &stop)?;
    write_report(&mut answer, args.json, &report)?;
    Ok(io::stdout().write_all(&answer)?)
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

/// Writes a report as one line.
fn write_report(
    output: &mut impl Write,
    json: bool,
    report: &AnalysisReport,
) -> Result<(), Failure> {
    if json {
        serde_json::to_writer(&mut *output, report)?;
        return Ok(writeln!(output)?);
    }
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
