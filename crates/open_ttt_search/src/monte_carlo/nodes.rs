use core::hint::black_box;
use core::ops::{Index, IndexMut, Range};

use super::uct::Urgency;
use crate::outcome_bounds::OutcomeBounds;
use crate::tree::{ROOT, subtree_indices};
use open_ttt_lib::rules::Side;

/// A node of the tree. Its values are those for the side that makes the move into
/// it, since that side selects it.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    /// The sum of the points of all visits.
    pub(super) points: f64,
    pub(super) visits: u32,
    first_child: u32,
    child_count: u32,
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
            points: 0.0,
            visits: 0,
            first_child: 0,
            child_count: 0,
            m,
            bounds: OutcomeBounds::Unknown,
            mover,
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
/// nodes      root | a b c | a1 a2 | c1 c2 c3 | b1 ...
/// urgencies     - | . . . |  .  . |  .  .  . |  .
/// ```
///
/// What selection compares is in an array of its own, eight bytes each: a large
/// tree is in no cache, and memory latency takes most of the time.
#[derive(Clone, Debug)]
pub(super) struct Nodes<M> {
    nodes: Vec<Node<M>>,
    urgencies: Vec<Urgency>,
}

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

    /// A root alone, where this side is to move.
    pub(super) fn new(to_move: Side) -> Self {
        Self {
            nodes: vec![Node::new(None, !to_move)],
            urgencies: vec![Urgency::NEVER],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The first child with the greatest upper confidence bound.
    #[inline]
    pub(super) fn most_urgent(&self, parent: usize, scale: f32) -> usize {
        let children = self.nodes[parent].children();
        // One of the children is read next: reading all of them now prefetches it
        // while their urgencies are loaded.
        black_box(
            self.nodes[children.clone()]
                .iter()
                .fold(0, |all, child| all ^ child.first_child),
        );
        let mut most = f32::NEG_INFINITY;
        let mut selected = children.start;
        for (child, urgency) in (children.start..).zip(&self.urgencies[children]) {
            let bound = urgency.value + scale * urgency.spread;
            if bound > most {
                most = bound;
                selected = child;
            }
        }
        selected
    }

    /// Adds visits that brought these points together.
    pub(super) fn add_visits(&mut self, node: usize, points: f32, visits: u32) {
        let visited = &mut self.nodes[node];
        visited.visits += visits;
        visited.points += f64::from(points);
        // An urgency below 0 rules the node out for good.
        if !visited.bounds.is_proved() && self.urgencies[node].value >= 0.0 {
            self.update_urgency(node, 0);
        }
    }

    /// Recomputes the urgency of a node from its visits; `random` is for a node
    /// without visits.
    pub(super) fn update_urgency(&mut self, node: usize, random: u8) {
        let Node { points, visits, .. } = self.nodes[node];
        self.urgencies[node] = match visits {
            0 => Urgency::unvisited(random),
            _ => Urgency::visited((points / f64::from(visits)) as f32, visits),
        };
    }

    pub(super) fn set_urgency(&mut self, node: usize, urgency: Urgency) {
        self.urgencies[node] = urgency;
    }

    /// Adds the children of a node, whose side to move is `mover`. Takes no more memory than for `max_nodes`,
    /// unless the children need it.
    pub(super) fn add_children(
        &mut self,
        node: usize,
        moves: impl ExactSizeIterator<Item = M>,
        mover: Side,
        max_nodes: usize,
    ) {
        let first = self.nodes.len();
        let end = first + moves.len();
        if end > self.nodes.capacity() {
            let growth = if end < LARGE { GROWTH } else { LARGE_GROWTH };
            let ample = end.saturating_mul(growth).min(max_nodes).max(end);
            reserve(&mut self.nodes, ample, end);
            reserve(&mut self.urgencies, ample, end);
        }
        self.nodes[node].first_child = first as u32;
        self.nodes[node].child_count = moves.len() as u32;
        self.nodes.extend(moves.map(|m| Node::new(Some(m), mover)));
        self.urgencies.resize(end, Urgency::NEVER);
    }

    /// Makes a node the root and drops all nodes that are not below it, in place.
    pub(super) fn keep_subtree(&mut self, root: usize)
    where
        M: Clone,
    {
        let children = |node: usize| self.nodes[node].children();
        let indices = subtree_indices(root, self.nodes.len(), children);
        let mut kept = 0;
        for (node, index) in (root..).zip(&indices) {
            let &Some(index) = index else {
                continue;
            };
            let mut moved = self.nodes[node].clone();
            if moved.has_children() {
                let child = moved.first_child as usize - root;
                moved.first_child = indices[child].unwrap_or(0);
            }
            self.nodes[index as usize] = moved;
            self.urgencies[index as usize] = self.urgencies[node];
            kept = index as usize + 1;
        }
        self.nodes[ROOT].m = None;
        self.nodes.truncate(kept);
        self.urgencies.truncate(kept);
    }
}

impl<M> Index<usize> for Nodes<M> {
    type Output = Node<M>;

    fn index(&self, node: usize) -> &Node<M> {
        &self.nodes[node]
    }
}

impl<M> IndexMut<usize> for Nodes<M> {
    fn index_mut(&mut self, node: usize) -> &mut Node<M> {
        &mut self.nodes[node]
    }
}

/// Reserves memory for `ample` elements or, if that fails, for those needed.
fn reserve<T>(vec: &mut Vec<T>, ample: usize, needed: usize) {
    if vec.try_reserve_exact(ample - vec.len()).is_err() {
        vec.reserve(needed - vec.len());
    }
}
