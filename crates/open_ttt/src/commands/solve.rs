use std::io::{self, Write};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_catalog::{Solved, Verdict, Worth};
use open_ttt_lib::rules::{Named, Notation};
use open_ttt_search::Unsolved;
use serde::Serialize;

use super::{count, list, milliseconds, position, print_json, texts, threads};
use crate::args::{self, PositionArgs};
use crate::failure::Failure;
use crate::interrupt;

/// Solve a game outright: what it is worth, and each of its moves
///
/// Nothing is guessed, so only games that are small, or can be solved layer by
/// layer from their end, are solved. For qubic, in minutes, and for k in a row on
/// up to 64 cells it is found out who wins, not how soon; on some boards nobody has
/// waited for the end. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How many threads work on it; one for each processor if nothing is said
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `--json` prints; a stable format. Every worth is told for the side to
/// move.
#[derive(Serialize)]
struct SolveReport {
    game: String,
    moves: String,
    to_move: &'static str,
    #[serde(flatten)]
    worth: WorthReport,
    /// Every move that can be made, the best first.
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
    worth: WorthReport,
}

#[derive(Serialize)]
struct WorthReport {
    result: &'static str,
    plies: Option<u32>,
    margin: Option<i32>,
}

pub(crate) fn run(args: &SolveArgs) -> Result<(), Failure> {
    let (game, moves) = position(&args.position)?;
    if !game.can_be_solved() {
        return Err(Failure::usage(format_args!(
            "{} is too large to be solved outright; {} are not, nor are small boards such \
             as 'mnk(m=4,n=3,k=3)'",
            args.position.game.name(),
            solvable(),
        )));
    }
    let threads = threads(args.threads);
    let stop = interrupt::flag();
    let bar = progress_bar();
    let since = Instant::now();
    let solved = game.solve(threads, &stop, |progress| {
        match progress.positions {
            Some(positions) => bar.set_length(positions as u64),
            None => bar.set_style(counter()),
        }
        bar.set_position(progress.solved as u64);
    });
    let reached = bar.position();
    bar.finish_and_clear();
    let ms = milliseconds(since.elapsed());
    let solved = match solved {
        Some(Ok(solved)) => solved,
        Some(Err(Unsolved::Stopped)) => {
            return Err(Failure::failed(format_args!(
                "interrupted before the game was solved, after {reached} positions"
            )));
        }
        Some(Err(error @ Unsolved::TooLarge(_))) => return Err(Failure::failed(error)),
        None => return Err(Failure::failed("there is no way to solve this game")),
    };
    let to_move = game.side_name(solved.to_move);
    let Solved {
        worth, positions, ..
    } = solved;
    if args.json {
        return print_json(&SolveReport {
            game: args.position.game.name(),
            moves: list(&texts(&game, &moves)),
            to_move,
            worth: report(worth),
            each: solved
                .moves
                .iter()
                .map(|&(m, worth)| MoveReport {
                    text: game.move_text(m),
                    worth: report(worth),
                })
                .collect(),
            positions,
            threads: threads.get(),
            ms,
        });
    }
    let mut output = io::stdout().lock();
    writeln!(output, "{}", sentence(to_move, worth))?;
    // Where only who wins was found out, some moves may be left open.
    let unknown = |(_, worth): &&(_, Worth)| worth.verdict == Verdict::Unknown;
    for &(m, worth) in solved.moves.iter().filter(|m| !unknown(m)) {
        let m = game.move_text(m);
        writeln!(output, "{m:<4} {}", sentence(to_move, worth))?;
    }
    let left = solved.moves.iter().filter(unknown).count() as u32;
    if left > 0 {
        writeln!(output, "{} not decided", count(left, "move", "moves"))?;
    }
    let seconds = ms / 1e3;
    writeln!(output, "{positions} positions in {seconds:.1} s")?;
    Ok(())
}

/// The games that can be solved without parameters.
fn solvable() -> String {
    let keys = open_ttt_catalog::games().iter().map(|entry| entry.key);
    let keys: Vec<_> = keys
        .filter(|key| open_ttt_catalog::game(key).is_ok_and(|game| game.can_be_solved()))
        .collect();
    match keys.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn report(worth: Worth) -> WorthReport {
    WorthReport {
        result: match worth.verdict {
            Verdict::Win => "win",
            Verdict::Draw => "draw",
            Verdict::Loss => "loss",
            Verdict::Unknown => "unknown",
        },
        plies: worth.plies,
        margin: worth.margin,
    }
}

fn sentence(to_move: &str, worth: Worth) -> String {
    let by = match (worth.margin, worth.plies) {
        (Some(margin), _) if margin != 0 => format!(" by {}", margin.abs()),
        (_, Some(plies)) => format!(" in {}", count(plies, "move", "moves")),
        _ => String::new(),
    };
    match worth.verdict {
        Verdict::Win => format!("{to_move} wins{by}"),
        Verdict::Draw => format!("{to_move} draws"),
        Verdict::Loss => format!("{to_move} loses{by}"),
        Verdict::Unknown => "unknown".to_owned(),
    }
}

/// A bar on standard error; nothing where that is no terminal.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(1);
    bar.set_style(style(
        "{wide_bar} {human_pos} of {human_len} positions, {eta} left",
    ));
    bar
}

/// What is shown where nobody knows how much there is to do.
fn counter() -> ProgressStyle {
    style("{spinner} {human_pos} positions in {elapsed}")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
