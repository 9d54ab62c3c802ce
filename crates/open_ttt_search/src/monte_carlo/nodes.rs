use core::hint::black_box;
use core::ops::{Index, Range};

use super::policy::{Policy, Urgency};
use crate::outcome_bounds::OutcomeBounds;

/// The root's number.
pub(super) const ROOT: usize = 0;

/// A node of the tree. All that it says of worth is told for the side that
/// makes the move into it, for that is the side that chooses it.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    /// The points of all visits together.
    pub(super) points: f64,
    pub(super) visits: u32,
    first_child: u32,
    child_count: u32,
    /// The move that leads here; none at the root.
    pub(super) m: Option<M>,
    pub(super) bounds: OutcomeBounds,
}

impl<M> Node<M> {
    fn new(m: Option<M>) -> Self {
        Self {
            points: 0.0,
            visits: 0,
            first_child: 0,
            child_count: 0,
            m,
            bounds: OutcomeBounds::Unknown,
        }
    }

    /// The points of a visit on average; none before the first.
    pub(super) fn value(&self) -> f32 {
        (self.points / f64::from(self.visits.max(1))) as f32
    }

    pub(super) fn has_children(&self) -> bool {
        self.child_count > 0
    }

    /// The numbers of its children.
    pub(super) fn children(&self) -> Range<usize> {
        let first = self.first_child as usize;
        first..first + self.child_count as usize
    }
}

/// The nodes of a tree, by number. The root is the first; the children of a
/// node stand side by side, somewhere after it, in the order of their moves.
///
/// ```text
/// seen       root | a b c | a1 a2 | c1 c2 c3 | b1 ...
/// urgencies     - | . . . |  .  . |  .  .  . |  .
/// ```
///
/// What is compared when a child is chosen stands apart from the rest, eight
/// bytes each: a large tree is in no cache, and the time goes into waiting for
/// memory.
#[derive(Clone, Debug)]
pub(super) struct Nodes<M> {
    seen: Vec<Node<M>>,
    urgencies: Vec<Urgency>,
    /// How likely each was thought to be the right choice; none where the
    /// search does not ask for that.
    priors: Vec<f32>,
    keeps_priors: bool,
}

/// How many times as much memory a tree asks for when it has outgrown what it
/// has: moving it takes time, and what is not used yet costs nothing where
/// memory is given page by page.
const STRIDE: usize = 16;

/// The same for a tree from [`LARGE`] nodes on: moving it once more would take
/// longer than a frame lasts.
const LONG_STRIDE: usize = 128;
const LARGE: usize = 1 << 14;

impl<M> Nodes<M> {
    /// The most nodes that can be numbered.
    pub(super) const MOST: usize = u32::MAX as usize;

