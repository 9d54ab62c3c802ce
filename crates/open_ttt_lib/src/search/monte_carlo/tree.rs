use core::ops::Range;

use super::bounds::Bounds;
use super::policy::{Policy, Urgency};
use super::{Expectation, Judgement, LeafEvaluator, TreeOptions};
use crate::random::Rng;
use crate::rules::TwoPlayerGame;

/// The root's place among the nodes.
const ROOT: usize = 0;

/// The most nodes that can be numbered.
const MOST_NODES: usize = u32::MAX as usize;

/// The most visits that are counted: half of what there is room for, so that a
/// batch does not run over.
const MOST_VISITS: u32 = u32::MAX / 2;

/// A tree of lines, and what was seen of them.
///
/// A node has no position: it is played from the root's on the way down. What
/// is needed to choose among the children of a node stands apart from the rest,
/// eight bytes each, so that comparing them touches little memory: a large tree
/// is in no cache, and the time goes into waiting for it.
#[derive(Clone, Debug)]
pub(super) struct Tree<G: TwoPlayerGame> {
    game: G,
    /// The children of a node stand side by side, somewhere after it, in the
    /// order of the game's moves.
    nodes: Vec<Node<G::Move>>,
    /// How urgent it is to try each node.
    urgencies: Vec<Urgency>,
    policy: Policy,
    most_nodes: usize,
    /// Whether the evaluator has said what it thinks of the root's moves.
    root_is_judged: bool,
    /// The nodes of the current line, from the root.
    path: Vec<u32>,
    /// The leaves that wait to be judged together.
    waiting: Waiting<G>,
    /// The moves of the node being expanded.
    moves: Vec<G::Move>,
}

/// A node of the tree. All that it says of worth is told for the side that
/// makes the move into it, for that is the side that chooses it.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    points: f64,
    visits: u32,
    prior: f32,
    first_child: u32,
    child_count: u32,
    /// The move that leads here; none at the root.
    m: Option<M>,
    bounds: Bounds,
}

/// Leaves that wait for their judgement, with the lines that lead there.
#[derive(Clone, Debug)]
struct Waiting<G> {
    positions: Vec<G>,
    paths: Vec<Vec<u32>>,
}

impl<M: Copy> Node<M> {
    fn new(m: Option<M>) -> Self {
        Self {
            points: 0.0,
            visits: 0,
            prior: 1.0,
            first_child: 0,
            child_count: 0,
            m,
            bounds: Bounds::Open,
        }
    }

    pub(super) fn m(&self) -> Option<M> {
        self.m
    }

    /// The points of all visits together.
    pub(super) fn points(&self) -> f64 {
        self.points
    }

    pub(super) fn visits(&self) -> u32 {
        self.visits
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn value(&self) -> f32 {
        (self.points / f64::from(self.visits.max(1))) as f32
    }

    pub(super) fn children(&self) -> Range<usize> {
        let first = self.first_child as usize;
        first..first + self.child_count as usize
    }
}

impl<G: TwoPlayerGame> Tree<G> {
    pub(super) fn new(game: &G, options: &TreeOptions, rng: &mut Rng) -> Self {
        let mut tree = Self {
            game: game.clone(),
            nodes: vec![Node::new(None)],
            urgencies: vec![Urgency::NEVER],
            policy: Policy::new(options.selection),
            most_nodes: (options.most_tree_nodes / options.trees).min(MOST_NODES),
            root_is_judged: false,
            path: Vec::new(),
            waiting: Waiting {
                positions: Vec::new(),
                paths: Vec::new(),
            },
            moves: Vec::new(),
        };
        tree.settle_root(rng);
        tree
    }

    /// The position the tree grows from.
    pub(super) fn game(&self) -> &G {
        &self.game
    }

    pub(super) fn root(&self) -> &Node<G::Move> {
        &self.nodes[ROOT]
    }

