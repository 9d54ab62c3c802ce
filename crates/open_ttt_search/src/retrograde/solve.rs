use std::collections::{HashMap, HashSet};

use super::cyclic::solve_cyclic;
use super::solve_by_layers::SolveError;
use super::too_large::TooLarge;
use crate::search_result::sort_best_first;
use crate::turns::keeps_turn;
use crate::{Evaluator, Score, SearchResult, StopFlag};
use open_ttt_lib::rules::{Repetition, TwoPlayerGame};

/// The solution of a small game: the exact score of each position that can be
/// reached from its start.
#[derive(Clone, Debug)]
pub struct Solution<G> {
    scores: HashMap<G, Score>,
}

/// Solves a game completely: scores every position that can be reached from
/// `start` once, by depth-first search with memoization.
///
/// If positions can come back, it is solved by retrograde analysis over the graph of
/// its positions, and endless play is a draw: the scores are those of positions without
/// history.
///
/// Memory grows with the number of positions. Nothing is pruned, so the moves of
/// every position have exact scores.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_search::{Score, StopFlag, WinLoss, solve};
///
/// let solution = solve(&TicTacToe::new(), &WinLoss, 10_000, &StopFlag::new())?;
/// assert_eq!(solution.positions(), 5_478);
/// assert_eq!(solution.score(&TicTacToe::new()), Some(Score::DRAW));
/// # Ok::<(), open_ttt_search::SolveError>(())
/// ```
///
/// # Errors
///
/// [`SolveError::TooLarge`] if there are more than `max_positions`,
/// [`SolveError::Stopped`] if the flag is raised before all is solved, and
/// [`SolveError::HistoryDependent`] if a repetition loses.
pub fn solve<G: TwoPlayerGame>(
    start: &G,
    evaluator: &impl Evaluator<G>,
    max_positions: usize,
    stop: &StopFlag,
) -> Result<Solution<G>, SolveError> {
    let scores = match start.repetition() {
        None => {
            let mut solver = Solver {
                evaluator,
                max_positions,
                stop,
                scores: HashMap::new(),
            };
            solver.visit(start)?;
            solver.scores
        }
        Some(Repetition::Draw { .. }) => solve_cyclic(start, &[], evaluator, max_positions, stop)?,
        Some(_) => return Err(SolveError::HistoryDependent),
    };
    Ok(Solution { scores })
}

/// The positions of a game that draw it if they come back once more, where a repetition draws:
/// among this one and those before it. Without any, the position is worth what it is without
/// history: a side that can win never needs a position twice.
// Where nothing can be repeated, a caller's code for that goes away.
#[inline]
pub fn draws_if_repeated<G: TwoPlayerGame>(game: &G, earlier: &[G]) -> Vec<G> {
    match game.repetition() {
        Some(Repetition::Draw { occurrences }) => before_last(game, earlier, occurrences),
        _ => Vec::new(),
    }
}

/// The positions of which only the last of so many occurrences is missing.
fn before_last<G: TwoPlayerGame>(game: &G, earlier: &[G], occurrences: u32) -> Vec<G> {
    let all = earlier.iter().chain([game]).enumerate();
    let is_before_last = |&(index, position): &(usize, &G)| {
        let equal = earlier[..index].iter().filter(|&one| one == position);
        2 + equal.count() as u32 == occurrences
    };
    let found = all.filter(is_before_last);
    found.map(|(_, position)| position.clone()).collect()
}

