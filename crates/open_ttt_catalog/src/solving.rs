use core::fmt;
use core::num::NonZero;

use super::dyn_move::dyn_move;
use super::{CatalogGame, DynMove, Verdict};
use open_ttt_lib::rules::{BoardFilling, LineGame, Outcome, Side, Symmetry, TwoPlayerGame};
use open_ttt_search::{
    Budget, Evaluator, LayerOptions, ProofNumberSearch, Score, StopFlag, Unsolved,
    solve as solve_every_position, solve_by_layers,
};

/// What every move of a position is worth, all positions after it solved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Solved {
    /// The side it is told for.
    pub to_move: Side,
    /// What the position is worth to it.
    pub worth: Worth,
    /// Every move with its worth, the best first. Where only who wins is found
    /// out, the worth of most moves may be unknown.
    pub moves: Vec<(DynMove, Worth)>,
    /// How many positions were solved, or looked at where it is only found out
    /// who wins.
    pub positions: usize,
}

/// How a game ends for the side to move under best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Worth {
    /// Whether it wins.
    pub verdict: Verdict,
    /// In how many moves, in a game that is won by one, where that is known.
    pub plies: Option<u32>,
    /// By how many points, in a game that is won by points.
    pub margin: Option<i32>,
}

/// How far solving has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many positions are solved.
    pub solved: usize,
    /// How many there are; `None` where nobody knows before the end.
    pub positions: Option<usize>,
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
    worth: Worth,
    moves: Vec<(G::Move, Worth)>,
    positions: usize,
}

impl Worth {
    fn of<G: CatalogGame>(score: Score) -> Self {
        Self {
            verdict: Verdict::of(score),
            plies: score.plies(),
            margin: G::Evaluator::default().margin(score),
        }
    }

    /// Nothing but how it ends.
    const fn only(verdict: Verdict) -> Self {
        Self {
            verdict,
            plies: None,
            margin: None,
        }
    }
}

impl<G: CatalogGame> Scores<G> {
    fn of(score: Score, moves: Vec<(G::Move, Score)>, positions: usize) -> Self {
        let moves = moves.into_iter();
        Self {
            worth: Worth::of::<G>(score),
            moves: moves.map(|(m, score)| (m, Worth::of::<G>(score))).collect(),
            positions,
        }
    }
}

/// A small game has no more positions than this.
const MAX_POSITIONS: usize = 1_000_000;

/// How large the table of a proof-number search may grow, in bytes.
const PROOF_TABLE_BYTES: usize = 1 << 29;

/// The fewest positions that proof-number search may visit for the moves of a position
/// whose outcome it has proved.
const LEAST_NODES: u64 = 1 << 20;

impl<G: CatalogGame> Solver<G> {
    /// By [`search::solve`](open_ttt_search::solve): for small games, of at most
    /// a million positions.
    pub fn every_position() -> Self {
        Self(|game, orders| {
            if orders.stop.is_raised() {
                return Err(Unsolved::Stopped);
            }
            let solution = solve_every_position(game, &G::Evaluator::default(), MAX_POSITIONS)?;
            Ok(Scores::of(
                solution.score(game).unwrap_or(Score::DRAW),
                solution.moves(game).unwrap_or_default(),
                solution.positions(),
            ))
        })
    }

    /// By [`search::solve_by_layers`](solve_by_layers): for games that fill a
    /// board.
    pub fn by_layers() -> Self
    where
        G: BoardFilling,
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
                    positions: Some(layer.positions_of_all()),
                });
            })?;
            Ok(Scores::of(
                solution.score,
                solution.moves,
                solution.positions,
            ))
        })
    }

    /// By a [`ProofNumberSearch`]: who wins, not how soon, in games of completing lines on
    /// at most 64 cells.
    pub fn by_proof_number_search() -> Self
    where
        G: LineGame + Symmetry,
    {
        Self(|game, orders| {
            let mut search = ProofNumberSearch::new(PROOF_TABLE_BYTES);
            let progress = |nodes| {
                (orders.progress)(Progress {
                    solved: nodes as usize,
                    positions: None,
                });
            };
            let proved = search
                .prove(game, &Budget::UNLIMITED, orders.stop, progress)
                .ok_or(Unsolved::Stopped)?;
            let verdict = match proved.outcome {
                Outcome::Draw => Verdict::Draw,
                Outcome::Win(side) if side == game.to_move() => Verdict::Win,
                Outcome::Win(_) => Verdict::Loss,
            };
            // Every move, within a quarter of what the position took. In a
            // position nobody wins a move can only lose.
            let side = match verdict {
                Verdict::Win => game.to_move(),
                _ => !game.to_move(),
            };
            let budget = Budget::nodes(LEAST_NODES.max(proved.nodes / 4));
            let by_move = search.wins_by_move(game, side, &budget, orders.stop, |nodes| {
                (orders.progress)(Progress {
                    solved: (proved.nodes + nodes) as usize,
                    positions: None,
                });
            });
            let worth = |m: G::Move, wins: Option<bool>| match (verdict, wins) {
                (Verdict::Win, _) if proved.winning_move == Some(m) => Verdict::Win,
                (Verdict::Win, Some(true)) => Verdict::Win,
                (Verdict::Loss, _) | (Verdict::Draw, Some(true)) => Verdict::Loss,
                (Verdict::Draw, Some(false)) => Verdict::Draw,
                // What does not win a won position may draw it or lose it.
                _ => Verdict::Unknown,
            };
            let moves = by_move.into_iter();
            let mut moves: Vec<_> = moves
                .map(|(m, wins)| (m, Worth::only(worth(m, wins))))
                .collect();
            moves.sort_by_key(|(_, worth)| match worth.verdict {
                Verdict::Win => 0,
                Verdict::Draw => 1,
                Verdict::Loss => 2,
                Verdict::Unknown => 3,
            });
            Ok(Scores {
                worth: Worth::only(verdict),
                moves,
                positions: proved.nodes as usize,
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
    let moves = scores.moves.into_iter();
    Ok(Solved {
        to_move: game.to_move(),
        worth: scores.worth,
        moves: moves.map(|(m, worth)| (dyn_move(game, m), worth)).collect(),
        positions: scores.positions,
    })
}