    pub(super) fn node(&self, index: usize) -> &Node<G::Move> {
        &self.nodes[index]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The root's child that a move leads to.
    pub(super) fn child(&self, m: G::Move) -> Option<usize> {
        let mut children = self.root().children();
        children.find(|&child| self.nodes[child].m == Some(m))
    }

    /// Whether there is nothing left to find out, or no room to count.
    pub(super) fn is_done(&self) -> bool {
        self.root().bounds.is_proved() || self.root().visits >= MOST_VISITS
    }

    /// Looks along one line or, where the evaluator wants them together, along
    /// at most `most` of them. Returns how many it looked at.
    pub(super) fn grow<E>(&mut self, evaluator: &mut E, rng: &mut Rng, most: u64) -> u64
    where
        E: LeafEvaluator<G>,
    {
        if !self.root_is_judged {
            self.judge_root(evaluator, rng);
        }
        let batch = evaluator.batch().get();
        if batch > 1 {
            return self.grow_batch(evaluator, rng, most.min(batch as u64));
        }
        let (leaf, position) = self.descend(rng);
        if let Some(points) = self.nodes[leaf].bounds.points() {
            self.count(points, 1);
        } else {
            let judgement = evaluator.evaluate(&position, rng);
            self.judge(leaf, &position, &judgement, 1, rng);
        }
        1
    }

    fn grow_batch<E>(&mut self, evaluator: &mut E, rng: &mut Rng, most: u64) -> u64
    where
        E: LeafEvaluator<G>,
    {
        let mut lines = 0;
        while lines < most && !self.is_done() {
            let (leaf, position) = self.descend(rng);
            if let Some(points) = self.nodes[leaf].bounds.points() {
                self.count(points, 1);
            } else if self.waits(leaf) {
                // All lines lead where the answer is not known yet.
                break;
            } else {
                self.count_lost();
                self.waiting.positions.push(position);
                self.waiting.paths.push(self.path.clone());
            }
            lines += 1;
        }
        let positions = core::mem::take(&mut self.waiting.positions);
        let paths = core::mem::take(&mut self.waiting.paths);
        if !positions.is_empty() {
            let mut judgements = evaluator.evaluate_batch(&positions, rng).into_iter();
            for (position, path) in positions.iter().zip(paths) {
                let leaf = path.last().map_or(ROOT, |&leaf| leaf as usize);
                self.path = path;
                let judgement = judgements.next();
                let judgement = judgement.unwrap_or_else(|| Expectation::EVEN.into());
                self.judge(leaf, position, &judgement, 0, rng);
            }
        }
        lines
    }

    /// Whether a leaf waits to be judged.
    fn waits(&self, leaf: usize) -> bool {
        let mut paths = self.waiting.paths.iter();
        paths.any(|path| path.last() == Some(&(leaf as u32)))
    }

    /// Walks to the leaf that looks most worth while, and lets the tree grow
    /// there. The position comes with it, and the path is that to the leaf.
    fn descend(&mut self, rng: &mut Rng) -> (usize, G) {
        let mut position = self.game.clone();
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT as u32);
        loop {
            let node = &self.nodes[at];
            if node.bounds.is_proved() {
                return (at, position);
            }
            if node.child_count == 0 {
                if node.visits == 0 {
                    if let Some(outcome) = position.outcome() {
                        self.prove(Bounds::finished(outcome, !position.to_move()));
                    }
                    return (at, position);
                }
                if self.waits(at) || !self.expand(at, &position, &[], rng) {
                    return (at, position);
                }
            }
            at = self.most_urgent(&self.nodes[at]);
            self.path.push(at as u32);
            if let Some(m) = self.nodes[at].m {
                position.play_unchecked(m);
            }
        }
    }

    /// The child that is most urgent to try.
    fn most_urgent(&self, node: &Node<G::Move>) -> usize {
        let scale = self.policy.scale(node.visits);
        let mut best = i64::MIN;
        for (index, urgency) in (0..).zip(&self.urgencies[node.children()]) {
            let bound = urgency.value + scale * urgency.spread;
            // Numbers from zero on are ordered like their bits, and those
            // below come before: comparing whole numbers takes no branch.
            best = best.max(i64::from(bound.to_bits() as i32) << 32 | index);
        }
        node.first_child as usize + best as u32 as usize
    }

    /// Counts visits along the path that brought `points` to the side that
    /// moved into its leaf.
    fn count(&mut self, points: f32, visits: u32) {
        let mut points = points;
        for &at in self.path.iter().rev() {
            let node = &mut self.nodes[at as usize];
            node.visits += visits;
            node.points += f64::from(points);
            refresh(&mut self.urgencies[at as usize], node, &self.policy);
            points = 1.0 - points;
        }
    }

