use core::num::NonZero;
use std::sync::Mutex;
use std::thread;

use super::pending_leaves::PendingLeaves;
use super::tree::Tree;
use super::{LeafEvaluator, SideValue};
use crate::budget::BudgetMeter;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Tree parallelization with one lock and virtual loss (Chaslot, Winands and van
/// den Herik, "Parallel Monte-Carlo tree search", 2008).
///
/// The lock holder backs up evaluated leaves and selects new ones. Leaves are
/// evaluated outside of the lock.
#[derive(Debug)]
pub(super) struct TreeParallel<'a, G: TwoPlayerGame> {
    shared: Mutex<Shared<'a, G>>,
}

#[derive(Debug)]
struct Shared<'a, G: TwoPlayerGame> {
    tree: &'a mut Tree<G>,
    meter: BudgetMeter<'a>,
}

/// The most leaves that a thread selects at a time: enough to be worth taking the
/// lock, few enough to use the results of the other threads.
const MAX_LEAVES: u64 = 16;

impl<'a, G: TwoPlayerGame> TreeParallel<'a, G> {
    pub(super) fn new(tree: &'a mut Tree<G>, meter: BudgetMeter<'a>) -> Self {
        Self {
            shared: Mutex::new(Shared { tree, meter }),
        }
    }

    /// Searches on this many threads, including the calling one, and waits for them.
    /// A thread that cannot be started is left out.
    pub(super) fn run<E>(&self, threads: NonZero<usize>, evaluator: &mut E, rng: &mut Rng)
    where
        G: Send,
        G::Move: Send,
        E: LeafEvaluator<G> + Clone + Send,
    {
        thread::scope(|scope| {
            for _ in 1..threads.get() {
                let mut evaluator = evaluator.clone();
                let mut rng = Rng::new(rng.next_u64());
                let work = move || self.run_thread(&mut evaluator, &mut rng);
                drop(thread::Builder::new().spawn_scoped(scope, work));
            }
            self.run_thread(evaluator, rng);
        });
    }

    fn run_thread(&self, evaluator: &mut impl LeafEvaluator<G>, rng: &mut Rng) {
        let mut pending = PendingLeaves::new();
        let mut values = Vec::new();
        while self.exchange(&mut pending, &values, rng) {
            let leaves = pending.positions.iter();
            values = leaves.map(|leaf| evaluator.evaluate(leaf, rng)).collect();
        }
    }

    /// Backs up the values of pending leaves and selects new ones. Returns whether
    /// the search goes on.
    fn exchange(
        &self,
        pending: &mut PendingLeaves<G>,
        values: &[SideValue],
        rng: &mut Rng,
    ) -> bool {
        // The lock is poisoned if another thread has panicked with it.
        let Ok(mut shared) = self.shared.lock() else {
            return false;
        };
        let Shared { tree, meter } = &mut *shared;
        tree.back_up_leaves(pending, values);
        if meter.is_over() || tree.is_done() {
            return false;
        }
        let max_iterations = meter.batch().min(MAX_LEAVES);
        meter.count(tree.select_leaves(pending, max_iterations, rng));
        true
    }
}
