use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Turn;
use open_ttt_search::{Budget, LeafEvaluator, Playout, TreeOptions, TreeSearch, WinLoss};

use crate::remaining::Remaining;
use crate::{Judge, MoveValue, PositionValues, SearchJudge, SolvedValue};

/// Judges by Monte Carlo tree search, beside a short alpha-beta search for wins and losses
/// that are near: for games without a static evaluation.
///
/// ```
/// use open_ttt_coach::{GameValue, Judge, TreeJudge};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_players::Turn;
/// use open_ttt_search::Budget;
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 b2 a2 b1")?;
/// let values = TreeJudge::default().judge(&Turn::new(&game), &Budget::nodes(500), &mut |_| ());
/// assert_eq!(values.moves[0].solved.result, GameValue::Win);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TreeJudge<G: TwoPlayerGame, L = Playout> {
    evaluator: L,
    seed: u64,
    tactics: SearchJudge<G, WinLoss>,
}

/// The positions searched for near wins and losses.
const TACTICS: u64 = 200_000;

/// The iterations before the first report and, twice as many each time, at most before the
/// next.
const FIRST_SLICE: u64 = 256;
const LAST_SLICE: u64 = 1 << 15;

impl<G: TwoPlayerGame, L> TreeJudge<G, L> {
    /// A judge whose tree evaluates leaves in this way. The seed is that of its random
    /// numbers: without a limit of time, equal seeds give equal values.
    pub fn new(evaluator: L, seed: u64) -> Self {
        Self {
            evaluator,
            seed,
            tactics: SearchJudge::new(WinLoss, 1.0),
        }
    }
}

impl<G: TwoPlayerGame> Default for TreeJudge<G> {
    /// A judge with random playouts.
    fn default() -> Self {
        Self::new(Playout, 0)
    }
}

impl<G: TwoPlayerGame, L: LeafEvaluator<G> + Clone> Judge<G> for TreeJudge<G, L> {
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        let remaining = Remaining::new(budget);
        // An eighth of the budget is for tactics.
        let mut short = Budget {
            nodes: Some(budget.nodes.map_or(TACTICS, |all| TACTICS.min(all / 8))),
            ..*budget
        };
        if let Some(time) = &mut short.time {
            time.limit /= 8;
        }
        let tactics = self.tactics.judge(turn, &short, &mut |_| ());
        let options = TreeOptions::default();
        let mut tree = TreeSearch::new(
            turn.game,
            self.evaluator.clone(),
            options,
            Rng::new(self.seed),
        );
        tree.set_history(turn.earlier);
        let mut values = tactics.clone();
        report(&values);
        let mut slice = FIRST_SLICE;
        let mut iterations = 0;
        while !values.is_proved()
            && !turn.stop.is_raised()
            && let Some(left) = remaining.slice(tactics.nodes + iterations, slice)
        {
            tree.step(&left, &turn.stop);
            let answer = tree.answer();
            if answer.iterations == iterations {
                // A decided tree isn't searched any more.
                break;
            }
            iterations = answer.iterations;
            let value = |statistics: &open_ttt_search::MoveStatistics<G::Move>| {
                let m = statistics.m;
                if let Some(known) = tactics.get(m).filter(|value| value.is_proved()) {
                    return *known;
                }
                if let Some(outcome) = statistics.proved {
                    return MoveValue::proved(m, SolvedValue::of_outcome(outcome, turn.side));
                }
                let deviation = 0.5 / (1.0 + statistics.visits as f64).sqrt();
                MoveValue::estimated(m, statistics.value, deviation)
            };
            let moves = answer.moves.iter().map(value).collect();
            values = PositionValues::new(moves, answer.line, tactics.nodes + iterations);
            // The line starts with a best move.
            if values.line.first() != values.best().map(|best| &best.m) {
                values.line = values.best().map(|best| best.m).into_iter().collect();
            }
            report(&values);
            slice = (2 * slice).min(LAST_SLICE);
        }
        values
    }
}