    /// Counts the path as lost by each side where it had the choice, until its
    /// points are known.
    fn count_lost(&mut self) {
        for &at in &self.path {
            let node = &mut self.nodes[at as usize];
            node.visits += 1;
            refresh(&mut self.urgencies[at as usize], node, &self.policy);
        }
    }

    /// Counts a judgement of the path's leaf, and uses its priors.
    fn judge(&mut self, leaf: usize, at: &G, judgement: &Judgement, visits: u32, rng: &mut Rng) {
        self.count(judgement.expectation.points(!at.to_move()), visits);
        if !judgement.priors.is_empty() && self.nodes[leaf].child_count == 0 {
            self.expand(leaf, at, &judgement.priors, rng);
        }
    }

    /// Asks what the evaluator thinks of the root's moves, which were there
    /// before it was asked.
    fn judge_root<E: LeafEvaluator<G>>(&mut self, evaluator: &mut E, rng: &mut Rng) {
        self.root_is_judged = true;
        let judgement = evaluator.evaluate(&self.game, rng);
        if !judgement.priors.is_empty() {
            self.weigh_children(ROOT, &judgement.priors, rng);
        }
    }

    /// Gives the root its children or, if the game is over, its result.
    fn settle_root(&mut self, rng: &mut Rng) {
        let position = self.game.clone();
        if let Some(outcome) = position.outcome() {
            self.nodes[ROOT].bounds = Bounds::finished(outcome, !position.to_move());
        } else if self.nodes[ROOT].child_count == 0 {
            self.expand(ROOT, &position, &[], rng);
        } else {
            self.shut_children(ROOT);
        }
    }

    /// Gives a node its children; the priors are those of an evaluator, in the
    /// order of the moves, or none. Returns whether there was room.
    fn expand(&mut self, node: usize, position: &G, priors: &[f32], rng: &mut Rng) -> bool {
        let limit = match node {
            ROOT => MOST_NODES,
            _ => self.most_nodes,
        };
        let room = limit.saturating_sub(self.nodes.len());
        self.moves.clear();
        // One more than there is room for tells that there is too little.
        self.moves.extend(position.moves().take(room + 1));
        let count = self.moves.len();
        if count == 0 || count > room {
            return false;
        }
        let first = self.nodes.len();
        self.make_room(first + count);
        self.nodes
            .extend(self.moves.iter().map(|&m| Node::new(Some(m))));
        self.urgencies.resize(first + count, Urgency::NEVER);
        self.nodes[node].first_child = first as u32;
        self.nodes[node].child_count = count as u32;
        self.weigh_children(node, priors, rng);
        true
    }

    /// Makes room for so many nodes, in steps, but not beyond what is allowed.
    fn make_room(&mut self, needed: usize) {
        if needed > self.nodes.capacity() {
            let ample = (2 * needed).min(self.most_nodes).max(needed);
            self.nodes.reserve_exact(ample - self.nodes.len());
            self.urgencies.reserve_exact(ample - self.urgencies.len());
        }
    }

    /// Gives the children of a node their priors: those of an evaluator or, if
    /// there are none, all the same.
    fn weigh_children(&mut self, node: usize, priors: &[f32], rng: &mut Rng) {
        let node = &self.nodes[node];
        let value = match node.visits {
            0 => 0.5,
            _ => 1.0 - node.value(),
        };
        let children = node.children();
        let even = 1.0 / children.len() as f32;
        let priors = Shares::of(&priors[..priors.len().min(children.len())]);
        let mut lots = 0;
        for (index, child) in children.enumerate() {
            if index.is_multiple_of(8) {
                lots = rng.next_u64();
            }
            let node = &mut self.nodes[child];
            node.prior = priors.as_ref().map_or(even, |priors| priors.get(index));
            let urgency = &mut self.urgencies[child];
            if node.visits > 0 {
                refresh(urgency, node, &self.policy);
            } else {
                *urgency = self.policy.untried(value, node.prior, lots as u8);
            }
            lots >>= 8;
        }
    }

    /// Writes down what is proved of the path's leaf, and what follows for the
    /// nodes before it (Winands, Björnsson and Saito, "Monte-Carlo tree search
    /// solver", 2008).
    fn prove(&mut self, bounds: Bounds) {
        let mut bounds = bounds;
        for index in (0..self.path.len()).rev() {
            let node = self.path[index] as usize;
            if self.nodes[node].bounds == bounds {
                return;
            }
            self.nodes[node].bounds = bounds;
            if index > 0 {
                let parent = self.path[index - 1] as usize;
                bounds = self.shut_children(parent).of_opponent();
            }
        }
    }

