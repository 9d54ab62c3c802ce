use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut, Range};

use super::uct::Urgency;
use crate::outcome_bounds::OutcomeBounds;
use crate::tree::{ROOT, subtree_indices};
use open_ttt_lib::rules::Side;

/// A node of the tree. Its values are those for the side that makes the move into
/// it, since that side selects it.
///
/// A large tree is in no cache, and memory latency takes most of the time. So a node
/// takes 20 bytes if a move takes one, and selecting one of several siblings reads all
/// that the next step needs.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    urgency: Urgency,
    pub(super) visits: u32,
    first_child: u32,
    child_count: u16,
    /// The move into the node; `None` at the root.
    pub(super) m: Option<M>,
    pub(super) bounds: OutcomeBounds,
    /// The side that makes the move into the node; at a root without a move before
    /// it, the side that is not to move.
    pub(super) mover: Side,
}

impl<M> Node<M> {
    fn new(m: Option<M>, mover: Side) -> Self {
        Self {
            urgency: Urgency::unvisited(0),
            visits: 0,
            first_child: 0,
            child_count: 0,
            m,
            bounds: OutcomeBounds::Unknown,
            mover,
        }
    }

    /// The sum of the points of all visits.
    pub(super) fn points(&self) -> f64 {
        match self.visits {
            0 => 0.0,
            // Rounding may have taken the mean past its limits.
            visits => f64::from(self.urgency.mean.clamp(0.0, 1.0)) * f64::from(visits),
        }
    }

    pub(super) fn has_children(&self) -> bool {
        self.child_count > 0
    }

    pub(super) fn children(&self) -> Range<usize> {
        let first = self.first_child as usize;
        first..first + self.child_count as usize
    }
}

/// The nodes of a tree by index. The root is the first; the children of a node are
/// adjacent, somewhere after it, in the order of their moves.
///
/// ```text
/// root | a b c | a1 a2 | c1 c2 c3 | b1 ...
/// ```
#[derive(Clone, Debug)]
pub(super) struct Nodes<M>(Vec<Node<M>>);

/// The factor by which a tree's memory grows. Moving the nodes takes time, and
/// unused memory costs nothing where it is mapped page by page.
const GROWTH: usize = 16;

/// The factor from [`LARGE`] nodes on: moving them again would take longer than a
/// frame.
const LARGE_GROWTH: usize = 128;
const LARGE: usize = 1 << 14;

impl<M> Nodes<M> {
    /// The most nodes that have an index.
    pub(super) const MAX_NODES: usize = u32::MAX as usize;

    /// The most children of a node.
    pub(super) const MAX_CHILDREN: usize = u16::MAX as usize;

    /// A root alone, where this side is to move.
    pub(super) fn new(to_move: Side) -> Self {
        Self(vec![Node::new(None, !to_move)])
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The first child with the greatest upper confidence bound.
    #[inline]
    pub(super) fn most_urgent(&self, parent: usize, scale: f32) -> usize {
        let children = self.0[parent].children();
        let mut most = f32::NEG_INFINITY;
        let mut selected = children.start;
        for (child, node) in (children.start..).zip(&self.0[children]) {
            let bound = node.urgency.bound(scale);
            if bound > most {
                most = bound;
                selected = child;
            }
        }
        selected
    }

    /// Adds visits that brought these points together.
    pub(super) fn add_visits(&mut self, node: usize, points: f32, visits: u32) {
        let visited = &mut self.0[node];
        visited.visits += visits;
        if !visited.bounds.is_proved() {
            visited.urgency.add(points, visits, visited.visits);
        }
    }

    pub(super) fn set_urgency(&mut self, node: usize, urgency: Urgency) {
        self.0[node].urgency = urgency;
    }

    /// From now on a node is not to be tried.
    pub(super) fn forbid(&mut self, node: usize) {
        self.0[node].urgency.forbid();
    }

    /// A node may be tried again.
    pub(super) fn allow(&mut self, node: usize) {
        let allowed = &mut self.0[node];
        allowed.urgency.allow(allowed.visits);
    }

    /// Adds the children of a node, whose side to move is `mover`; at most
    /// [`MAX_CHILDREN`](Self::MAX_CHILDREN). Takes no more memory than for `max_nodes`,
    /// unless the children need it.
    pub(super) fn add_children(
        &mut self,
        node: usize,
        moves: impl ExactSizeIterator<Item = M>,
        mover: Side,
        max_nodes: usize,
    ) {
        let first = self.0.len();
        let end = first + moves.len();
        if end > self.0.capacity() {
            let growth = if end < LARGE { GROWTH } else { LARGE_GROWTH };
            let ample = end.saturating_mul(growth).min(max_nodes).max(end);
            reserve(&mut self.0, ample, end);
        }
        self.0[node].first_child = first as u32;
        self.0[node].child_count = moves.len() as u16;
        self.0.extend(moves.map(|m| Node::new(Some(m), mover)));
    }

    /// Makes a node the root and drops all nodes that are not below it, in place.
    pub(super) fn keep_subtree(&mut self, root: usize)
    where
        M: Clone,
    {
        let children = |node: usize| self.0[node].children();
        let indices = subtree_indices(root, self.0.len(), children);
        let mut kept = 0;
        for (node, index) in (root..).zip(&indices) {
            let &Some(index) = index else {
                continue;
            };
            let mut moved = self.0[node].clone();
            if moved.has_children() {
                let child = moved.first_child as usize - root;
                moved.first_child = indices[child].unwrap_or(0);
            }
            self.0[index as usize] = moved;
            kept = index as usize + 1;
        }
        self.0[ROOT].m = None;
        self.0.truncate(kept);
    }
}

impl<M> Index<usize> for Nodes<M> {
    type Output = Node<M>;

    fn index(&self, node: usize) -> &Node<M> {
        &self.0[node]
    }
}

impl<M> IndexMut<usize> for Nodes<M> {
    fn index_mut(&mut self, node: usize) -> &mut Node<M> {
        &mut self.0[node]
    }
}

/// Reserves memory for `ample` elements or, if that fails, for those needed.
fn reserve<T>(vec: &mut Vec<T>, ample: usize, needed: usize) {
    if vec.try_reserve_exact(ample - vec.len()).is_err() {
        vec.reserve(needed - vec.len());
    }
}
