use alloc::vec::Vec;
use core::ops::Range;

use super::functions::{exp, max_of};
use crate::outcome_bounds::OutcomeBounds;
use crate::tree::{ROOT, subtree_indices};
use open_ttt_lib::rules::Side;

/// The value of a move without visits or proof. NaN makes any computation with it
/// by mistake visible.
const UNKNOWN: f32 = f32::NAN;

/// An expanded position.
#[derive(Clone, Copy, Debug)]
struct Node {
    first_edge: u32,
    edges: u32,
    /// The visits of all its moves.
    visits: u32,
    /// The visits of its most visited move.
    most_visits: u32,
    /// The estimated value for the side to move, -1 to 1.
    estimate: f32,
    side: Side,
}

/// The part of an edge that selection does not compare.
#[derive(Clone, Copy, Debug)]
struct Link<M> {
    m: M,
    /// The node behind the edge; the root, which is behind no edge, if there is
    /// none.
    child: u32,
    /// The proved bounds for the side that makes the move.
    bounds: OutcomeBounds,
}

/// The tree: nodes by index, each with the edges of its moves.
///
/// ```text
/// nodes            root | after a | after c | after a, y | ..
/// edges           a b c |  x y z  |    x    |    p q     | ..
///   logits, priors, values, visits, links: one each, side by side
/// ```
///
/// The root is the first; nodes and edges are in the order in which they were
/// added, so a child follows its parent. The numbers that selection compares are in
/// arrays of their own, for vector instructions.
///
/// All values of an edge are for the side that makes the move.
#[derive(Clone, Debug)]
pub(super) struct Nodes<M> {
    positions: Vec<Node>,
    /// The logits of the policy, shifted so that a node's maximum is 0.
    logits: Vec<f32>,
    /// The policy: the softmax of the logits.
    priors: Vec<f32>,
    /// The mean value of the visits, or the proved result: -1 to 1.
    values: Vec<f32>,
    visits: Vec<u32>,
    links: Vec<Link<M>>,
}

/// The arrays of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeView<'a> {
    pub(super) logits: &'a [f32],
    pub(super) priors: &'a [f32],
    /// NaN where unknown.
    pub(super) values: &'a [f32],
    pub(super) visits: &'a [u32],
    /// The sum of the visits.
    pub(super) all_visits: u32,
    pub(super) most_visits: u32,
    /// The estimated value of the position.
    pub(super) estimate: f32,
}

impl<M: Copy> Nodes<M> {
    /// The most edges of a tree.
    const MAX_EDGES: usize = 1 << 26;

    /// The most edges for which memory is reserved in advance. Unused memory costs
    /// nothing where it is mapped page by page.
    const RESERVED_EDGES: usize = 1 << 22;

    /// A tree without a root.
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

    /// Removes all nodes and keeps the memory.
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

    /// Reserves memory for this many more nodes with this many moves each. If that
    /// fails, the arrays grow when they need it.
    pub(super) fn reserve(&mut self, nodes: usize, moves: usize) {
        let edges = nodes.saturating_mul(moves).min(Self::RESERVED_EDGES);
        let nodes = nodes.min(Self::RESERVED_EDGES);
        // Failure to reserve is no error.
        let _ = self.positions.try_reserve(nodes);
        let _ = self.logits.try_reserve(edges);
        let _ = self.priors.try_reserve(edges);
        let _ = self.values.try_reserve(edges);
        let _ = self.visits.try_reserve(edges);
        let _ = self.links.try_reserve(edges);
    }

    pub(super) fn edges(&self, node: usize) -> Range<usize> {
        let node = &self.positions[node];
        let first = node.first_edge as usize;
        first..first + node.edges as usize
    }

    pub(super) fn view(&self, node: usize) -> NodeView<'_> {
        let edges = self.edges(node);
        let node = &self.positions[node];
        NodeView {
            logits: &self.logits[edges.clone()],
            priors: &self.priors[edges.clone()],
            values: &self.values[edges.clone()],
            visits: &self.visits[edges],
            all_visits: node.visits,
            most_visits: node.most_visits,
            estimate: node.estimate,
        }
    }

    /// The side to move in a node.
    pub(super) fn side(&self, node: usize) -> Side {
        self.positions[node].side
    }

    pub(super) fn m(&self, edge: usize) -> M {
        self.links[edge].m
    }

    /// The node behind an edge, if there is one.
    pub(super) fn child(&self, edge: usize) -> Option<usize> {
        match self.links[edge].child as usize {
            ROOT => None,
            child => Some(child),
        }
    }

    pub(super) fn bounds(&self, edge: usize) -> OutcomeBounds {
        self.links[edge].bounds
    }

    /// The proved bounds for the side to move in a node.
    pub(super) fn secured(&self, node: usize) -> OutcomeBounds {
        OutcomeBounds::best_of(self.links[self.edges(node)].iter().map(|link| link.bounds))
    }

    /// Adds a node behind an edge, if there is room, or the root. The moves of the
    /// side to move come with their logits, and with the bounds of some by index.
    pub(super) fn add(
        &mut self,
        parent: Option<usize>,
        side: Side,
        moves: &[M],
        proofs: &[(usize, OutcomeBounds)],
        logits: &[f32],
        estimate: f32,
    ) {
        let (node, first) = (self.positions.len(), self.links.len());
        if let Some(edge) = parent {
            if first + moves.len() > Self::MAX_EDGES {
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
            side,
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
        self.set_estimate(node, logits, estimate);
        for &(place, bounds) in proofs {
            self.set_bounds(first + place, bounds);
        }
    }

    pub(super) fn set_estimate(&mut self, node: usize, logits: &[f32], estimate: f32) {
        /// Keeps the share of an unlikely move above 0.
        const LEAST_PRIOR: f32 = 1e-30;
        /// Logits below make no difference; the bound keeps them finite.
        const LEAST_LOGIT: f32 = -1e9;

        let edges = self.edges(node);
        self.positions[node].estimate = estimate;
        let most = max_of(logits);
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

    /// Adds a visit of an edge with this value for the side that makes the move.
    /// Returns the value within the proved bounds: with a draw secured, a visit to
    /// another move counts at least as a draw.
    pub(super) fn add_visit(&mut self, node: usize, edge: usize, value: f32) -> f32 {
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

    pub(super) fn set_bounds(&mut self, edge: usize, bounds: OutcomeBounds) {
        self.links[edge].bounds = bounds;
        if let Some(value) = bounds.value() {
            self.values[edge] = value;
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
    fn a_visit_counts_within_the_proved_bounds() {
        let mut nodes = Nodes::new();
        let proofs = [(1, OutcomeBounds::NoLoss)];
        nodes.add(None, Side::First, &['a', 'b'], &proofs, &[0.0; 2], 0.0);
        let mut count = |edge, value: f32| {
            let value = nodes.add_visit(ROOT, edge, value);
            [value, nodes.view(ROOT).values[edge]].map(|number| (100.0 * number) as i32)
        };
        assert_eq!(count(0, -0.5), [-50, -50]);
        assert_eq!(count(0, 0.25), [25, -12]);
        assert_eq!(count(1, -0.5), [0, 0]);
        assert_eq!(count(1, 0.5), [50, 25]);
        nodes.set_bounds(1, OutcomeBounds::Win);
        let value = nodes.add_visit(ROOT, 1, -0.75);
        assert_eq!(value.total_cmp(&1.0), core::cmp::Ordering::Equal);
        let root = nodes.view(ROOT);
        assert_eq!(root.visits, [2, 3]);
        assert_eq!((root.all_visits, root.most_visits), (5, 3));
    }
}
