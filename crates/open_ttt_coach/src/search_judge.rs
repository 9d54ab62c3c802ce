use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Turn;
use open_ttt_search::{
    Budget, Evaluator, Grade, RootMoves, Score, SearchOptions, SearchResult, Searcher, StopFlag,
};

use crate::remaining::Remaining;
use crate::{Judge, MoveValue, PositionValues, SolvedValue};

/// Judges by alpha-beta search of all moves, one ply deeper each time.
///
/// Wins and losses found are proved, with their distance. What else the evaluator says is
/// turned into points by the logistic function of the evaluation divided by the game's
/// *scale*: the evaluation of a side that wins 73 games of 100. The uncertainty of such an
/// estimate is how much it changed with the last ply, and at least half of what it was before.
///
/// ```
/// use open_ttt_coach::{GameValue, Judge, SearchJudge};
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_players::Turn;
/// use open_ttt_search::{Budget, HeuristicEvaluator};
///
/// // Three in a row with both ends open.
/// let mut game = ConnectFour::new();
/// play_text(&mut game, "324252")?;
/// let mut judge = SearchJudge::new(HeuristicEvaluator, 10.0);
/// let values = judge.judge(&Turn::new(&game), &Budget::depth(4), &mut |_| ());
/// let best = values.best().expect("a move");
/// assert_eq!((best.solved.result, best.solved.plies), (GameValue::Win, Some(1)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearchJudge<G: TwoPlayerGame, E> {
    evaluator: E,
    scale: f64,
    searcher: Option<Searcher<G, E>>,
}

/// The size of the search's table, in bytes.
const TABLE_BYTES: usize = 1 << 24;

impl<G: TwoPlayerGame, E: Evaluator<G> + Clone> SearchJudge<G, E> {
    /// A judge with this evaluator, and the scale of its evaluations, more than 0.
    pub fn new(evaluator: E, scale: f64) -> Self {
        Self {
            evaluator,
            scale,
            searcher: None,
        }
    }

    /// Moves the searcher to the position of the turn.
    fn searcher(&mut self, turn: &Turn<'_, G>) -> Searcher<G, E> {
        let mut searcher = self.searcher.take().unwrap_or_else(|| {
            let options = SearchOptions {
                table_bytes: TABLE_BYTES,
                root_moves: RootMoves::All,
            };
            Searcher::new(turn.game, self.evaluator.clone(), options)
        });
        searcher.set_history(turn.earlier, turn.game);
        searcher
    }

    /// The values after a search to some depth, of which the estimates differ from those of
    /// the depth before.
    fn values(
        &self,
        result: &SearchResult<G::Move>,
        before: Option<&PositionValues<G::Move>>,
    ) -> PositionValues<G::Move> {
        let value = |&(m, score): &(G::Move, Score)| {
            let is_proved = result.proved || !matches!(score.grade(), Grade::Evaluation(_));
            if is_proved {
                return MoveValue::proved(m, SolvedValue::of_score(score, &self.evaluator));
            }
            let expected = expected(score, self.scale);
            // An estimate that stays the same for one depth isn't certain yet.
            let uncertainty = |before: &MoveValue<G::Move>| {
                let change = (before.expected - expected).abs();
                change.max(before.uncertainty / 2.0)
            };
            let uncertainty = before.and_then(|values| values.get(m)).map(uncertainty);
            MoveValue::estimated(m, expected, uncertainty.unwrap_or(0.5))
        };
        let moves = result.moves.iter().map(value).collect();
        let line = result.principal_variation.clone();
        PositionValues::new(moves, line, result.nodes)
    }
}

/// The points that an evaluation promises.
pub(crate) fn expected(score: Score, scale: f64) -> f64 {
    match score.grade() {
        Grade::Win => 1.0,
        Grade::Loss => 0.0,
        Grade::Evaluation(value) => 1.0 / (1.0 + (-f64::from(value) / scale).exp()),
    }
}

impl<G: TwoPlayerGame, E: Evaluator<G> + Clone> Judge<G> for SearchJudge<G, E> {
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        let remaining = Remaining::new(budget);
        let mut searcher = self.searcher(turn);
        // The first depth is always completed.
        searcher.step(&Budget::depth(1), &StopFlag::new());
        let mut values = self.values(searcher.result(), None);
        report(&values);
        let deepest = budget.depth.unwrap_or(u32::MAX);
        while !values.is_proved()
            && searcher.result().depth < deepest
            && let Some(left) = remaining.after(searcher.result().nodes)
        {
            let depth = Some(searcher.result().depth + 1);
            if !searcher.step(&Budget { depth, ..left }, &turn.stop) {
                break;
            }
            values = self.values(searcher.result(), Some(&values));
            report(&values);
        }
        self.searcher = Some(searcher);
        values
    }
}