    /// A root alone. Priors are kept only if they are asked for.
    pub(super) fn new(keeps_priors: bool) -> Self {
        Self {
            seen: vec![Node::new(None)],
            urgencies: vec![Urgency::NEVER],
            priors: if keeps_priors { vec![1.0] } else { Vec::new() },
            keeps_priors,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }

    /// The nodes with these numbers.
    pub(super) fn range(&self, range: Range<usize>) -> &[Node<M>] {
        &self.seen[range]
    }

    /// The child whose value and spread, taken times the scale, come to most;
    /// the first of them.
    #[inline]
    pub(super) fn most_urgent(&self, parent: usize, scale: f32) -> usize {
        let children = self.seen[parent].children();
        // One of these is asked for next. Looking at them now brings them in
        // while their urgencies are still on their way.
        black_box(
            self.seen[children.clone()]
                .iter()
                .fold(0, |all, child| all ^ child.first_child),
        );
        let mut most = f32::NEG_INFINITY;
        let mut chosen = children.start;
        for (child, urgency) in (children.start..).zip(&self.urgencies[children]) {
            let bound = urgency.value + scale * urgency.spread;
            if bound > most {
                most = bound;
                chosen = child;
            }
        }
        chosen
    }

    /// Counts visits of a node that brought so many points together.
    pub(super) fn count(&mut self, node: usize, points: f32, visits: u32, policy: &Policy) {
        let counted = &mut self.seen[node];
        counted.visits += visits;
        counted.points += f64::from(points);
        // What is below zero is ruled out for good.
        if !counted.bounds.is_proved() && self.urgencies[node].value >= 0.0 {
            self.urgencies[node] = self.visited(node, policy);
        }
    }

    /// Makes a node as urgent as what was seen of it says; one that was not
    /// tried yet as urgent as one of this value in its parent's eyes.
    pub(super) fn open(&mut self, node: usize, value: f32, lot: u8, policy: &Policy) {
        self.urgencies[node] = match self.seen[node].visits {
            0 => policy.untried(value, self.prior(node), lot),
            _ => self.visited(node, policy),
        };
    }

    fn visited(&self, node: usize, policy: &Policy) -> Urgency {
        let prior = self.prior(node);
        let node = &self.seen[node];
        policy.visited(node.value(), prior, node.visits)
    }

    /// Settles how urgent a node is.
    pub(super) fn settle(&mut self, node: usize, urgency: Urgency) {
        self.urgencies[node] = urgency;
    }

    /// Writes down what is proved of a node.
    pub(super) fn prove(&mut self, node: usize, bounds: OutcomeBounds) {
        self.seen[node].bounds = bounds;
    }

    fn prior(&self, node: usize) -> f32 {
        self.priors.get(node).copied().unwrap_or(1.0)
    }

    /// Says how likely a node is to be the right choice.
    pub(super) fn set_prior(&mut self, node: usize, prior: f32) {
        if let Some(place) = self.priors.get_mut(node) {
            *place = prior;
        }
    }

    /// Gives a node children, for which no more memory than for `most` nodes is
    /// taken, unless they need it.
    pub(super) fn add_children(
        &mut self,
        node: usize,
        moves: impl ExactSizeIterator<Item = M>,
        most: usize,
    ) {
        let first = self.seen.len();
        let end = first + moves.len();
        if end > self.seen.capacity() {
            let stride = if end < LARGE { STRIDE } else { LONG_STRIDE };
            let ample = end.saturating_mul(stride).min(most).max(end);
            reserve(&mut self.seen, ample, end);
            reserve(&mut self.urgencies, ample, end);
            if self.keeps_priors {
                reserve(&mut self.priors, ample, end);
            }
        }
        self.seen[node].first_child = first as u32;
        self.seen[node].child_count = moves.len() as u32;
        self.seen.extend(moves.map(|m| Node::new(Some(m))));
        self.urgencies.resize(end, Urgency::NEVER);
        if self.keeps_priors {
            self.priors.resize(end, 1.0);
        }
    }

    /// Makes a node the root and moves all that is below it to the front, in
    /// its order, so that no second tree is needed.
    pub(super) fn keep_below(&mut self, root: usize)
    where
        M: Clone,
    {
        // Children stand after their parents, so that one pass finds all that
        // stay, and whoever moves to the front finds its place free.
        const GONE: u32 = u32::MAX;
        let mut places = vec![GONE; self.seen.len() - root];
        places[0] = 0;
        let mut kept = 0;
        for index in root..self.seen.len() {
            if places[index - root] == GONE {
                continue;
            }
            places[index - root] = kept;
            kept += 1;
            for child in self.seen[index].children() {
                places[child - root] = 0;
            }
        }
        for index in root..self.seen.len() {
            let place = places[index - root];
            if place == GONE {
                continue;
            }
            let mut node = self.seen[index].clone();
            if node.has_children() {
                node.first_child = places[node.first_child as usize - root];
            }
            self.seen[place as usize] = node;
            self.urgencies[place as usize] = self.urgencies[index];
            if self.keeps_priors {
                self.priors[place as usize] = self.priors[index];
            }
        }
        self.seen[ROOT].m = None;
        self.seen.truncate(kept as usize);
        self.urgencies.truncate(kept as usize);
        self.priors.truncate(kept as usize);
    }
}

impl<M> Index<usize> for Nodes<M> {
    type Output = Node<M>;

    fn index(&self, node: usize) -> &Node<M> {
        &self.seen[node]
    }
}

/// Makes room for `ample` elements or, if so much is not to be had, for those
/// that are needed.
fn reserve<T>(vec: &mut Vec<T>, ample: usize, needed: usize) {
    if vec.try_reserve_exact(ample - vec.len()).is_err() {
        vec.reserve(needed - vec.len());
    }
}
