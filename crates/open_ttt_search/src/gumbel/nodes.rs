use core::ops::Range;

use super::functions::{exp, greatest};
use crate::outcome_bounds::OutcomeBounds;
use crate::tree::{ROOT, subtree_indices};

/// The value of a move of which nothing is known. It is no number, so that one
/// comparison tells and nobody counts with it by mistake.
const UNKNOWN: f32 = f32::NAN;

/// A position of the tree that was estimated, and what was seen of it.
#[derive(Clone, Copy, Debug)]
struct Node {
    first_edge: u32,
    edges: u32,
    /// How often one of its moves was tried.
    visits: u32,
    /// The visits of its move that was tried most.
    most_visits: u32,
    /// What it was estimated at, for the side to move, -1 to 1.
    estimate: f32,
}

/// What selection does not look at.
#[derive(Clone, Copy, Debug)]
struct Link<M> {
    m: M,
    /// The node the move leads to; the root, to which none leads, where there is
    /// none yet.
    child: u32,
    /// What is proved, for the side that makes the move.
    bounds: OutcomeBounds,
}

/// The tree: positions by number, each with its moves, the edges.
///
/// ```text
/// nodes            root | after a | after c | after a, y | ..
/// edges           a b c |  x y z  |    x    |    p q     | ..
///   logits, priors, values, visits, links: one each, side by side
/// ```
///
/// The root is the first; both nodes and their edges stand in the order in which
/// they were added, so a child stands after its parent. What selection compares
/// is in arrays of numbers, which a processor takes several at a time.
///
/// All that an edge says of worth is told for the side that makes the move.
#[derive(Clone, Debug)]
pub(super) struct Nodes<M> {
    positions: Vec<Node>,
    /// The logits of the policy, the greatest of a node at nought.
    logits: Vec<f32>,
    /// The policy: softmax of the logits.
    priors: Vec<f32>,
    /// The mean of the visits or, if it is proved, the result: -1 to 1.
    values: Vec<f32>,
    visits: Vec<u32>,
    links: Vec<Link<M>>,
}

/// What selection sees of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    pub(super) logits: &'a [f32],
    pub(super) priors: &'a [f32],
    /// No number where nothing is known.
    pub(super) values: &'a [f32],
    pub(super) visits: &'a [u32],
    /// The visits together.
    pub(super) all_visits: u32,
    pub(super) most_visits: u32,
    /// What the position was estimated at.
    pub(super) estimate: f32,
}

impl<M: Copy> Nodes<M> {
    /// The most edges there are.
    const MOST_EDGES: usize = 1 << 26;

    /// The most edges that memory is asked for before they are needed. What is
    /// not used costs nothing where memory is given page by page.
    const AMPLE_EDGES: usize = 1 << 22;

    /// Not even a root.
    pub(super) const fn new() -> Self {
        Self {
            positions: Vec::new(),
            logits: Vec::new(),
            priors: Vec::new(),
            values: Vec::new(),
            visits: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Forgets everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.truncate_edges(0);
    }

    fn truncate_edges(&mut self, edges: usize) {
        self.logits.truncate(edges);
        self.priors.truncate(edges);
        self.values.truncate(edges);
        self.visits.truncate(edges);
        self.links.truncate(edges);
    }

    /// Makes room for so many more nodes with so many moves each, so that the
    /// arrays need not move while they grow. If that much is not to be had, they
    /// take what they need when they need it.
    pub(super) fn reserve(&mut self, nodes: usize, moves: usize) {
        let edges = nodes.saturating_mul(moves).min(Self::AMPLE_EDGES);
        let nodes = nodes.min(Self::AMPLE_EDGES);
        // No room ahead of time is no failure.
        let _ = self.positions.try_reserve(nodes);
        let _ = self.logits.try_reserve(edges);
        let _ = self.priors.try_reserve(edges);
        let _ = self.values.try_reserve(edges);
        let _ = self.visits.try_reserve(edges);
        let _ = self.links.try_reserve(edges);
    }

    /// The edges of a node.
    pub(super) fn edges(&self, node: usize) -> Range<usize> {
        let node = &self.positions[node];
        let first = node.first_edge as usize;
        first..first + node.edges as usize
    }

    pub(super) fn seen(&self, node: usize) -> Seen<'_> {
        let edges = self.edges(node);
        let node = &self.positions[node];
        Seen {
            logits: &self.logits[edges.clone()],
            priors: &self.priors[edges.clone()],
            values: &self.values[edges.clone()],
            visits: &self.visits[edges],
            all_visits: node.visits,
            most_visits: node.most_visits,
            estimate: node.estimate,
        }
    }

    /// The move of an edge.
    pub(super) fn m(&self, edge: usize) -> M {
        self.links[edge].m
    }

    /// The node an edge leads to, if there is one.
    pub(super) fn child(&self, edge: usize) -> Option<usize> {
        match self.links[edge].child as usize {
            ROOT => None,
            child => Some(child),
        }
    }

    pub(super) fn bounds(&self, edge: usize) -> OutcomeBounds {
        self.links[edge].bounds
    }

    /// What the side to move in a node has for certain.
    pub(super) fn in_hand(&self, node: usize) -> OutcomeBounds {
        OutcomeBounds::best_of(self.links[self.edges(node)].iter().map(|link| link.bounds))
    }

