use core::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

use crate::alpha_beta::iteration::Iteration;
use crate::alpha_beta::principal_variation::Common;
use crate::alpha_beta::searcher::{Searcher, Worker, deepest};
use crate::budget::BudgetMeter;
use crate::crowd::Crowd;
use crate::{Budget, Evaluator, StopFlag};
use open_ttt_lib::rules::TwoPlayerGame;

/// Iterations are shared out once a position has proved to take so many nodes:
/// before, starting threads costs more than they save.
const FEWEST_SHARED: u64 = 4_096;

impl<G, E> Searcher<G, E>
where
    G: TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    E: Evaluator<G> + Sync,
{
    /// [`step`](Self::step) on several threads, the calling one among them.
    /// The others end with the call.
    ///
    /// All threads search the same position, share the table and put off what
    /// another is searching; who is finished first has the answer. Its score
    /// and best moves are those of one thread, while its line, the limits of
    /// lesser moves and the number of nodes vary from run to run. The nodes of
    /// the budget are shared out evenly. With one thread this *is* `step`.
    ///
    /// Where there are no threads to be had, it does without.
    ///
    /// # Panics
    ///
    /// If the game or the evaluator does, in any thread.
    pub fn step_together(
        &mut self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> bool {
        let shared_out = shared_out(budget, threads);
        let mut meter = BudgetMeter::new(&shared_out, stop);
        meter.poll();
        self.advance_together(threads, deepest(budget), &mut meter)
    }

    /// Searches on, in so many threads, until the meter of this one is spent
    /// (false) or the answer is proved or so deep (true).
    pub(crate) fn advance_together(
        &mut self,
        threads: NonZero<usize>,
        deepest: u32,
        meter: &mut BudgetMeter<'_>,
    ) -> bool {
        while !self.is_done(deepest) {
            if threads.get() == 1 || self.answer.nodes < FEWEST_SHARED {
                let next = deepest.min(self.answer.depth + 1);
                if !self.advance(next, meter) {
                    return false;
                }
            } else if !self.share_iteration(threads, meter) {
                return false;
            }
        }
        true
    }

    /// Goes on with one iteration in all threads, and says whether any of them
    /// has finished it.
    fn share_iteration(&mut self, threads: NonZero<usize>, meter: &mut BudgetMeter<'_>) -> bool {
        if meter.is_spent() {
            return false;
        }
        self.prepare();
        self.helpers.resize_with(threads.get() - 1, Worker::new);
        let next = self.next_iteration();
        for helper in &mut self.helpers {
            let depth = helper.iteration.as_ref().map(Iteration::depth);
            if depth != Some(next.depth()) {
                helper.abandon();
                helper.iteration = Some(next.clone());
            }
        }
        let crowd = Crowd::new();
        let common = Common {
            evaluator: &self.evaluator,
            table: &self.table,
            crowd: Some(&crowd),
        };
        let before = meter.nodes();
        let (game, worker) = (&self.game, &mut self.worker);
        let mut finished = None;
        let mut nodes = 0;
        scope(|scope| {
            let threads: Vec<_> = self
                .helpers
                .iter_mut()
                .filter_map(|helper| {
                    let help = || {
                        let never = StopFlag::new();
                        let mut meter = BudgetMeter::new(&Budget::UNLIMITED, &never);
                        let finished = helper.go_on(&common, &mut meter, game);
                        if finished {
                            crowd.end();
                        }
                        (helper, finished, meter.nodes())
                    };
                    Builder::new().spawn_scoped(scope, help).ok()
                })
                .collect();
            if worker.go_on(&common, meter, game) {
                finished = worker.iteration.take();
            }
            crowd.end();
            for thread in threads {
                let (helper, has_finished, its_nodes) = thread
                    .join()
                    .unwrap_or_else(|payload| resume_unwind(payload));
                nodes += its_nodes;
                if has_finished && finished.is_none() {
                    finished = helper.iteration.take();
                }
            }
        });
        self.answer.nodes += nodes + meter.nodes() - before;
        let Some(iteration) = finished else {
            return false;
        };
        self.worker.abandon();
        for helper in &mut self.helpers {
            helper.abandon();
        }
        self.conclude(iteration);
        meter.poll();
        true
    }
}

/// The budget of one of so many threads: its part of the nodes, and all else.
pub(crate) fn shared_out(budget: &Budget, threads: NonZero<usize>) -> Budget {
    Budget {
        nodes: budget
            .nodes
            .map(|nodes| nodes.div_ceil(threads.get() as u64)),
        ..*budget
    }
}
