use alloc::vec::Vec;
use core::num::NonZero;

use super::LeafEvaluator;
use super::tree::{PendingLeaf, Tree};
use crate::budget::BudgetMeter;
use crate::threads::{Shared, bounded, run_together};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// The most leaves that a thread selects at a time: enough to be worth taking the
/// lock, few enough to use the results of the other threads.
const MAX_LEAVES: u64 = 16;

/// Tree parallelization with one lock and virtual loss (Chaslot, Winands and van
/// den Herik, "Parallel Monte-Carlo tree search", 2008), on this many threads, including
/// the calling one.
///
/// The lock holder backs up evaluated leaves and selects new ones. Leaves are
/// evaluated outside of the lock.
pub(super) fn search_together<G, E>(
    tree: &mut Tree<G>,
    meter: BudgetMeter<'_>,
    threads: NonZero<usize>,
    evaluator: &mut E,
    rng: &mut Rng,
) where
    G: TwoPlayerGame<Move: Send> + Send,
    E: LeafEvaluator<G> + Clone + Send,
{
    let shared = Shared::new((tree, meter));
    let search = |evaluator: &mut E, rng: &mut Rng| {
        let mut pending: Vec<PendingLeaf<G>> = Vec::new();
        let mut values = Vec::new();
        while let Some(mut shared) = shared.lock() {
            let (tree, meter) = &mut *shared;
            tree.back_up_leaves(&mut pending, &values);
            if meter.is_over() || tree.is_done() {
                break;
            }
            let max_iterations = meter.batch().min(MAX_LEAVES);
            meter.count(tree.select_leaves(&mut pending, max_iterations, rng));
            drop(shared);
            let leaves = pending.iter().map(|leaf| &leaf.position);
            values = leaves.map(|leaf| evaluator.evaluate(leaf, rng)).collect();
        }
    };
    let threads = bounded(threads).get();
    let helpers = (1..threads).map(|_| (evaluator.clone(), Rng::new(rng.next_u64())));
    let helpers: Vec<_> = helpers.collect();
    let help = |(mut evaluator, mut rng)| move || search(&mut evaluator, &mut rng);
    run_together(|| search(evaluator, rng), helpers.into_iter().map(help));
}
