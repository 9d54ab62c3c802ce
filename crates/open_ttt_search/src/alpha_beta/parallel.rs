use core::num::NonZero;

use crate::abdada::AbdadaTable;
use crate::alpha_beta::pv_search::SearchContext;
use crate::alpha_beta::searcher::{Searcher, Worker};
use crate::budget::BudgetMeter;
use crate::threads::{bounded, is_alone, run_together};
use crate::{Budget, Evaluator, StopFlag};
use open_ttt_lib::rules::TwoPlayerGame;

/// Helper threads start only after this many nodes: in a smaller search starting
/// them costs more than they save.
const MIN_PARALLEL_NODES: u64 = 4_096;

impl<G, E> Searcher<G, E>
where
    G: TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    E: Evaluator<G> + Sync,
{
    /// [`step`](Self::step) on several threads, including the calling one. The
    /// others end with the call.
    ///
    /// All threads search the same position, share the table and defer moves that
    /// another thread is searching; the first to complete a depth provides the
    /// result. Score and best moves are those of one thread; the principal
    /// variation, the bounds of lesser moves and the number of nodes vary from run
    /// to run. The nodes of the budget are split evenly. With one thread this is
    /// `step`.
    ///
    /// If a thread cannot be started, the others do its work.
    ///
    /// # Panics
    ///
    /// If the game or the evaluator panics, in any thread.
    pub fn step_parallel(
        &mut self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> bool {
        let mut meter = BudgetMeter::new(budget, stop).share(threads);
        meter.poll();
        self.advance_parallel(threads, budget.max_depth(), &mut meter)
    }

    /// Searches on several threads until the meter of this one is spent, and
    /// returns whether the search is complete.
    pub(crate) fn advance_parallel(
        &mut self,
        threads: NonZero<usize>,
        max_depth: u32,
        meter: &mut BudgetMeter<'_>,
    ) -> bool {
        while !self.is_complete(max_depth) {
            if is_alone(threads.get()) || self.result.nodes < MIN_PARALLEL_NODES {
                let next = max_depth.min(self.result.depth + 1);
                if !self.advance(next, meter) {
                    return false;
                }
            } else if !self.search_iteration(threads, meter) {
                return false;
            }
        }
        true
    }

    /// Continues the search to the next depth on all threads, and returns whether
    /// one of them has completed it.
    fn search_iteration(&mut self, threads: NonZero<usize>, meter: &mut BudgetMeter<'_>) -> bool {
        if meter.is_spent() {
            return false;
        }
        self.start_iteration();
        self.helpers
            .resize_with(bounded(threads).get() - 1, Worker::new);
        let next = self.next_root_search();
        for helper in &mut self.helpers {
            let depth = helper.root_search.as_ref().map(|search| search.depth);
            if depth != Some(next.depth) {
                helper.abandon();
                helper.root_search = Some(next.clone());
            }
        }
        let abdada = AbdadaTable::new();
        let context = SearchContext {
            root: &self.game,
            earlier: &self.earlier,
            evaluator: &self.evaluator,
            table: &self.table,
            abdada: Some(&abdada),
        };
        let before = meter.nodes();
        // The first to end, because it is complete or the budget is spent, ends all.
        let resume = |worker: &mut Worker<G>, meter: &mut BudgetMeter<'_>| {
            let is_complete = worker.resume(&context, meter);
            abdada.stop();
            is_complete.then(|| worker.root_search.take()).flatten()
        };
        let help = |helper| {
            move || {
                let never = StopFlag::new();
                let mut meter = BudgetMeter::new(&Budget::UNLIMITED, &never);
                (resume(helper, &mut meter), meter.nodes())
            }
        };
        let own = || (resume(&mut self.worker, meter), 0);
        let results = run_together(own, self.helpers.iter_mut().map(help));
        let helper_nodes: u64 = results.iter().map(|&(_, nodes)| nodes).sum();
        self.result.nodes += helper_nodes + meter.nodes() - before;
        let mut completed = results.into_iter().filter_map(|(completed, _)| completed);
        let Some(root_search) = completed.next() else {
            return false;
        };
        self.worker.abandon();
        for helper in &mut self.helpers {
            helper.abandon();
        }
        self.finish_iteration(root_search);
        meter.poll();
        true
    }
}