    /// Settles how urgent those children are that are proved or cannot bring
    /// more than what the node's side has in hand, which is returned.
    fn shut_children(&mut self, node: usize) -> Bounds {
        let children = self.nodes[node].children();
        let nodes = &self.nodes[children.clone()];
        let in_hand = Bounds::best_of(nodes.iter().map(|child| child.bounds));
        for (child, urgency) in nodes.iter().zip(&mut self.urgencies[children]) {
            // At the root nobody asks for the mean: every try goes to what may
            // be better than the draw.
            if child.bounds == Bounds::Draw && node != ROOT {
                *urgency = Urgency::DRAWN;
            } else if child.bounds.is_proved() || child.bounds.cannot_beat(in_hand) {
                *urgency = Urgency::NEVER;
            }
        }
        in_hand
    }

    /// Leaves a move of the root out of all that follows, as if it lost.
    pub(super) fn overlook(&mut self, m: G::Move) {
        if let Some(overlooked) = self.child(m) {
            self.nodes[overlooked].bounds = Bounds::Loss;
            // What it had ruled out may be worth a try now.
            for child in self.root().children() {
                let node = &self.nodes[child];
                self.urgencies[child] = match node.visits {
                    0 => self.policy.untried(0.5, node.prior, 0),
                    visits => self.policy.visited(node.value(), node.prior, visits),
                };
            }
            self.nodes[ROOT].bounds = self.shut_children(ROOT).of_opponent();
        }
    }

    /// Goes on from the position after a legal move. What was seen of it is
    /// kept, the rest forgotten.
    pub(super) fn advance(&mut self, m: G::Move, rng: &mut Rng) {
        let child = self.child(m);
        self.game.play_unchecked(m);
        if let Some(child) = child {
            self.keep_below(child);
        } else {
            self.nodes.clear();
            self.nodes.push(Node::new(None));
            self.urgencies.clear();
            self.urgencies.push(Urgency::NEVER);
        }
        self.root_is_judged = self.nodes[ROOT].child_count > 0;
        self.settle_root(rng);
    }

    /// Makes a node the root and moves all that is below it to the front, in
    /// its order, so that no second tree is needed.
    fn keep_below(&mut self, root: usize) {
        // Children stand after their parents, so that one pass finds all that
        // stay, and whoever moves to the front finds its place free.
        const GONE: u32 = u32::MAX;
        let mut places = vec![GONE; self.nodes.len() - root];
        places[0] = 0;
        let mut kept = 0;
        for index in root..self.nodes.len() {
            if places[index - root] == GONE {
                continue;
            }
            places[index - root] = kept;
            kept += 1;
            for child in self.nodes[index].children() {
                places[child - root] = 0;
            }
        }
        for index in root..self.nodes.len() {
            let place = places[index - root];
            if place == GONE {
                continue;
            }
            let mut node = self.nodes[index].clone();
            if node.child_count > 0 {
                node.first_child = places[node.first_child as usize - root];
            }
            self.nodes[place as usize] = node;
            self.urgencies[place as usize] = self.urgencies[index];
        }
        self.nodes[ROOT].m = None;
        self.nodes.truncate(kept as usize);
        self.urgencies.truncate(kept as usize);
    }
}

/// Makes a node as urgent as what was counted says, if what is proved leaves
/// that open.
fn refresh<M: Copy>(urgency: &mut Urgency, node: &Node<M>, policy: &Policy) {
    // What is below zero is ruled out for good.
    if !node.bounds.is_proved() && urgency.value >= 0.0 {
        *urgency = policy.visited(node.value(), node.prior, node.visits);
    }
}

/// Priors, made to add up to one.
struct Shares<'a> {
    priors: &'a [f32],
    sum: f32,
}

impl<'a> Shares<'a> {
    /// None where no prior says anything.
    fn of(priors: &'a [f32]) -> Option<Self> {
        let sum = priors.iter().copied().filter(|prior| *prior > 0.0).sum();
        (sum > 0.0 && f32::is_finite(sum)).then_some(Self { priors, sum })
    }

    fn get(&self, index: usize) -> f32 {
        self.priors.get(index).copied().unwrap_or(0.0).max(0.0) / self.sum
    }
}
