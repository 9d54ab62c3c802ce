use core::num::NonZero;
use std::thread;

use super::crew::Crew;
use super::tree::Tree;
use super::{LeafEvaluator, Playout, TreeAnswer, TreeOptions};
use crate::budget::BudgetMeter;
use crate::{Budget, StopFlag};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{IllegalMove, TwoPlayerGame};

/// A tree search that lives: it is driven in steps, answers at any time, and
/// goes on from its tree when a move is played.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_search::{Budget, Playout, StopFlag, TreeOptions, TreeSearch};
///
/// let options = TreeOptions::default();
/// let mut search = TreeSearch::new(&ConnectFour::new(), Playout, options, Rng::new(1));
/// for _frame in 0..10 {
///     search.step(&Budget::nodes(100), &StopFlag::new());
/// }
/// let answer = search.answer();
/// assert_eq!(answer.iterations, 1_000);
///
/// let best = answer.moves[0];
/// search.advance(best.m)?;
/// assert_eq!(search.answer().iterations, best.visits);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TreeSearch<G: TwoPlayerGame, E = Playout> {
    workers: Vec<Worker<G, E>>,
    /// Moves of the position searched that are left out.
    excluded: Vec<G::Move>,
}

/// A tree with what it needs to grow on its own. It shares no cache line with
/// another, for they grow at the same time.
#[derive(Clone, Debug)]
#[repr(align(128))]
struct Worker<G: TwoPlayerGame, E> {
    tree: Tree<G>,
    evaluator: E,
    rng: Rng,
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G> + Clone> TreeSearch<G, E> {
    /// A search that has not begun.
    pub fn new(game: &G, evaluator: E, options: TreeOptions, mut rng: Rng) -> Self {
        let others: Vec<_> = (1..options.trees.get())
            .map(|_| {
                let rng = Rng::new(rng.next_u64());
                Worker::new(game, evaluator.clone(), &options, rng)
            })
            .collect();
        let mut workers = vec![Worker::new(game, evaluator, &options, rng)];
        workers.extend(others);
        Self {
            workers,
            excluded: Vec::new(),
        }
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G>> TreeSearch<G, E> {
    /// The position that is searched.
    pub fn game(&self) -> &G {
        self.workers[0].tree.game()
    }

    /// Searches on until the budget of this step is spent, the flag is raised
    /// or the result is proved. Starts no thread.
    ///
    /// A budget's `nodes` are iterations, its `depth` is not used. With no
    /// iterations to make, no time or a raised flag nothing is done. In one
    /// tree many steps come to the same as one with all their iterations,
    /// where the evaluator's [`batch`](LeafEvaluator::batch) is one.
    pub fn step(&mut self, budget: &Budget, stop: &StopFlag) {
        let budgets = self.shares(budget, TimeIs::Shared);
        for (worker, budget) in self.workers.iter_mut().zip(budgets) {
            worker.step(&budget, stop, 0);
        }
    }

    /// The same, with a thread for each tree, which end before this returns.
    ///
    /// Where iterations alone limit the step, the result is the same as that
    /// of [`step`](Self::step). A thread that is not to be had is done without.
    pub fn step_on_threads(&mut self, budget: &Budget, stop: &StopFlag)
    where
        G: Send,
        G::Move: Send,
        E: Send,
    {
        let budgets = self.shares(budget, TimeIs::Each);
        let Some((own, others)) = self.workers.split_first_mut() else {
            return;
        };
        let mut budgets = budgets.into_iter();
        let own_budget = budgets.next().unwrap_or(*budget);
        thread::scope(|scope| {
            for (worker, budget) in others.iter_mut().zip(budgets) {
                let work = move || worker.step(&budget, stop, 0);
                // Its tree stays as it is, and the answer is that of the others.
                drop(thread::Builder::new().spawn_scoped(scope, work));
            }
            own.step(&own_budget, stop, 0);
        });
    }

    /// The same, with so many threads in each tree, one tree after the other. The
    /// threads end before this returns.
    ///
    /// While one thread has the tree the others judge leaves; lines whose leaves
    /// are not judged yet count as lost, so that nobody follows them (virtual
    /// loss). What is found depends on who comes first: it is not the same each
    /// time, but with one thread. Where judging takes much longer than growing the
    /// tree, as with a network, so many threads make nearly so many times the
    /// iterations of one; where it does not, they are no faster than one, and
    /// [`step_on_threads`](Self::step_on_threads) is better. A thread that is not
    /// to be had is done without.
    pub fn step_together(&mut self, threads: NonZero<usize>, budget: &Budget, stop: &StopFlag)
    where
        G: Send,
        G::Move: Send,
        E: Clone + Send,
    {
        if threads.get() == 1 {
            return self.step(budget, stop);
        }
        let budgets = self.shares(budget, TimeIs::Shared);
        for (worker, budget) in self.workers.iter_mut().zip(budgets) {
            worker.step_together(threads, &budget, stop);
        }
    }

    /// Searches until the budget is spent, but tries every move at least once.
    pub fn answer_within(&mut self, budget: &Budget, stop: &StopFlag) -> TreeAnswer<G::Move> {
        let budgets = self.shares(budget, TimeIs::Shared);
        for (worker, budget) in self.workers.iter_mut().zip(budgets) {
            let moves = worker.tree.root().children().len();
            let untried = moves.saturating_sub(worker.tree.root().visits as usize);
            worker.step(&budget, stop, untried as u64);
        }
        self.answer()
    }

    /// What is known so far.
    pub fn answer(&self) -> TreeAnswer<G::Move> {
        let trees: Vec<_> = self.workers.iter().map(|worker| &worker.tree).collect();
        TreeAnswer::read(&trees, &self.excluded)
    }

    /// How many nodes the trees have.
    pub fn tree_nodes(&self) -> usize {
        self.workers.iter().map(|worker| worker.tree.len()).sum()
    }

    /// Goes on from the position after a move. What was seen of it is kept,
    /// and the memory of the rest is free for it.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] with the reason; the search is then unchanged.
    pub fn advance(&mut self, m: G::Move) -> Result<(), IllegalMove<G::Move>> {
        self.game().check(m)?;
        for worker in &mut self.workers {
            worker.tree.advance(m, &mut worker.rng);
        }
        self.excluded.clear();
        Ok(())
    }

    /// Goes on from a position at most two moves ahead whose tree is there.
    /// Returns whether it is; if not, the search is unchanged.
    pub fn advance_to(&mut self, game: &G) -> bool {
        if !self.excluded.is_empty() {
            return false;
        }
        if self.game() == game {
            return true;
        }
        for first in self.visited_moves() {
            let next = self.game().after(first);
            if next == *game {
                return self.advance(first).is_ok();
            }
            if next.to_move() == game.to_move() || next.outcome().is_some() {
                continue;
            }
            if let Some(second) = next.moves().find(|&second| next.after(second) == *game) {
                return self.advance(first).is_ok() && self.advance(second).is_ok();
            }
        }
        false
    }

    fn visited_moves(&self) -> Vec<G::Move> {
        let seen = self.answer().moves.into_iter().filter(|m| m.visits > 0);
        seen.map(|statistics| statistics.m).collect()
    }

    /// Leaves moves of this position out from now on, until the search goes on
    /// from another position.
    pub fn exclude(&mut self, moves: impl IntoIterator<Item = G::Move>) {
        for m in moves {
            for worker in &mut self.workers {
                worker.tree.exclude(m);
            }
            self.excluded.push(m);
        }
    }

    /// Each tree's share of a budget.
    fn shares(&self, budget: &Budget, time: TimeIs) -> Vec<Budget> {
        let count = self.workers.len();
        let share = |index| Budget {
            nodes: budget
                .nodes
                .map(|nodes| (nodes + (count - 1 - index) as u64) / count as u64),
            time: budget.time.map(|mut time_limit| {
                if time == TimeIs::Shared {
                    time_limit.limit /= count as u32;
                }
                time_limit
            }),
            ..*budget
        };
        (0..count).map(share).collect()
    }
}

/// Whether the trees have one time after the other or all the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeIs {
    Shared,
    Each,
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G>> Worker<G, E> {
    fn new(game: &G, evaluator: E, options: &TreeOptions, mut rng: Rng) -> Self {
        Self {
            tree: Tree::new(game, options, &mut rng),
            evaluator,
            rng,
        }
    }

    /// At least so many iterations are made.
    fn step(&mut self, budget: &Budget, stop: &StopFlag, least: u64) {
        let budget = Budget {
            nodes: budget.nodes.map(|nodes| nodes.max(least)),
            ..*budget
        };
        let mut meter = BudgetMeter::new(&budget, stop);
        meter.poll();
        while (meter.nodes() < least || !meter.is_over()) && !self.tree.is_done() {
            let lines = self
                .tree
                .grow(&mut self.evaluator, &mut self.rng, meter.nodes_left());
            meter.count(lines);
        }
    }

    /// The same, with so many threads.
    fn step_together(&mut self, threads: NonZero<usize>, budget: &Budget, stop: &StopFlag)
    where
        G: Send,
        G::Move: Send,
        E: Clone + Send,
    {
        let mut meter = BudgetMeter::new(budget, stop);
        meter.poll();
        if meter.is_over() || self.tree.is_done() {
            return;
        }
        self.tree.judge_root(&mut self.evaluator, &mut self.rng);
        Crew::new(&mut self.tree, meter).grow(threads, &mut self.evaluator, &mut self.rng);
    }
}
