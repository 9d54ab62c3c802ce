use std::io::{self, Write};
use std::time::Instant;

use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_coach::GameValue;
use open_ttt_lib::rules::{Named, Notation};
use open_ttt_search::SolveError;
use serde::Serialize;

use super::{
    ValueReport, count, milliseconds, move_list, played, print_json, progress_bar, progress_style,
    threads,
};
use crate::args::{self, PositionArgs};
use crate::failure::Failure;
use crate::games;
use crate::interrupt;

/// Solve a position and show the result of each move
///
/// Works for small games and for those that can be solved backwards from the end.
/// For qubic (in minutes) and k in a row on up to 64 cells the result is who wins, not
/// how soon; large boards can take days or longer. Ctrl-C stops it.
#[derive(Debug, clap::Args)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// The output of `--json`; a stable format. Every result is for the side to move.
#[derive(Serialize)]
struct SolveReport {
    game: String,
    moves: String,
    to_move: &'static str,
    #[serde(flatten)]
    value: ValueReport,
    /// All legal moves, the best first.
    each: Vec<MoveReport>,
    positions: usize,
    threads: usize,
    ms: f64,
}

#[derive(Serialize)]
struct MoveReport {
    #[serde(rename = "move")]
    text: String,
    #[serde(flatten)]
    value: ValueReport,
}

pub(crate) fn run(args: &SolveArgs, catalog: &Catalog) -> Result<(), Failure> {
    let history = played(&args.position.game, &args.position.moves)?;
    let game = history.position();
    if !game.can_be_solved() {
        return Err(Failure::usage(format_args!(
            "{} is too large to solve{}",
            game.name(),
            advice(catalog),
        )));
    }
    let threads = threads(args.threads);
    let stop = interrupt::flag();
    let bar = progress_bar(
        1,
        "{wide_bar} {human_pos} of {human_len} positions, {eta} left",
    );
    let started = Instant::now();
    let solved = game.solve(threads, &stop, |progress| {
        match progress.positions {
            Some(positions) => bar.set_length(positions as u64),
            None => bar.set_style(progress_style(
                "{spinner} {human_pos} positions in {elapsed}",
            )),
        }
        bar.set_position(progress.solved as u64);
    });
    let reached = bar.position();
    bar.finish_and_clear();
    let ms = milliseconds(started.elapsed());
    let solved = match solved {
        Some(Ok(solved)) => solved,
        Some(Err(SolveError::Stopped)) => {
            return Err(Failure::failed(format_args!(
                "interrupted after {reached} positions; the game isn't solved"
            )));
        }
        Some(Err(error)) => return Err(Failure::failed(error)),
        None => return Err(Failure::failed("this game can't be solved")),
    };
    let to_move = game.side_name(solved.to_move);
    let (value, positions) = (ValueReport::new(solved.value), solved.positions);
    if args.json {
        let each = solved.moves.iter().map(|&(m, value)| MoveReport {
            text: game.move_text(m),
            value: ValueReport::new(value),
        });
        return print_json(&SolveReport {
            game: game.name(),
            moves: move_list(&history),
            to_move,
            value,
            each: each.collect(),
            positions,
            threads: threads.get(),
            ms,
        });
    }
    let mut output = io::stdout().lock();
    writeln!(output, "{}", value.sentence(to_move))?;
    // A solver that finds only the winner can leave moves undecided.
    let mut undecided = 0;
    for (m, value) in solved.moves {
        if value.result == GameValue::Unknown {
            undecided += 1;
            continue;
        }
        let result = ValueReport::new(value).sentence(to_move);
        writeln!(output, "{:<4} {result}", game.move_text(m))?;
    }
    if undecided > 0 {
        let moves = count(undecided, "move", "moves");
        writeln!(output, "{moves} undecided")?;
    }
    let seconds = ms / 1e3;
    Ok(writeln!(output, "{positions} positions in {seconds:.1} s")?)
}

/// The games that can be solved with their default parameters.
fn advice(catalog: &Catalog) -> String {
    match &*games::keys_where(catalog, DynGame::can_be_solved) {
        "" => String::new(),
        keys => format!("; try {keys}, or a smaller board"),
    }
}
