use core::fmt;
use core::num::NonZero;

use super::dyn_move::dyn_move;
use super::{CatalogGame, DynMove, Verdict};
use crate::rules::{Filling, Side, TwoPlayerGame};
use crate::search::{
    Evaluator, LayerOptions, Score, StopFlag, Unsolved, solve as solve_every_position,
    solve_by_layers,
};

/// What every move of a position is worth, all positions after it solved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Solved {
    /// The side it is told for.
    pub to_move: Side,
    /// What the position is worth to it.
    pub worth: Worth,
    /// Every move with its worth, the best first.
    pub moves: Vec<(DynMove, Worth)>,
    /// How many positions were solved.
    pub positions: usize,
}

/// How a game ends for the side to move under best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Worth {
    /// Whether it wins.
    pub verdict: Verdict,
    /// In how many moves, in a game that is won by one.
    pub plies: Option<u32>,
    /// By how many points, in a game that is won by points.
    pub margin: Option<i32>,
}

/// How far solving has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many positions are solved.
    pub solved: usize,
    /// How many there are.
    pub positions: usize,
}

/// A way to solve a game outright.
pub struct Solver<G: TwoPlayerGame>(fn(&G, &mut Orders<'_>) -> Result<Scores<G>, Unsolved>);

/// How a game is to be solved.
pub(super) struct Orders<'a> {
    pub(super) threads: NonZero<usize>,
    pub(super) stop: &'a StopFlag,
    pub(super) progress: &'a mut dyn FnMut(Progress),
}

struct Scores<G: TwoPlayerGame> {
    score: Score,
    moves: Vec<(G::Move, Score)>,
    positions: usize,
}

/// A small game has no more positions than this.
const MOST_POSITIONS: usize = 1_000_000;

impl<G: CatalogGame> Solver<G> {
    /// By [`search::solve`](crate::search::solve): for small games, of at most
    /// a million positions.
    pub fn every_position() -> Self {
        Self(|game, orders| {
            if orders.stop.is_raised() {
                return Err(Unsolved::Stopped);
            }
            let solution = solve_every_position(game, &G::Evaluator::default(), MOST_POSITIONS)?;
            Ok(Scores {
                score: solution.score(game).unwrap_or(Score::DRAW),
                moves: solution.moves(game).unwrap_or_default(),
                positions: solution.positions(),
            })
        })
    }

    /// By [`search::solve_by_layers`](solve_by_layers): for games that fill a
    /// board.
    pub fn by_layers() -> Self
    where
        G: Filling,
    {
        Self(|game, orders| {
            let options = LayerOptions {
                threads: orders.threads,
                ..LayerOptions::default()
            };
            let mut solved = 0;
            let solution = solve_by_layers(game, &options, orders.stop, |layer| {
                solved += layer.positions();
                (orders.progress)(Progress {
                    solved,
                    positions: layer.positions_of_all(),
                });
            })?;
            Ok(Scores {
                score: solution.score,
                moves: solution.moves,
                positions: solution.positions,
            })
        })
    }
}

impl<G: TwoPlayerGame> fmt::Debug for Solver<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Solver")
    }
}

pub(super) fn solve<G: CatalogGame>(
    game: &G,
    solver: &Solver<G>,
    orders: &mut Orders<'_>,
) -> Result<Solved, Unsolved> {
    let scores = (solver.0)(game, orders)?;
    let evaluator = G::Evaluator::default();
    let worth = |score: Score| Worth {
        verdict: Verdict::of(score),
        plies: score.plies(),
        margin: evaluator.margin(score),
    };
    let moves = scores.moves.into_iter();
    Ok(Solved {
        to_move: game.to_move(),
        worth: worth(scores.score),
        moves: moves
            .map(|(m, score)| (dyn_move(game, m), worth(score)))
            .collect(),
        positions: scores.positions,
    })
}
