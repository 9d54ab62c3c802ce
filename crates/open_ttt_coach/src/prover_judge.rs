use core::num::NonZero;

use open_ttt_lib::rules::{Heuristic, OpeningBook, Outcome, Tactics};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, HeuristicEvaluator, Prover, WinLoss};

use crate::remaining::Remaining;
use crate::{Judge, MoveValue, PositionValues, SearchJudge, SolvedValue};

/// Judges by proving each move with a [`Prover`] and the game's book; until then a move has
/// the estimate of a short search.
///
/// ```
/// use open_ttt_coach::{GameValue, Judge, ProverJudge};
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::Notation;
/// use open_ttt_players::Turn;
/// use open_ttt_search::Budget;
///
/// // Only the middle column wins.
/// let game = ConnectFour::new();
/// let values = ProverJudge::new(10.0).judge(&Turn::new(&game), &Budget::UNLIMITED, &mut |_| ());
/// assert_eq!(game.move_text(values.moves[0].m), "4");
/// let wins = values.moves.iter().filter(|value| value.solved.result == GameValue::Win);
/// assert_eq!(wins.count(), 1);
/// ```
#[derive(Debug)]
pub struct ProverJudge<G: Tactics> {
    prover: Prover<G>,
    estimates: SearchJudge<G, HeuristicEvaluator>,
}

/// The largest transposition table, in bytes. It grows with the work.
const MAX_TABLE_BYTES: usize = 1 << 26;

/// The depth of the search for estimates.
const ESTIMATE: Budget = Budget::depth(6);

impl<G: Tactics + Heuristic + OpeningBook<Value = (Outcome, u32)>> ProverJudge<G> {
    /// A judge on one thread. The scale is that of a [`SearchJudge`].
    pub fn new(scale: f64) -> Self {
        Self {
            prover: Prover::new(MAX_TABLE_BYTES).with_book(),
            estimates: SearchJudge::new(HeuristicEvaluator, scale),
        }
    }

    /// Sets the number of threads for hard proofs. They end with each position.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self {
            prover: self.prover.with_threads(threads),
            ..self
        }
    }
}

impl<G: Tactics + Heuristic + OpeningBook<Value = (Outcome, u32)> + Sync> Judge<G>
    for ProverJudge<G>
{
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        let game = turn.game;
        let remaining = Remaining::new(budget);
        let mut values = self.estimates.judge(turn, &ESTIMATE, report);
        let mut moves = values.moves.clone();
        let estimated = values.nodes;
        if let Some(left) = remaining.after(estimated) {
            let mut nodes = 0;
            self.prover
                .each_move(game, &left, &turn.stop, |m, score, searched| {
                    nodes = searched;
                    let solved = SolvedValue::of_score::<G>(score, &WinLoss);
                    if let Some(value) = moves.iter_mut().find(|value| value.m == m) {
                        *value = MoveValue::proved(m, solved);
                    }
                    // The line is that of the estimate until every move is proved.
                    let line = values.line.clone();
                    values = PositionValues::new(moves.clone(), line, estimated + searched);
                    report(&values);
                });
            if values.is_proved()
                && let Some(left) = remaining.after(values.nodes)
                && let Some(result) = self.prover.analyze(game, &left, &turn.stop)
            {
                values.line = result.principal_variation;
                values.nodes += result.nodes;
                report(&values);
            }
        }
        values
    }
}
