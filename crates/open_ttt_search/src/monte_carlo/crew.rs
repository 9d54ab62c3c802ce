use core::num::NonZero;
use std::sync::Mutex;
use std::thread;

use super::tree::Tree;
use super::waiting::Waiting;
use super::{Judgement, LeafEvaluator};
use crate::budget::BudgetMeter;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Several threads in one tree: tree parallelization with one lock and virtual
/// loss (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search",
/// 2008).
///
/// Who has the tree counts what it was told of its leaves and takes new ones.
/// Leaves are judged outside of the lock: that is where the threads work side
/// by side.
#[derive(Debug)]
pub(super) struct Crew<'a, G: TwoPlayerGame> {
    work: Mutex<Work<'a, G>>,
}

/// What the threads share.
#[derive(Debug)]
struct Work<'a, G: TwoPlayerGame> {
    tree: &'a mut Tree<G>,
    meter: BudgetMeter<'a>,
}

/// How many leaves a thread takes at a time at most where the evaluator does not
/// say: enough to be worth taking the lock, few enough to know what the others
/// saw.
const LEAVES: u64 = 16;

impl<'a, G: TwoPlayerGame> Crew<'a, G> {
    pub(super) fn new(tree: &'a mut Tree<G>, meter: BudgetMeter<'a>) -> Self {
        Self {
            work: Mutex::new(Work { tree, meter }),
        }
    }

    /// Grows the tree with so many threads, this one among them, which end
    /// before this returns. A thread that is not to be had is done without.
    pub(super) fn grow<E>(&self, threads: NonZero<usize>, evaluator: &mut E, rng: &mut Rng)
    where
        G: Send,
        G::Move: Send,
        E: LeafEvaluator<G> + Clone + Send,
    {
        thread::scope(|scope| {
            for _ in 1..threads.get() {
                let mut evaluator = evaluator.clone();
                let mut rng = Rng::new(rng.next_u64());
                let work = move || self.work(&mut evaluator, &mut rng);
                drop(thread::Builder::new().spawn_scoped(scope, work));
            }
            self.work(evaluator, rng);
        });
    }

    /// What each thread does until the tree has grown enough.
    fn work<E: LeafEvaluator<G>>(&self, evaluator: &mut E, rng: &mut Rng) {
        let batch = evaluator.batch().get() as u64;
        let most = if batch > 1 { batch } else { LEAVES };
        let mut waiting = Waiting::new();
        let mut judgements = Vec::new();
        while self.take(&mut waiting, &judgements, most, rng) {
            judgements = judged(&waiting.positions, evaluator, rng);
        }
    }

    /// Hands in judgements of leaves and takes new ones. Returns whether there
    /// is more to do.
    fn take(
        &self,
        waiting: &mut Waiting<G>,
        judgements: &[Judgement],
        most: u64,
        rng: &mut Rng,
    ) -> bool {
        // Where another thread broke down with the tree in hand, nobody goes on.
        let Ok(mut work) = self.work.lock() else {
            return false;
        };
        let Work { tree, meter } = &mut *work;
        tree.settle(waiting, judgements, rng);
        if meter.is_over() || tree.is_done() {
            return false;
        }
        let lines = tree.gather(waiting, rng, meter.batch().min(most));
        meter.count(lines);
        true
    }
}

fn judged<G, E>(leaves: &[G], evaluator: &mut E, rng: &mut Rng) -> Vec<Judgement>
where
    E: LeafEvaluator<G>,
    G: TwoPlayerGame,
{
    if evaluator.batch().get() > 1 && !leaves.is_empty() {
        return evaluator.evaluate_batch(leaves, rng);
    }
    leaves
        .iter()
        .map(|leaf| evaluator.evaluate(leaf, rng))
        .collect()
}
