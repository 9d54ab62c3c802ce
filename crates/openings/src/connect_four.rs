use std::io::{self, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Subcommand;
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::rules::{OpeningBook, Outcome, TwoPlayerGame};

use crate::opening_prover::{complete, prove};
use crate::positions;
use crate::proved_positions::ProvedPositions;

/// Prove the openings of Connect Four and write the library's opening book
///
/// All positions of the first plies. It takes hours, and goes on where it was stopped.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prove the positions that aren't proved yet, and write the book
    Prove {
        #[command(flatten)]
        files: Files,
        /// The maximum size of each thread's table, in MiB
        #[arg(long, value_name = "MIB", default_value_t = 64)]
        memory: usize,
        /// The number of threads [default: one for each core]
        #[arg(long, value_name = "N")]
        threads: Option<NonZero<usize>>,
    },
    /// List the positions of the book, to check them with another solver: the moves to
    /// each, and its value
    ///
    /// A win is the number of pieces that the winner has left after the last move, plus
    /// one; a loss is negative and a draw 0.
    List,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Files {
    /// The proved positions, kept from run to run: one per line, with its key and the
    /// number of plies to the end, negative if the side to move loses
    #[arg(long, value_name = "FILE")]
    proved: PathBuf,
    /// The book
    #[arg(long, value_name = "FILE")]
    book: PathBuf,
}

pub(crate) fn run(command: Command) -> io::Result<()> {
    match command {
        Command::Prove {
            files,
            memory,
            threads,
        } => {
            let threads = threads.or_else(|| available_parallelism().ok());
            let threads = threads.unwrap_or(NonZero::<usize>::MIN);
            let mut proved = ProvedPositions::open(&files.proved)?;
            prove(&mut proved, memory << 20, threads)?;
            complete(&mut proved);
            let positions = proved.write_book(&files.book)?;
            writeln!(io::stdout(), "The book has {positions} positions.")
        }
        Command::List => list(),
    }
}

fn list() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (game, moves) in positions::layers().iter().flatten() {
        let Some((outcome, plies)) = game.book_value() else {
            continue;
        };
        let value = value(game, outcome, plies);
        let written = writeln!(out, "{moves} {value}");
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    out.flush()
}

/// The value of a position from which best play leads to this outcome in so many plies,
/// in pieces of the winner.
fn value(game: &ConnectFour, outcome: Outcome, plies: u32) -> i32 {
    let played = game.plies() + plies;
    let left = 22 - played.div_ceil(2) as i32;
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(side) if side == game.to_move() => left,
        Outcome::Win(_) => -left,
    }
}
