use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use open_ttt_lib::games::Qubic;
use open_ttt_lib::rules::{CompactKey, Notation, Symmetry, TwoPlayerGame, play_text};
use open_ttt_search::{ProofNumberSearch, SolutionTree, StopFlag};

use crate::progress_bar;
use crate::solved_positions::{SolvedPositions, write_book};

/// Prove that X wins qubic and write the library's solution book
///
/// X begins in a corner. Each reply up to symmetry is proved to lose; then smaller
/// solutions are looked for. It takes a quarter of an hour of one core.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book to write
    #[arg(long, value_name = "FILE")]
    book: PathBuf,
    /// The solved positions, kept from run to run
    #[arg(long, value_name = "FILE")]
    solved: PathBuf,
    /// How many positions to search for a smaller solution of each
    #[arg(long, value_name = "N", default_value_t = 100)]
    effort: u32,
    /// The maximum size of the prover's table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: usize,
}

/// X's first move: a corner.
const FIRST: &str = "1a1";

pub(crate) fn run(args: &Args) -> io::Result<()> {
    let start = Qubic::new();
    let first = start.parse_move(FIRST).map_err(io::Error::other)?;
    let mut tree = SolutionTree::new(start).ok_or_else(|| io::Error::other("too large"))?;
    let (mut solved, earlier) = SolvedPositions::open(&args.solved)?;
    let mut known = HashSet::new();
    for (game, m) in earlier {
        tree.set_move(&game, m);
        known.insert(game.canonical().key());
    }
    let mut proofs = ProofNumberSearch::new(args.memory << 20);
    let never = StopFlag::new();
    let bar = progress_bar("{msg} {wide_bar} {pos}/{len} positions, {elapsed}");
    let replies = replies()?;
    for (number, game) in (1..).zip(&replies) {
        let reply = format!("reply {number} of {}", replies.len());
        bar.set_message(format!("{reply}, proof"));
        let progress = |positions| bar.set_position(positions as u64);
        if tree.solve(game, &mut proofs, &never, progress) != Some(true) {
            return Err(io::Error::other(format!("{reply} isn't proved to lose")));
        }
        if known.insert(game.canonical().key()) {
            solved.append(&tree.moves_from(game))?;
        }
    }
    tree.set_move(&start, first);
    if tree.solve(&start, &mut proofs, &never, |_| {}) != Some(true) {
        return Err(io::Error::other("the solution is incomplete"));
    }
    bar.set_message(format!("reduction from {}", tree.moves().len()));
    tree.reduce(&start, args.effort, &never, |done, positions| {
        bar.set_length(positions as u64);
        bar.set_position(done as u64);
    });
    let moves = tree.moves();
    bar.finish_with_message(format!("{} positions", moves.len()));
    write_book(&args.book, &moves)
}

/// The positions after O's first moves, without symmetric duplicates.
fn replies() -> io::Result<Vec<Qubic>> {
    let mut game = Qubic::new();
    play_text(&mut game, FIRST).map_err(io::Error::other)?;
    let mut keys = HashSet::new();
    let replies = game.moves().map(|m| game.after(m));
    Ok(replies
        .filter(|game| keys.insert(game.canonical().key()))
        .collect())
}
