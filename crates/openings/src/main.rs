//! Proves the openings of Connect Four and writes the library's opening book: all
//! positions of the first few plies, and for each seat the later positions that
//! occur when that seat plays perfectly and the other one plays anything.
//!
//! It takes hours. Proved positions are appended to a file, and an interrupted run
//! resumes from it. Positions in the book are not proved again.

mod opening_prover;
mod proved_positions;

use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_lib::rules::Side;
use open_ttt_search::Prover;

use opening_prover::OpeningProver;
use proved_positions::ProvedPositions;

/// Prove the openings of Connect Four and write the library's opening book
#[derive(Debug, Parser)]
struct Args {
    /// The book to create or extend
    #[arg(long, value_name = "FILE")]
    book: PathBuf,
    /// The proved positions, kept from run to run: one per line, with its key and
    /// the number of plies to the end, negative if the side to move loses
    #[arg(long, value_name = "FILE")]
    proved: PathBuf,
    /// How many plies of the first player's repertoire to prove
    #[arg(long, value_name = "PLIES", default_value_t = 9)]
    first: u32,
    /// How many plies of the second player's repertoire to prove
    #[arg(long, value_name = "PLIES", default_value_t = 8)]
    second: u32,
    /// How many plies to prove for all moves of both sides
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    all: u32,
    /// Which seat to prove [default: both, then write the book]
    #[arg(long, value_name = "SEAT", value_parser = ["first", "second"])]
    seat: Option<String>,
    /// The maximum size of the provers' tables together, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    memory: usize,
    /// The number of threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let threads = args.threads.or_else(|| available_parallelism().ok());
    let threads = threads.unwrap_or(NonZero::<usize>::MIN);
    let bar = ProgressBar::new(0);
    let template = "{msg} {wide_bar} {pos}/{len} positions, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let mut prover = OpeningProver {
        prover: Prover::new(args.memory << 20).with_threads(threads),
        proved: ProvedPositions::open(&args.proved, &args.book)?,
        bar,
    };
    for (seat, side, plies) in [
        ("second", Side::Second, args.second),
        ("first", Side::First, args.first),
    ] {
        if args.seat.as_deref().is_none_or(|wanted| wanted == seat) {
            prover.prove_repertoire(side, plies)?;
        }
    }
    if args.seat.is_none() {
        prover.prove_all(args.all, args.memory << 20, threads)?;
        prover.proved.write_book(&args.book)?;
    }
    Ok(())
}
