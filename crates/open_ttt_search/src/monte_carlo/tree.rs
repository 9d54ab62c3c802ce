use super::nodes::{Node, Nodes};
use super::uct::{Uct, Urgency};
use super::{LeafEvaluator, SideValue, TreeOptions};
use crate::outcome_bounds::OutcomeBounds;
use crate::repetition::Earlier;
use crate::tree::ROOT;
use alloc::vec::Vec;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// The most visits of a root: half of what its counter holds, which leaves room for
/// pending leaves.
const MAX_VISITS: u32 = u32::MAX / 2;

/// A leaf that was selected and not yet evaluated.
#[derive(Clone, Debug)]
pub(super) struct PendingLeaf<G> {
    pub(super) position: G,
    /// The nodes from the root to the leaf.
    path: Vec<u32>,
}

/// A search tree.
///
/// A node has no position; that is replayed from the root's on the way down.
#[derive(Clone, Debug)]
pub(super) struct Tree<G: TwoPlayerGame> {
    /// The position of the root, and those before it.
    pub(super) game: G,
    earlier: Earlier<G>,
    pub(super) nodes: Nodes<G::Move>,
    uct: Uct,
    max_nodes: usize,
    /// The nodes of the current path, from the root.
    path: Vec<u32>,
    /// The positions of the nodes before the leaf, if positions can come back.
    positions: Vec<G>,
    /// Whether the leaf is one of them, a draw on this path.
    is_repeated: bool,
    /// The leaves that count as lost until they are evaluated.
    in_flight: Vec<u32>,
    /// The moves of the node that is expanded.
    moves: Vec<G::Move>,
}

impl<G: TwoPlayerGame> Tree<G> {
    pub(super) fn new(game: &G, options: &TreeOptions, rng: &mut Rng) -> Self {
        let mut tree = Self {
            game: game.clone(),
            earlier: Earlier::NONE,
            nodes: Nodes::new(game.to_move()),
            uct: Uct::new(options.exploration),
            max_nodes: (options.max_nodes / options.trees).min(Nodes::<G::Move>::MAX_NODES),
            path: Vec::new(),
            positions: Vec::new(),
            is_repeated: false,
            in_flight: Vec::new(),
            moves: Vec::new(),
        };
        tree.init_root(rng);
        tree
    }

    pub(super) fn root(&self) -> &Node<G::Move> {
        &self.nodes[ROOT]
    }

    pub(super) fn child(&self, m: G::Move) -> Option<usize> {
        let mut children = self.root().children();
        children.find(|&child| self.nodes[child].m == Some(m))
    }

    /// Whether the root is proved, or its visits cannot be counted any more.
    pub(super) fn is_done(&self) -> bool {
        self.root().bounds.is_proved() || self.root().visits >= MAX_VISITS
    }

    /// One iteration: selects a leaf, evaluates it and backs up its value.
    pub(super) fn iterate(&mut self, evaluator: &mut impl LeafEvaluator<G>, rng: &mut Rng) {
        let (leaf, position) = self.select(rng);
        let points = match self.known_points(leaf) {
            Some(points) => points,
            None => evaluator
                .evaluate(&position, rng)
                .points(self.nodes[leaf].mover),
        };
        self.back_up(points, 1);
    }

    /// Selects leaves to evaluate, in at least one iteration and at most
    /// `max_iterations`. Until they are [backed up](Self::back_up_leaves), each
    /// counts as lost (virtual loss). Returns the number of iterations.
    pub(super) fn select_leaves(
        &mut self,
        pending: &mut Vec<PendingLeaf<G>>,
        max_iterations: u64,
        rng: &mut Rng,
    ) -> u64 {
        let mut iterations = 0;
        while iterations < max_iterations && !self.is_done() {
            let (leaf, position) = self.select(rng);
            if let Some(points) = self.known_points(leaf) {
                self.back_up(points, 1);
            } else if self.is_in_flight(leaf) && !pending.is_empty() {
                // Every path leads to a leaf that is being evaluated. A thread without
                // pending leaves evaluates one a second time rather than wait.
                break;
            } else {
                for &node in &self.path {
                    self.nodes.add_visits(node as usize, 0.0, 1);
                }
                self.in_flight.push(leaf as u32);
                let path = self.path.clone();
                pending.push(PendingLeaf { position, path });
            }
            iterations += 1;
        }
        iterations
    }

