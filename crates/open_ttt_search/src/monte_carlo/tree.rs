use core::{iter, mem};

use super::nodes::{Node, Nodes, ROOT};
use super::policy::{Policy, Urgency};
use super::waiting::Waiting;
use super::{Judgement, LeafEvaluator, SideValue, TreeOptions};
use crate::outcome_bounds::OutcomeBounds;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// The most visits that are counted: half of what there is room for, so that a
/// batch does not run over.
const MOST_VISITS: u32 = u32::MAX / 2;

/// A tree of lines, and what was seen of them.
///
/// A node has no position: it is played from the root's on the way down.
#[derive(Clone, Debug)]
pub(super) struct Tree<G: TwoPlayerGame> {
    game: G,
    nodes: Nodes<G::Move>,
    policy: Policy,
    most_nodes: usize,
    /// Whether the evaluator has said what it thinks of the root's moves.
    root_is_judged: bool,
    /// The nodes of the current line, from the root.
    path: Vec<u32>,
    /// The leaves that wait to be judged together, where one thread does that.
    waiting: Waiting<G>,
    /// The leaves of all lines that are counted as lost until they are judged.
    in_flight: Vec<u32>,
    /// The moves of the node being expanded.
    moves: Vec<G::Move>,
}

impl<G: TwoPlayerGame> Tree<G> {
    pub(super) fn new(game: &G, options: &TreeOptions, rng: &mut Rng) -> Self {
        let policy = Policy::new(options.selection);
        let mut tree = Self {
            game: game.clone(),
            nodes: Nodes::new(policy.uses_priors()),
            policy,
            most_nodes: (options.most_tree_nodes / options.trees).min(Nodes::<G::Move>::MOST),
            root_is_judged: false,
            path: Vec::new(),
            waiting: Waiting::new(),
            in_flight: Vec::new(),
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
        self.judge_root(evaluator, rng);
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
        let mut waiting = mem::replace(&mut self.waiting, Waiting::new());
        let lines = self.gather(&mut waiting, rng, most);
        if !waiting.is_empty() {
            let judgements = evaluator.evaluate_batch(&waiting.positions, rng);
            self.settle(&mut waiting, &judgements, rng);
        }
        self.waiting = waiting;
        lines
    }

    /// Looks along at most `most` lines, at least one of them, and gathers the
    /// leaves that are to be judged. Until that is [settled](Self::settle), they
    /// count as lost. Returns how many lines it looked along.
    pub(super) fn gather(&mut self, waiting: &mut Waiting<G>, rng: &mut Rng, most: u64) -> u64 {
        let mut lines = 0;
        while lines < most && !self.is_done() {
            let (leaf, position) = self.descend(rng);
            if let Some(points) = self.nodes[leaf].bounds.points() {
                self.count(points, 1);
            } else if self.is_in_flight(leaf) && !waiting.is_empty() {
                // All lines lead where the answer is not known yet. Who has
                // nothing else to do asks a second time.
                break;
            } else {
                self.count_lost();
                self.in_flight.push(leaf as u32);
                waiting.push(position, &self.path);
            }
            lines += 1;
        }
        lines
    }

    /// Counts the judgements of leaves that were gathered, in their order, and
    /// forgets the leaves. A judgement too few counts as even.
    pub(super) fn settle(
        &mut self,
        waiting: &mut Waiting<G>,
        judgements: &[Judgement],
        rng: &mut Rng,
    ) {
        let even = SideValue::EVEN.into();
        let judgements = judgements.iter().chain(iter::repeat(&even));
        for ((position, path), judgement) in waiting.lines().zip(judgements) {
            self.path.clear();
            self.path.extend_from_slice(path);
            let leaf = path.last().map_or(ROOT, |&leaf| leaf as usize);
            self.judge(leaf, position, judgement, 0, rng);
            let place = self.in_flight.iter().position(|&at| at as usize == leaf);
            if let Some(place) = place {
                self.in_flight.swap_remove(place);
            }
        }
        waiting.clear();
    }

    /// Whether a leaf waits to be judged.
    fn is_in_flight(&self, leaf: usize) -> bool {
        self.in_flight.contains(&(leaf as u32))
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
            if !node.has_children() {
                if node.visits == 0 {
                    if let Some(outcome) = position.outcome() {
                        self.prove(OutcomeBounds::terminal(outcome, !position.to_move()));
                    }
                    return (at, position);
                }
                if self.is_in_flight(at) || !self.expand(at, &position, &[], rng) {
                    return (at, position);
                }
            }
            let scale = self.policy.scale(self.nodes[at].visits);
            at = self.nodes.most_urgent(at, scale);
            self.path.push(at as u32);
            if let Some(m) = self.nodes[at].m {
                position.play_unchecked(m);
            }
        }
    }

    /// Counts visits along the path that brought `points` to the side that
    /// moved into its leaf.
    fn count(&mut self, points: f32, visits: u32) {
        let mut points = points;
        for &at in self.path.iter().rev() {
            self.nodes.count(at as usize, points, visits, &self.policy);
            points = 1.0 - points;
        }
    }

