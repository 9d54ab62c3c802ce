use alloc::vec;
use alloc::vec::Vec;
use core::num::NonZero;

use super::tree::Tree;
use super::tree_parallel::search_together;
use super::{LeafEvaluator, Playout, TreeAnswer, TreeOptions};
use crate::budget::BudgetMeter;
use crate::threads::{is_alone, run_together};
use crate::tree::moves_between;
use crate::{Budget, StopFlag};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{IllegalMove, TwoPlayerGame};

/// Monte-Carlo tree search by UCT, with proofs (MCTS-Solver). It runs in steps,
/// answers at any time, and keeps the subtree of a move that is played.
///
/// It needs nothing but the rules. The same position, options, iterations and
/// random numbers give the same answer.
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
#[doc(alias = "MCTS")]
#[doc(alias = "UCT")]
#[derive(Clone, Debug)]
pub struct TreeSearch<G: TwoPlayerGame, E = Playout> {
    workers: Vec<Worker<G, E>>,
    /// The moves of the root that are excluded.
    excluded: Vec<G::Move>,
}

/// A tree with its evaluator and random numbers. Workers run in parallel and must
/// not share a cache line.
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
            .map(|_| Worker::new(game, evaluator.clone(), &options, Rng::new(rng.next_u64())))
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
    /// Sets the positions before the one that is searched, the oldest first. Only a
    /// game in which positions come back needs its history;
    /// [`advance`](Self::advance) adds to it.
    pub fn set_history(&mut self, earlier: &[G]) {
        for worker in &mut self.workers {
            worker.tree.set_earlier(earlier);
        }
    }

    /// The position that is searched.
    pub fn game(&self) -> &G {
        &self.workers[0].tree.game
    }

    /// Searches until the budget of this step is spent, the flag is raised or the
    /// result is proved. Starts no thread.
    ///
    /// The budget's `nodes` are iterations; its `depth` is not used. In a single
    /// tree, several steps give the same result as one with all their iterations.
    pub fn step(&mut self, budget: &Budget, stop: &StopFlag) {
        for (worker, budget) in self.in_turn(budget) {
            worker.step(&budget, stop, 0);
        }
    }

    /// As [`step`](Self::step), with one thread per tree (root parallelization). The
    /// threads end before this returns.
    ///
    /// If only iterations limit the step, the result is that of `step`. The tree of a
    /// thread that cannot be started stays as it is. Where there are no threads, this is
    /// `step`.
    pub fn step_on_threads(&mut self, budget: &Budget, stop: &StopFlag)
    where
        G: TwoPlayerGame<Move: Send> + Send,
        E: Send,
    {
        if is_alone(self.workers.len()) {
            return self.step(budget, stop);
        }
        let shares = self.shares(budget);
        let workers = self.workers.iter_mut().zip(shares);
        let mut steps = workers.map(|(worker, budget)| move || worker.step(&budget, stop, 0));
        if let Some(own) = steps.next() {
            run_together(own, steps);
        }
    }

    /// As [`step`](Self::step), with this many threads per tree, one tree after the
    /// other (tree parallelization with virtual loss). The threads end before this
    /// returns.
    ///
    /// Leaves are evaluated in parallel, the tree itself is locked. This pays where
    /// evaluation takes much longer than selection; otherwise
    /// [`step_on_threads`](Self::step_on_threads) is better. With more than one
    /// thread, the result differs from run to run. A thread that cannot be started
    /// is left out.
    pub fn step_together(&mut self, threads: NonZero<usize>, budget: &Budget, stop: &StopFlag)
    where
        G: TwoPlayerGame<Move: Send> + Send,
        E: Clone + Send,
    {
        if is_alone(threads.get()) {
            return self.step(budget, stop);
        }
        for (worker, budget) in self.in_turn(budget) {
            let mut meter = BudgetMeter::new(&budget, stop);
            meter.poll();
            let Worker {
                tree,
                evaluator,
                rng,
            } = worker;
            search_together(tree, meter, threads, evaluator, rng);
        }
    }

    /// Searches until the budget is spent, but as often as a new search needs to visit every
    /// move once, whatever the budget and the flag. Moves that are excluded, or known to be no
    /// better than another, may have no visit. Returns the answer.
    pub fn answer_within(&mut self, budget: &Budget, stop: &StopFlag) -> TreeAnswer<G::Move> {
        for (worker, budget) in self.in_turn(budget) {
            let moves = worker.tree.root().children().len();
            let unvisited = moves.saturating_sub(worker.tree.root().visits as usize);
            worker.step(&budget, stop, unvisited as u64);
        }
        self.answer()
    }

    /// The answer so far.
    pub fn answer(&self) -> TreeAnswer<G::Move> {
        let trees: Vec<_> = self.workers.iter().map(|worker| &worker.tree).collect();
        TreeAnswer::new(&trees, &self.excluded)
    }

    /// The number of nodes in all trees.
    pub fn tree_nodes(&self) -> usize {
        self.workers
            .iter()
            .map(|worker| worker.tree.nodes.len())
            .sum()
    }

    /// Plays a move. The subtree below it is kept, unless the move was excluded, and the
    /// memory of the rest is reused.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] with the reason, and the search is unchanged.
    pub fn advance(&mut self, m: G::Move) -> Result<(), IllegalMove<G::Move>> {
        self.game().check(m)?;
        let is_kept = !self.excluded.contains(&m);
        for worker in &mut self.workers {
            worker.tree.advance(m, is_kept, &mut worker.rng);
        }
        self.excluded.clear();
        Ok(())
    }

    /// Advances to a position at most two moves ahead that is in the tree. Returns
    /// whether it is; if not, or if moves are excluded, the search is unchanged.
    pub fn advance_to(&mut self, game: &G) -> bool {
        if !self.excluded.is_empty() {
            return false;
        }
        if self.game() == game {
            return true;
        }
        let visited = self.answer().moves.into_iter().filter(|m| m.visits > 0);
        let moves = moves_between(self.game(), game, visited.map(|visited| visited.m));
        moves.is_some_and(|moves| moves.into_iter().all(|m| self.advance(m).is_ok()))
    }

    /// Excludes moves of the root, until the search advances.
    pub fn exclude(&mut self, moves: impl IntoIterator<Item = G::Move>) {
        for m in moves {
            for worker in &mut self.workers {
                worker.tree.exclude(m);
            }
            self.excluded.push(m);
        }
    }

    /// Each worker with its share of a budget, for trees that are searched one after the
    /// other.
    fn in_turn(&mut self, budget: &Budget) -> impl Iterator<Item = (&mut Worker<G, E>, Budget)> {
        let mut budget = *budget;
        if let Some(time) = &mut budget.time {
            time.limit /= self.workers.len() as u32;
        }
        let shares = self.shares(&budget);
        self.workers.iter_mut().zip(shares)
    }

    /// Each tree's share of the nodes of a budget.
    fn shares(&self, budget: &Budget) -> Vec<Budget> {
        let count = self.workers.len() as u64;
        let share = |index| Budget {
            nodes: budget.nodes.map(|nodes| (nodes + index) / count),
            ..*budget
        };
        (0..count).rev().map(share).collect()
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G>> Worker<G, E> {
    fn new(game: &G, evaluator: E, options: &TreeOptions, mut rng: Rng) -> Self {
        Self {
            tree: Tree::new(game, options, &mut rng),
            evaluator,
            rng,
        }
    }

    /// Searches until the budget is spent, but for at least `min_iterations`.
    fn step(&mut self, budget: &Budget, stop: &StopFlag, min_iterations: u64) {
        let budget = Budget {
            nodes: budget.nodes.map(|nodes| nodes.max(min_iterations)),
            ..*budget
        };
        let mut meter = BudgetMeter::new(&budget, stop);
        meter.poll();
        while (meter.nodes() < min_iterations || !meter.is_over()) && !self.tree.is_done() {
            self.tree.iterate(&mut self.evaluator, &mut self.rng);
            meter.count(1);
        }
    }
}