    /// Backs up the values of pending leaves, in their order, and clears the leaves.
    pub(super) fn back_up_leaves(
        &mut self,
        pending: &mut Vec<PendingLeaf<G>>,
        values: &[SideValue],
    ) {
        for (PendingLeaf { path, .. }, value) in pending.drain(..).zip(values) {
            self.path = path;
            let Some(&leaf) = self.path.last() else {
                continue;
            };
            self.back_up(value.points(self.nodes[leaf as usize].mover), 0);
            if let Some(index) = self.in_flight.iter().position(|&at| at == leaf) {
                self.in_flight.swap_remove(index);
            }
        }
    }

    /// The points of a leaf that needs no evaluation, for the side that moved into it.
    fn known_points(&self, leaf: usize) -> Option<f32> {
        if self.is_repeated {
            return Some(0.5);
        }
        self.nodes[leaf].bounds.points()
    }

    fn is_in_flight(&self, leaf: usize) -> bool {
        self.in_flight.contains(&(leaf as u32))
    }

    /// Descends to the leaf with the greatest upper confidence bounds, expanding a
    /// node on its second visit. Sets the path, and returns the leaf with its
    /// position.
    fn select(&mut self, rng: &mut Rng) -> (usize, G) {
        let mut position = self.game.clone();
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT as u32);
        self.positions.clear();
        self.is_repeated = false;
        loop {
            let node = &self.nodes[at];
            if node.bounds.is_proved() {
                return (at, position);
            }
            if !node.has_children() {
                if node.visits == 0
                    && let Some(outcome) = position.outcome()
                {
                    self.prove(OutcomeBounds::terminal(outcome, node.mover));
                    return (at, position);
                }
                if self.returns(at, &position) || self.nodes[at].visits == 0 {
                    return (at, position);
                }
                if self.is_in_flight(at) || !self.expand(at, &position, rng) {
                    return (at, position);
                }
            }
            let scale = self.uct.scale(self.nodes[at].visits);
            at = self.nodes.most_urgent(at, scale);
            self.path.push(at as u32);
            if let Some(m) = self.nodes[at].m {
                if position.repetition().is_some() {
                    self.positions.push(position.clone());
                }
                position.play_unchecked(m);
            }
        }
    }

    /// Whether the position of the path's leaf has come back. If the rule ends the
    /// game there, the outcome is proved; otherwise it counts as a draw on this path.
    #[inline]
    fn returns(&mut self, leaf: usize, position: &G) -> bool {
        if position.repetition().is_none() {
            return false;
        }
        let mover = self.nodes[leaf].mover;
        let Some(repeated) = self
            .earlier
            .repeated(position, mover, self.positions.iter())
        else {
            return false;
        };
        if repeated.is_final {
            self.prove(OutcomeBounds::terminal(repeated.outcome, mover));
        } else {
            self.is_repeated = true;
        }
        true
    }

    /// Backs up visits along the path that brought `points` to the side that moved
    /// into its leaf.
    fn back_up(&mut self, points: f32, visits: u32) {
        let mut points = points;
        let mut path = self.path.iter().rev().peekable();
        while let Some(&node) = path.next() {
            self.nodes.add_visits(node as usize, points, visits);
            if let Some(&&parent) = path.peek()
                && !self.have_one_mover(parent, node)
            {
                points = 1.0 - points;
            }
        }
    }

    /// Whether one side makes the moves into a node and into its child.
    fn have_one_mover(&self, node: u32, child: u32) -> bool {
        !G::ALTERNATES && self.nodes[node as usize].mover == self.nodes[child as usize].mover
    }

    /// Gives the root its children or, if the game is over, its result.
    fn init_root(&mut self, rng: &mut Rng) {
        let position = self.game.clone();
        if let Some(outcome) = position.outcome() {
            let root = &mut self.nodes[ROOT];
            root.bounds = OutcomeBounds::terminal(outcome, root.mover);
        } else if !self.nodes[ROOT].has_children() {
            self.expand(ROOT, &position, rng);
        } else {
            self.prune_children(ROOT);
        }
    }

    /// Gives a node its children, in random order of their first visits. Returns
    /// whether there was room.
    fn expand(&mut self, node: usize, position: &G, rng: &mut Rng) -> bool {
        let limit = match node {
            ROOT => Nodes::<G::Move>::MAX_NODES,
            _ => self.max_nodes,
        };
        let room = limit.saturating_sub(self.nodes.len());
        self.moves.clear();
        // One move more than there is room for shows that there is too little.
        self.moves.extend(position.moves().take(room + 1));
        let count = self.moves.len();
        if count == 0 || count > room.min(Nodes::<G::Move>::MAX_CHILDREN) {
            return false;
        }
        let moves = self.moves.iter().copied();
        self.nodes
            .add_children(node, moves, position.to_move(), self.max_nodes);
        let mut random = 0;
        for (index, child) in self.nodes[node].children().enumerate() {
            if index.is_multiple_of(8) {
                random = rng.next_u64();
            }
            self.nodes
                .set_urgency(child, Urgency::unvisited(random as u8));
            random >>= 8;
        }
        true
    }

    /// Sets the bounds of the path's leaf and updates those of its ancestors
    /// (Winands, Björnsson and Saito, "Monte-Carlo tree search solver", 2008).
    fn prove(&mut self, bounds: OutcomeBounds) {
        let mut bounds = bounds;
        for index in (0..self.path.len()).rev() {
            let node = self.path[index] as usize;
            if self.nodes[node].bounds == bounds {
                return;
            }
            self.nodes[node].bounds = bounds;
            if index > 0 {
                let parent = self.path[index - 1];
                let keeps_turn = self.have_one_mover(parent, self.path[index]);
                bounds = self.prune_children(parent as usize).for_mover(keeps_turn);
            }
        }
    }

    /// Fixes the urgency of the children that are proved or cannot beat what the
    /// node's side has secured. Returns that side's bounds.
    fn prune_children(&mut self, node: usize) -> OutcomeBounds {
        let children = self.nodes[node].children();
        let siblings = children.clone().map(|child| self.nodes[child].bounds);
        let best = OutcomeBounds::best_of(siblings);
        for child in children {
            let bounds = self.nodes[child].bounds;
            // At the root, every visit goes to a move that may be better than the
            // draw; elsewhere the draw counts in the mean.
            if bounds == OutcomeBounds::Draw && node != ROOT {
                self.nodes.set_urgency(child, Urgency::DRAWN);
            } else if bounds.is_proved() || bounds.cannot_beat(best) {
                self.nodes.forbid(child);
            }
        }
        best
    }

    /// Excludes a move of the root from the search, as if it lost.
    pub(super) fn exclude(&mut self, m: G::Move) {
        if let Some(excluded) = self.child(m) {
            self.nodes[excluded].bounds = OutcomeBounds::Loss;
            // Moves that it had ruled out may be worth a visit now.
            for child in self.root().children() {
                self.nodes.allow(child);
            }
            let keeps_turn = self.have_one_mover(ROOT as u32, excluded as u32);
            self.nodes[ROOT].bounds = self.prune_children(ROOT).for_mover(keeps_turn);
        }
    }

    /// Sets the positions before the root.
    pub(super) fn set_earlier(&mut self, positions: &[G]) {
        self.earlier = Earlier::before(&self.game, positions);
    }

    /// Plays a legal move at the root and keeps the subtree below it, if that is wanted: that
    /// of an excluded move counts as lost.
    pub(super) fn advance(&mut self, m: G::Move, is_kept: bool, rng: &mut Rng) {
        let child = self.child(m).filter(|_| is_kept);
        self.earlier.push_root(&self.game);
        self.game.play_unchecked(m);
        match child {
            Some(child) => self.nodes.keep_subtree(child),
            None => self.nodes = Nodes::new(self.game.to_move()),
        }
        self.init_root(rng);
    }
}