    /// Counts the path as lost by each side where it had the choice, until its
    /// points are known.
    fn count_lost(&mut self) {
        for &at in &self.path {
            self.nodes.count(at as usize, 0.0, 1, &self.policy);
        }
    }

    /// Counts a judgement of the path's leaf, and uses its priors.
    fn judge(&mut self, leaf: usize, at: &G, judgement: &Judgement, visits: u32, rng: &mut Rng) {
        self.count(judgement.expectation.points(!at.to_move()), visits);
        if !judgement.priors.is_empty() && !self.nodes[leaf].has_children() {
            self.expand(leaf, at, &judgement.priors, rng);
        }
    }

    /// Asks once what the evaluator thinks of the root's moves, which were there
    /// before it was asked.
    pub(super) fn judge_root<E: LeafEvaluator<G>>(&mut self, evaluator: &mut E, rng: &mut Rng) {
        if mem::replace(&mut self.root_is_judged, true) {
            return;
        }
        let judgement = evaluator.evaluate(&self.game, rng);
        if !judgement.priors.is_empty() {
            self.weigh_children(ROOT, &judgement.priors, rng);
            self.shut_children(ROOT);
        }
    }

    /// Gives the root its children or, if the game is over, its result.
    fn settle_root(&mut self, rng: &mut Rng) {
        let position = self.game.clone();
        if let Some(outcome) = position.outcome() {
            let bounds = OutcomeBounds::terminal(outcome, !position.to_move());
            self.nodes.prove(ROOT, bounds);
        } else if !self.nodes[ROOT].has_children() {
            self.expand(ROOT, &position, &[], rng);
        } else {
            self.shut_children(ROOT);
        }
    }

    /// Gives a node its children; the priors are those of an evaluator, in the
    /// order of the moves, or none. Returns whether there was room.
    fn expand(&mut self, node: usize, position: &G, priors: &[f32], rng: &mut Rng) -> bool {
        let limit = match node {
            ROOT => Nodes::<G::Move>::MOST,
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
        let moves = self.moves.iter().copied();
        self.nodes.add_children(node, moves, self.most_nodes);
        self.weigh_children(node, priors, rng);
        true
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
            let prior = priors.as_ref().map_or(even, |priors| priors.get(index));
            self.nodes.set_prior(child, prior);
            self.nodes.open(child, value, lots as u8, &self.policy);
            lots >>= 8;
        }
    }

    /// Writes down what is proved of the path's leaf, and what follows for the
    /// nodes before it (Winands, Björnsson and Saito, "Monte-Carlo tree search
    /// solver", 2008).
    fn prove(&mut self, bounds: OutcomeBounds) {
        let mut bounds = bounds;
        for index in (0..self.path.len()).rev() {
            let node = self.path[index] as usize;
            if self.nodes[node].bounds == bounds {
                return;
            }
            self.nodes.prove(node, bounds);
            if index > 0 {
                let parent = self.path[index - 1] as usize;
                bounds = self.shut_children(parent).of_opponent();
            }
        }
    }

    /// Settles how urgent those children are that are proved or cannot bring
    /// more than what the node's side has in hand, which is returned.
    fn shut_children(&mut self, node: usize) -> OutcomeBounds {
        let children = self.nodes[node].children();
        let siblings = self.nodes.range(children.clone()).iter();
        let in_hand = OutcomeBounds::best_of(siblings.map(|child| child.bounds));
        for child in children {
            let bounds = self.nodes[child].bounds;
            // At the root nobody asks for the mean: every try goes to what may
            // be better than the draw.
            if bounds == OutcomeBounds::Draw && node != ROOT {
                self.nodes.settle(child, Urgency::DRAWN);
            } else if bounds.is_proved() || bounds.cannot_beat(in_hand) {
                self.nodes.settle(child, Urgency::NEVER);
            }
        }
        in_hand
    }

    /// Leaves a move of the root out of all that follows, as if it lost.
    pub(super) fn exclude(&mut self, m: G::Move) {
        if let Some(excluded) = self.child(m) {
            self.nodes.prove(excluded, OutcomeBounds::Loss);
            // What it had ruled out may be worth a try now.
            for child in self.root().children() {
                self.nodes.open(child, 0.5, 0, &self.policy);
            }
            let bounds = self.shut_children(ROOT).of_opponent();
            self.nodes.prove(ROOT, bounds);
        }
    }

    /// Goes on from the position after a legal move. What was seen of it is
    /// kept, the rest forgotten.
    pub(super) fn advance(&mut self, m: G::Move, rng: &mut Rng) {
        let child = self.child(m);
        self.game.play_unchecked(m);
        match child {
            Some(child) => self.nodes.keep_below(child),
            None => self.nodes = Nodes::new(self.policy.uses_priors()),
        }
        self.root_is_judged = self.nodes[ROOT].has_children();
        self.settle_root(rng);
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