    /// Adds a node behind an edge, if there is room, or the root. Its moves come
    /// with their logits and, by their place among them, with what is proved.
    pub(super) fn add(
        &mut self,
        parent: Option<usize>,
        moves: &[M],
        proofs: &[(usize, OutcomeBounds)],
        logits: &[f32],
        estimate: f32,
    ) {
        let (node, first) = (self.positions.len(), self.links.len());
        if let Some(edge) = parent {
            if first + moves.len() > Self::MOST_EDGES {
                return;
            }
            self.links[edge].child = node as u32;
        }
        self.positions.push(Node {
            first_edge: first as u32,
            edges: moves.len() as u32,
            visits: 0,
            most_visits: 0,
            estimate,
        });
        self.logits.extend_from_slice(logits);
        self.priors.extend_from_slice(logits);
        self.values.extend(moves.iter().map(|_| UNKNOWN));
        self.visits.extend(moves.iter().map(|_| 0));
        self.links.extend(moves.iter().map(|&m| Link {
            m,
            child: ROOT as u32,
            bounds: OutcomeBounds::Unknown,
        }));
        self.weigh(node, logits, estimate);
        for &(place, bounds) in proofs {
            self.prove(first + place, bounds);
        }
    }

    /// Gives a node its estimate.
    pub(super) fn weigh(&mut self, node: usize, logits: &[f32], estimate: f32) {
        /// So that the share of a move is a number, however unlikely it is.
        const LEAST_PRIOR: f32 = 1e-30;
        /// A logit below which nothing changes, so that none is infinite.
        const LEAST_LOGIT: f32 = -1e9;

        let edges = self.edges(node);
        self.positions[node].estimate = estimate;
        let most = greatest(logits);
        let own_logits = &mut self.logits[edges.clone()];
        let priors = &mut self.priors[edges];
        for ((own, prior), &logit) in own_logits.iter_mut().zip(&mut *priors).zip(logits) {
            let below = logit - most;
            *own = if below > LEAST_LOGIT {
                below
            } else {
                LEAST_LOGIT
            };
            *prior = exp(*own);
        }
        let share = 1.0 / priors.iter().sum::<f32>();
        for prior in priors {
            let own = *prior * share;
            *prior = if own > LEAST_PRIOR { own } else { LEAST_PRIOR };
        }
    }

    /// Counts a visit of a node's edge that brought `value` to who made the
    /// move. Returns what the visit is worth by what is proved: who has a draw in
    /// hand need not lose because something else was tried.
    pub(super) fn count(&mut self, node: usize, edge: usize, value: f32) -> f32 {
        self.visits[edge] += 1;
        let visits = self.visits[edge];
        let node = &mut self.positions[node];
        node.visits += 1;
        node.most_visits = node.most_visits.max(visits);
        let bounds = self.links[edge].bounds;
        let value = bounds.clamp(value);
        let mean = &mut self.values[edge];
        if mean.is_nan() {
            *mean = value;
        } else if !bounds.is_proved() {
            *mean += (value - *mean) / visits as f32;
        }
        value
    }

    /// Writes down what is proved of an edge.
    pub(super) fn prove(&mut self, edge: usize, bounds: OutcomeBounds) {
        self.links[edge].bounds = bounds;
        if let Some(points) = bounds.points() {
            self.values[edge] = 2.0 * points - 1.0;
        }
    }

    /// Makes a node the root and drops all nodes that are not below it, in place.
    pub(super) fn keep_subtree(&mut self, root: usize) {
        let children = |node| self.edges(node).filter_map(|edge| self.child(edge));
        let indices = subtree_indices(root, self.positions.len(), children);
        let (mut nodes, mut edges) = (0, 0);
        for (node, _) in (root..).zip(&indices).filter(|(_, index)| index.is_some()) {
            let own = self.edges(node);
            self.positions[nodes] = Node {
                first_edge: edges as u32,
                ..self.positions[node]
            };
            self.logits.copy_within(own.clone(), edges);
            self.priors.copy_within(own.clone(), edges);
            self.values.copy_within(own.clone(), edges);
            self.visits.copy_within(own.clone(), edges);
            self.links.copy_within(own.clone(), edges);
            nodes += 1;
            edges += own.len();
        }
        self.positions.truncate(nodes);
        self.truncate_edges(edges);
        for link in &mut self.links {
            if link.child != ROOT as u32 {
                link.child = indices[link.child as usize - root].unwrap_or(ROOT as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_worth_what_is_proved_at_least() {
        let mut nodes = Nodes::new();
        nodes.add(
            None,
            &['a', 'b'],
            &[(1, OutcomeBounds::NoLoss)],
            &[0.0; 2],
            0.0,
        );
        let mut count = |edge, value: f32| {
            let worth = nodes.count(ROOT, edge, value);
            [worth, nodes.seen(ROOT).values[edge]].map(|number| (100.0 * number) as i32)
        };
        assert_eq!(count(0, -0.5), [-50, -50]);
        assert_eq!(count(0, 0.25), [25, -12]);
        assert_eq!(count(1, -0.5), [0, 0]);
        assert_eq!(count(1, 0.5), [50, 25]);
        nodes.prove(1, OutcomeBounds::Win);
        assert_eq!(
            nodes.count(ROOT, 1, -0.75).total_cmp(&1.0),
            core::cmp::Ordering::Equal
        );
        assert_eq!(nodes.seen(ROOT).visits, [2, 3]);
        assert_eq!(
            (nodes.seen(ROOT).all_visits, nodes.seen(ROOT).most_visits),
            (5, 3)
        );
    }
}
