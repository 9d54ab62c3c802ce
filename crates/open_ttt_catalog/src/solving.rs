use core::num::NonZero;

use super::dyn_move::dyn_move;
use super::{CatalogGame, DynMove};
use open_ttt_coach::{GameValue, SolvedValue};
use open_ttt_lib::rules::{BoardFilling, LineGame, Side, Symmetry};
use open_ttt_search::{
    Budget, Evaluator, LayerOptions, ProofNumberSearch, Score, SolveError, StopFlag, solve,
    solve_by_layers,
};

/// The solved value of a position and of each of its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SolvedPosition {
    /// The side to move, for which all values are given.
    pub to_move: Side,
    /// The value of the position.
    pub value: SolvedValue,
    /// Every move with its value, the best first. A solver that finds out only
    /// who wins may leave the value of most moves unknown.
    pub moves: Vec<(DynMove, SolvedValue)>,
    /// The number of positions solved, or searched by a solver that finds out
    /// only who wins.
    pub positions: usize,
}

/// The progress of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveProgress {
    /// The number of positions solved so far.
    pub solved: usize,
    /// The number of all positions; `None` if it isn't known before the end.
    pub positions: Option<usize>,
}

/// A way to solve a game outright.
#[derive(Debug)]
pub struct Solver<G>(
    pub(super) fn(&G, &mut SolveRequest<'_>) -> Result<SolvedPosition, SolveError>,
);

/// How [`DynGame::solve`](super::DynGame::solve) was called.
pub(super) struct SolveRequest<'a> {
    pub(super) threads: NonZero<usize>,
    pub(super) stop: &'a StopFlag,
    pub(super) progress: &'a mut dyn FnMut(SolveProgress),
}

impl SolvedPosition {
    fn of<G: CatalogGame>(
        game: &G,
        score: Score,
        moves: &[(G::Move, Score)],
        positions: usize,
    ) -> Self {
        let value =
            |&(m, score): &(G::Move, Score)| (dyn_move(game, m), G::SEARCHES.solved_value(score));
        Self {
            to_move: game.to_move(),
            value: G::SEARCHES.solved_value(score),
            moves: moves.iter().map(value).collect(),
            positions,
        }
    }
}

/// The most positions of a game that [`Solver::every_position`] solves.
const MAX_POSITIONS: usize = 1_000_000;

/// The largest table of a [`ProofNumberSearch`], in bytes.
const MAX_PROOF_TABLE_BYTES: usize = 1 << 29;

/// The least node budget for proving the moves of a proved position.
const MIN_MOVE_NODES: u64 = 1 << 20;

impl<G: CatalogGame> Solver<G> {
    /// By [`search::solve`](solve): for games of at most a million positions.
    pub fn every_position() -> Self {
        Self(|game, request| (G::SEARCHES.solve)(game, request))
    }

    /// By [`search::solve_by_layers`](solve_by_layers): for games that fill a
    /// board.
    pub fn by_layers() -> Self
    where
        G: BoardFilling,
    {
        Self(|game, request| {
            let options = LayerOptions {
                threads: request.threads,
                ..LayerOptions::default()
            };
            let mut solved = 0;
            let solution = solve_by_layers(game, &options, request.stop, |layer| {
                solved += layer.positions();
                (request.progress)(SolveProgress {
                    solved,
                    positions: Some(layer.total_positions()),
                });
            })?;
            let (score, moves) = (solution.score, &solution.moves);
            Ok(SolvedPosition::of(game, score, moves, solution.positions))
        })
    }

    /// By a [`ProofNumberSearch`]: who wins, not how soon, in line games of at
    /// most 64 cells.
    pub fn by_proof_number_search() -> Self
    where
        G: LineGame + Symmetry,
    {
        Self(|game, request| {
            let mut search = ProofNumberSearch::new(MAX_PROOF_TABLE_BYTES);
            let mut progress = |nodes: u64| {
                (request.progress)(SolveProgress {
                    solved: nodes as usize,
                    positions: None,
                });
            };
            let proved = search
                .prove(game, &Budget::UNLIMITED, request.stop, &mut progress)
                .ok_or(SolveError::Stopped)?;
            let SolvedValue { result, .. } =
                SolvedValue::of_outcome(proved.outcome, game.to_move());
            if proved.every_move_draws {
                let draw = SolvedValue::only(GameValue::Draw);
                return Ok(SolvedPosition {
                    to_move: game.to_move(),
                    value: draw,
                    moves: game.moves().map(|m| (dyn_move(game, m), draw)).collect(),
                    positions: proved.nodes as usize,
                });
            }
            // Each move is searched with a quarter of the position's nodes. In
            // a drawn position a move can only draw or lose.
            let side = match result {
                GameValue::Win => game.to_move(),
                _ => !game.to_move(),
            };
            let budget = Budget::nodes(MIN_MOVE_NODES.max(proved.nodes / 4));
            let by_move = search.wins_by_move(game, side, &budget, request.stop, |nodes| {
                progress(proved.nodes + nodes);
            });
            let value = |m: G::Move, wins: Option<bool>| match (result, wins) {
                (GameValue::Win, _) if proved.winning_move == Some(m) => GameValue::Win,
                (GameValue::Win, Some(true)) => GameValue::Win,
                (GameValue::Loss, _) | (GameValue::Draw, Some(true)) => GameValue::Loss,
                (GameValue::Draw, Some(false)) => GameValue::Draw,
                // A move that doesn't win a won position draws or loses.
                _ => GameValue::Unknown,
            };
            let solved = |(m, wins)| (dyn_move(game, m), SolvedValue::only(value(m, wins)));
            let mut moves: Vec<_> = by_move.into_iter().map(solved).collect();
            // The best values are declared first.
            moves.sort_by_key(|(_, value)| value.result as u8);
            Ok(SolvedPosition {
                to_move: game.to_move(),
                value: SolvedValue::only(result),
                moves,
                positions: proved.nodes as usize,
            })
        })
    }
}

/// [`Solver::every_position`] with an evaluator.
pub(super) fn solve_every_position<G: CatalogGame>(
    game: &G,
    evaluator: &impl Evaluator<G>,
    request: &SolveRequest<'_>,
) -> Result<SolvedPosition, SolveError> {
    let solution = solve(game, evaluator, MAX_POSITIONS, request.stop)?;
    let score = solution.score(game).unwrap_or(Score::DRAW);
    let moves = solution.moves(game).unwrap_or_default();
    let positions = solution.positions();
    Ok(SolvedPosition::of(game, score, &moves, positions))
}