/// The exact result of a position in a game in which these others are draws wherever they come
/// up, as [`draws_if_repeated`] tells them. This position itself may be one of them. Where no position
/// comes back, the others don't matter.
///
/// # Errors
///
/// As for [`solve`].
pub fn solve_with_draws<G: TwoPlayerGame>(
    game: &G,
    draws: &[G],
    evaluator: &impl Evaluator<G>,
    max_positions: usize,
    stop: &StopFlag,
) -> Result<SearchResult<G::Move>, SolveError> {
    let solution = match game.repetition() {
        Some(Repetition::Draw { .. }) => Solution {
            scores: solve_cyclic(game, draws, evaluator, max_positions, stop)?,
        },
        // No position comes back, or history decides.
        _ => solve(game, evaluator, max_positions, stop)?,
    };
    let moves = solution.moves(game).unwrap_or_default();
    let score = match moves.first() {
        Some(&(_, score)) => score,
        None => solution.scores[game],
    };
    let mut seen: HashSet<G> = draws.iter().cloned().collect();
    seen.remove(game);
    let line = solution.line(game, seen);
    Ok(SearchResult::proved(game, score, moves, line, 0))
}

/// The depth-first search of [`solve`].
struct Solver<'a, G, E> {
    evaluator: &'a E,
    max_positions: usize,
    stop: &'a StopFlag,
    scores: HashMap<G, Score>,
}

impl<G: TwoPlayerGame, E: Evaluator<G>> Solver<'_, G, E> {
    fn visit(&mut self, game: &G) -> Result<Score, SolveError> {
        if let Some(&score) = self.scores.get(game) {
            return Ok(score);
        }
        let score = if let Some(outcome) = game.outcome() {
            self.evaluator.finished(game, outcome, 0)
        } else {
            let mut best = Score::MIN;
            for m in game.moves() {
                let next = game.after(m);
                let score = self.visit(&next)?;
                let score = score.for_mover(keeps_turn(game, &next));
                best = best.max(score.one_ply_earlier());
            }
            best
        };
        let max_positions = self.max_positions;
        if self.scores.len() >= max_positions {
            return Err(TooLarge { max_positions }.into());
        }
        if self.stop.is_raised() {
            return Err(SolveError::Stopped);
        }
        self.scores.insert(game.clone(), score);
        Ok(score)
    }
}

impl<G: TwoPlayerGame> Solution<G> {
    /// The number of positions, including the start and finished games.
    pub fn positions(&self) -> usize {
        self.scores.len()
    }

    /// The score of a position; `None` if the game cannot reach it.
    pub fn score(&self, game: &G) -> Option<Score> {
        self.scores.get(game).copied()
    }

    /// Every move of a position with its exact score, the best first; `None` if the
    /// game cannot reach it.
    pub fn moves(&self, game: &G) -> Option<Vec<(G::Move, Score)>> {
        self.moves_with_draws(game, &[])
    }

    /// The same, but moves to one of these positions draw, as [`draws_if_repeated`] tells them.
    /// That later moves may lead there isn't considered, unlike in [`solve_with_draws`].
    pub fn moves_with_draws(&self, game: &G, draws: &[G]) -> Option<Vec<(G::Move, Score)>> {
        self.score(game)?;
        let mut moves = game
            .moves()
            .map(|m| {
                let next = game.after(m);
                if draws.contains(&next) {
                    return Some((m, Score::DRAW));
                }
                let score = self.score(&next)?.for_mover(keeps_turn(game, &next));
                Some((m, score.one_ply_earlier()))
            })
            .collect::<Option<Vec<_>>>()?;
        sort_best_first(&mut moves);
        Some(moves)
    }

    /// The result of a search without limits; `None` if the game cannot reach this
    /// position. The principal variation ends where a position comes back.
    pub fn analyze(&self, game: &G) -> Option<SearchResult<G::Move>> {
        let score = self.score(game)?;
        let moves = self.moves(game)?;
        let line = self.line(game, HashSet::new());
        Some(SearchResult::proved(game, score, moves, line, 0))
    }

    /// A line of best play, up to a position that was seen before.
    fn line(&self, game: &G, mut seen: HashSet<G>) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut at = game.clone();
        while (at.repetition().is_none() || seen.insert(at.clone()))
            && let Some(moves) = self.moves(&at)
            && let Some(&(m, _)) = moves.first()
        {
            line.push(m);
            at.play_unchecked(m);
        }
        line
    }
}
