use core::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

use crate::abdada::AbdadaTable;
use crate::alpha_beta::pv_search::SearchContext;
use crate::alpha_beta::root_search::RootSearch;
use crate::alpha_beta::searcher::{Searcher, Worker};
use crate::budget::BudgetMeter;
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
        let mut meter = BudgetMeter::new(&budget.share(threads), stop);
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
            if threads.get() == 1 || self.result.nodes < MIN_PARALLEL_NODES {
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
        self.helpers.resize_with(threads.get() - 1, Worker::new);
        let next = self.next_root_search();
        for helper in &mut self.helpers {
            let depth = helper.root_search.as_ref().map(RootSearch::depth);
            if depth != Some(next.depth()) {
                helper.abandon();
                helper.root_search = Some(next.clone());
            }
        }
        let abdada = AbdadaTable::new();
        let context = SearchContext {
            evaluator: &self.evaluator,
            table: &self.table,
            abdada: Some(&abdada),
        };
        let before = meter.nodes();
        let (game, worker) = (&self.game, &mut self.worker);
        let mut completed = None;
        let mut helper_nodes = 0;
        scope(|scope| {
            let threads: Vec<_> = self
                .helpers
                .iter_mut()
                .filter_map(|helper| {
                    let help = || {
                        let never = StopFlag::new();
                        let mut meter = BudgetMeter::new(&Budget::UNLIMITED, &never);
                        let is_complete = helper.resume(&context, &mut meter, game);
                        if is_complete {
                            abdada.stop();
                        }
                        (helper, is_complete, meter.nodes())
                    };
                    Builder::new().spawn_scoped(scope, help).ok()
                })
                .collect();
            if worker.resume(&context, meter, game) {
                completed = worker.root_search.take();
            }
            abdada.stop();
            for thread in threads {
                let (helper, is_complete, nodes) = thread
                    .join()
                    .unwrap_or_else(|payload| resume_unwind(payload));
                helper_nodes += nodes;
                if is_complete && completed.is_none() {
                    completed = helper.root_search.take();
                }
            }
        });
        self.result.nodes += helper_nodes + meter.nodes() - before;
        let Some(root_search) = completed else {
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
