use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::nodes::Node;
use super::tree::Tree;
use crate::outcome_bounds::OutcomeBounds;
use crate::sort_moves;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};

/// The result of a tree search.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeAnswer<M> {
    /// The statistics of every move, the best first: proved wins, then by visits,
    /// proved losses last. Empty exactly when the game is over.
    pub moves: Vec<MoveStatistics<M>>,
    /// The principal variation: the best move, and after it the best visited ones.
    pub line: Vec<M>,
    /// The number of iterations, including those kept from earlier positions.
    pub iterations: u64,
    /// The outcome under best play, if it is proved.
    pub proved: Option<Outcome>,
}

/// The statistics of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// The move.
    pub m: M,
    /// The number of visits.
    pub visits: u64,
    /// The mean points of the side that plays it, 0 to 1: 1 for a win, half for a
    /// draw; the proved result if there is one, and half without visits. It is kept in
    /// single precision.
    pub value: f64,
    /// The outcome after it under best play, if it is proved.
    pub proved: Option<Outcome>,
}

/// A move of the root, summed over all trees.
#[derive(Clone, Copy)]
struct Candidate<M> {
    m: M,
    visits: u64,
    points: f64,
    bounds: OutcomeBounds,
}

impl<M: Copy> Candidate<M> {
    /// The sum of the nodes of a move, one of each tree.
    fn new<'a>(m: M, nodes: impl Iterator<Item = &'a Node<M>>) -> Self
    where
        M: 'a,
    {
        let mut candidate = Self {
            m,
            visits: 0,
            points: 0.0,
            bounds: OutcomeBounds::Unknown,
        };
        for node in nodes {
            candidate.visits += u64::from(node.visits);
            candidate.points += node.points();
            candidate.bounds = candidate.bounds.intersect(node.bounds);
        }
        candidate
    }

    fn value(&self) -> f64 {
        match self.bounds.points() {
            Some(points) => f64::from(points),
            None if self.visits == 0 => 0.5,
            None => self.points / self.visits as f64,
        }
    }

    /// The rank that comes before the visits: wins first, losses last and, if a draw
    /// is secured, moves that promise less after it.
    fn rank(&self, best: OutcomeBounds) -> u8 {
        match self.bounds {
            OutcomeBounds::Win => 4,
            OutcomeBounds::Draw => 2,
            OutcomeBounds::Loss => 0,
            _ if !best.secures_draw() => 2,
            open if open.cannot_beat(best) || self.value() < 0.5 => 1,
            _ => 3,
        }
    }

    /// Orders moves from the best to the worst.
    fn cmp(&self, other: &Self, best: OutcomeBounds) -> Ordering {
        let by_rank = other.rank(best).cmp(&self.rank(best));
        let by_visits = other.visits.cmp(&self.visits);
        let by_value = other.value().total_cmp(&self.value());
        by_rank.then(by_visits).then(by_value)
    }

    fn statistics(&self, side: Side) -> MoveStatistics<M> {
        MoveStatistics {
            m: self.m,
            visits: self.visits,
            value: self.value(),
            proved: self.bounds.outcome(side),
        }
    }
}

impl<M: Copy + Eq> TreeAnswer<M> {
    /// The answer of trees with the same root position, without the excluded moves.
    pub(super) fn new<G: TwoPlayerGame<Move = M>>(trees: &[&Tree<G>], excluded: &[M]) -> Self {
        let Tree { game, nodes, .. } = trees[0];
        let side = game.to_move();
        let moves = trees[0]
            .root()
            .children()
            .filter_map(|child| nodes[child].m);
        let mut candidates: Vec<_> = moves
            .filter(|m| !excluded.contains(m))
            .map(|m| {
                let nodes = trees
                    .iter()
                    .filter_map(|tree| Some(&tree.nodes[tree.child(m)?]));
                Candidate::new(m, nodes)
            })
            .collect();
        let best = OutcomeBounds::best_of(candidates.iter().map(|candidate| candidate.bounds));
        sort_moves(&mut candidates, |a, b| a.cmp(b, best));
        let moves: Vec<_> = candidates.iter().map(|c| c.statistics(side)).collect();
        let iterations = trees.iter().map(|tree| u64::from(tree.root().visits));
        Self {
            line: moves
                .first()
                .map_or_else(Vec::new, |best| line(trees, best.m)),
            proved: game.outcome().or(best.outcome(side)),
            iterations: iterations.sum(),
            moves,
        }
    }
}

/// The principal variation after a move, from the tree that visited it most.
fn line<G: TwoPlayerGame>(trees: &[&Tree<G>], best: G::Move) -> Vec<G::Move> {
    let mut line = vec![best];
    let nodes = trees
        .iter()
        .filter_map(|tree| Some((&tree.nodes, tree.child(best)?)));
    let Some((nodes, mut at)) = nodes.max_by_key(|&(nodes, child)| nodes[child].visits) else {
        return line;
    };
    loop {
        let candidates = nodes[at].children().filter_map(|child| {
            let node = &nodes[child];
            Some((child, Candidate::new(node.m?, core::iter::once(node))))
        });
        let candidates: Vec<_> = candidates.collect();
        let best = OutcomeBounds::best_of(candidates.iter().map(|(_, candidate)| candidate.bounds));
        let next = candidates
            .into_iter()
            .filter(|(_, candidate)| candidate.visits > 0)
            .min_by(|(_, a), (_, b)| a.cmp(b, best));
        let Some((child, candidate)) = next else {
            return line;
        };
        line.push(candidate.m);
        at = child;
    }
}
