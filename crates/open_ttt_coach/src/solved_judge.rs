use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::{Perfect, Turn};
use open_ttt_search::{
    Budget, Evaluator, SearchResult, Solution, draws_if_repeated, solve, solve_with_draws,
};

use crate::{Judge, MoveValue, PositionValues, SearchJudge, SolvedValue};

/// Judges the positions of a small game by its solution: every value is exact.
///
/// The first position judged is solved with all that follow it, whatever the budget. So is one
/// after which the rule about repetition ends the game sooner than in the solution. A game
/// with more than [`Perfect::MAX_POSITIONS`] positions is searched instead, and so is one whose
/// solution is stopped.
///
/// ```
/// use open_ttt_coach::{GameValue, Judge, SolvedJudge};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::Turn;
/// use open_ttt_search::{Budget, WinLoss};
///
/// let game = TicTacToe::new();
/// let mut judge = SolvedJudge::new(WinLoss, 1.0);
/// let values = judge.judge(&Turn::new(&game), &Budget::UNLIMITED, &mut |_| ());
/// assert!(values.moves.iter().all(|value| value.solved.result == GameValue::Draw));
/// ```
#[derive(Clone, Debug)]
pub struct SolvedJudge<G: TwoPlayerGame, E> {
    evaluator: E,
    solution: Option<Solution<G>>,
    search: SearchJudge<G, E>,
}

impl<G: TwoPlayerGame, E: Evaluator<G> + Clone> SolvedJudge<G, E> {
    /// A judge with this evaluator of final positions. The scale is that of a
    /// [`SearchJudge`], for a game that is too large.
    pub fn new(evaluator: E, scale: f64) -> Self {
        Self {
            search: SearchJudge::new(evaluator.clone(), scale),
            solution: None,
            evaluator,
        }
    }

    /// The exact result, from the solution at hand or a new one.
    fn solved(&mut self, turn: &Turn<'_, G>) -> Option<SearchResult<G::Move>> {
        let game = turn.game;
        let limit = Perfect::<G>::MAX_POSITIONS;
        let draws = draws_if_repeated(game, turn.earlier);
        if !draws.is_empty() {
            return solve_with_draws(game, &draws, &self.evaluator, limit, &turn.stop).ok();
        }
        let known = self.solution.as_ref();
        if let Some(result) = known.and_then(|solution| solution.analyze(game)) {
            return Some(result);
        }
        let solution = solve(game, &self.evaluator, limit, &turn.stop).ok()?;
        self.solution.insert(solution).analyze(game)
    }
}

impl<G: TwoPlayerGame, E: Evaluator<G> + Clone> Judge<G> for SolvedJudge<G, E> {
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        let Some(result) = self.solved(turn) else {
            return self.search.judge(turn, budget, report);
        };
        let values = proved_values(&result, &self.evaluator);
        report(&values);
        values
    }
}

/// The values of a search whose moves all have exact scores.
pub(crate) fn proved_values<G: TwoPlayerGame>(
    result: &SearchResult<G::Move>,
    evaluator: &impl Evaluator<G>,
) -> PositionValues<G::Move> {
    let value = |&(m, score)| MoveValue::proved(m, SolvedValue::of_score(score, evaluator));
    let moves = result.moves.iter().map(value).collect();
    PositionValues::new(moves, result.principal_variation.clone(), result.nodes)
}
