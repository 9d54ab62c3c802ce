use std::collections::{HashMap, HashSet};

use super::cyclic::solve_cyclic;
use super::solve_by_layers::SolveError;
use super::too_large::TooLarge;
use crate::search_result::sort_best_first;
use crate::turns::keeps_turn;
use crate::{Evaluator, Score, SearchResult};
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
/// use open_ttt_search::{Score, WinLoss, solve};
///
/// let solution = solve(&TicTacToe::new(), &WinLoss, 10_000)?;
/// assert_eq!(solution.positions(), 5_478);
/// assert_eq!(solution.score(&TicTacToe::new()), Some(Score::DRAW));
/// # Ok::<(), open_ttt_search::SolveError>(())
/// ```
///
/// # Errors
///
/// [`SolveError::TooLarge`] if there are more than `max_positions`, and
/// [`SolveError::HistoryDependent`] if a repetition loses.
pub fn solve<G: TwoPlayerGame>(
    start: &G,
    evaluator: &impl Evaluator<G>,
    max_positions: usize,
) -> Result<Solution<G>, SolveError> {
    let scores = match start.repetition() {
        None => {
            let mut scores = HashMap::new();
            visit(start, evaluator, max_positions, &mut scores)?;
            scores
        }
        Some(Repetition::Draw { .. }) => solve_cyclic(start, evaluator, max_positions)?,
        Some(_) => return Err(SolveError::HistoryDependent),
    };
    Ok(Solution { scores })
}

fn visit<G: TwoPlayerGame>(
    game: &G,
    evaluator: &impl Evaluator<G>,
    max_positions: usize,
    scores: &mut HashMap<G, Score>,
) -> Result<Score, TooLarge> {
    if let Some(&score) = scores.get(game) {
        return Ok(score);
    }
    let score = if let Some(outcome) = game.outcome() {
        evaluator.finished(game, outcome, 0)
    } else {
        let mut best = Score::MIN;
        for m in game.moves() {
            let next = game.after(m);
            let score = visit(&next, evaluator, max_positions, scores)?;
            let score = score.for_mover(keeps_turn(game, &next));
            best = best.max(score.one_ply_earlier());
        }
        best
    };
    if scores.len() >= max_positions {
        return Err(TooLarge { max_positions });
    }
    scores.insert(game.clone(), score);
    Ok(score)
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
        self.score(game)?;
        let mut moves = game
            .moves()
            .map(|m| {
                let next = game.after(m);
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
        let mut pv = Vec::new();
        let mut at = game.clone();
        let mut seen = HashSet::new();
        while let Some(&(m, _)) = self.moves(&at)?.first()
            && (at.repetition().is_none() || seen.insert(at.clone()))
        {
            pv.push(m);
            at.play_unchecked(m);
        }
        Some(SearchResult::proved(game, score, moves, pv, 0))
    }
}
