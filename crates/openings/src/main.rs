//! Proves what the openings of Connect Four are worth and makes the library's
//! book of them: the first few plies whatever both play, and for each seat the
//! positions that come about later when that seat plays perfectly and the other
//! one anything.
//!
//! It takes hours. What is proved is kept in a file as it comes, and a run
//! that was broken off goes on from there; what is in the book already is not
//! proved again.

mod proved;
mod repertoire;

use std::io;
use std::num::NonZero;
use std::path::PathBuf;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::rules::Side;
use open_ttt_search::Prover;

use proved::Proved;

/// Prove the openings of Connect Four and make the library's book of them
#[derive(Debug, Parser)]
struct Args {
    /// The book to make, or to add to
    #[arg(long, value_name = "FILE")]
    book: PathBuf,
    /// What is proved, kept from run to run: a line with key and plies to the
    /// end for each position, the plies negative where the side to move loses
    #[arg(long, value_name = "FILE")]
    proved: PathBuf,
    /// How many moves the first player knows the answers to
    #[arg(long, value_name = "PLIES", default_value_t = 9)]
    first: u32,
    /// How many moves the second player knows the answers to
    #[arg(long, value_name = "PLIES", default_value_t = 8)]
    second: u32,
    /// How many moves are known whatever both sides play
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    all: u32,
    /// Which seat to prove; both, and then the book, if nothing is said
    #[arg(long, value_name = "SEAT", value_parser = seat)]
    seat: Option<Side>,
    /// How much memory the prover's table may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    memory: usize,
    /// On how many threads to prove
    #[arg(long, value_name = "N", default_value_t = NonZero::<usize>::MIN)]
    threads: NonZero<usize>,
}

fn seat(text: &str) -> Result<Side, String> {
    match text {
        "first" => Ok(Side::First),
        "second" => Ok(Side::Second),
        _ => Err("a seat is first or second".to_owned()),
    }
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let mut proved = Proved::open(&args.proved, &args.book)?;
    let mut prover = Prover::new(args.memory << 20).with_threads(args.threads);
    for (side, plies) in [(Side::Second, args.second), (Side::First, args.first)] {
        if args.seat.is_some_and(|seat| seat != side) {
            continue;
        }
        let bar = progress_bar();
        repertoire::prove(
            &ConnectFour::new(),
            side,
            plies,
            &mut prover,
            &mut proved,
            &bar,
        )?;
        bar.finish();
    }
    if args.seat.is_none() {
        let bar = progress_bar();
        repertoire::prove_all(
            &ConnectFour::new(),
            args.all,
            &mut prover,
            &mut proved,
            &bar,
        )?;
        bar.finish();
        proved.write_book(&args.book)?;
    }
    Ok(())
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    let template = "{msg} {wide_bar} {pos}/{len} positions, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
