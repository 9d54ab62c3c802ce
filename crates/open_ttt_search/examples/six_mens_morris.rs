//! Solves six men's morris: every position that can be reached, up to symmetry.
//!
//! `cargo run --release -p open_ttt_search --example six_mens_morris`
//!
//! There are 2,660,288 of them, and every opening is a draw.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeMap;

use open_ttt_lib::games::{Morris, MorrisMove};
use open_ttt_lib::rules::{Outcome, Repetition, Side, Symmetry, TwoPlayerGame};
use open_ttt_search::{SolveError, StopFlag, WinLoss, solve};

/// A position that stands for all its images.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Reduced(Morris);

impl TwoPlayerGame for Reduced {
    type Move = MorrisMove;
    const ALTERNATES: bool = Morris::ALTERNATES;

    fn to_move(&self) -> Side {
        self.0.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = MorrisMove> {
        self.0.moves()
    }

    fn repetition(&self) -> Option<Repetition> {
        self.0.repetition()
    }

    fn play_unchecked(&mut self, m: MorrisMove) {
        self.0.play_unchecked(m);
        self.0 = self.0.canonical();
    }
}

fn main() -> Result<(), SolveError> {
    let start = Reduced(Morris::six());
    let solution = solve(&start, &WinLoss, usize::MAX, &StopFlag::new())?;
    println!("{} positions up to symmetry", solution.positions());
    let moves = solution.moves(&start).unwrap_or_default();
    let scores: BTreeMap<_, _> = moves
        .iter()
        .map(|(m, score)| (m.to_string(), score))
        .collect();
    for (text, score) in scores {
        println!("{text}: {score:?}");
    }
    Ok(())
}
