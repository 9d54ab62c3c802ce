use core::cmp::Ordering;

use super::budget::Meter;
use super::{Budget, StopFlag};
use crate::random::Rng;
use crate::rules::{Outcome, Side, TwoPlayerGame};

/// How a Monte-Carlo tree search goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// How much a move that was tried rarely is preferred to one that did
    /// well. √2 is the theory's choice for rewards from 0 to 1.
    pub exploration: f64,
    /// How many nodes the tree may have; once it is full the search goes on
    /// in the tree it has. A node takes some 32 bytes.
    pub most_tree_nodes: usize,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self {
            exploration: core::f64::consts::SQRT_2,
            most_tree_nodes: 2_000_000,
        }
    }
}

/// What a tree search found out about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeAnswer<M> {
    /// Every move with what was seen of it, the one tried most often first;
    /// none exactly when the game is over.
    pub moves: Vec<MoveStatistics<M>>,
    /// The moves tried most often, one after the other.
    pub line: Vec<M>,
    /// How many random games were played.
    pub iterations: u64,
}

/// What a tree search saw of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// The move.
    pub m: M,
    /// How often it was tried.
    pub visits: u32,
    /// Wins plus half the draws of the side that plays it, as a share of the
    /// tries: 0 to 1.
    pub value: f64,
}

/// Grows a tree of the promising lines, judged by random games.
///
/// This is UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning",
/// 2006) with one random game an iteration. It needs nothing but the rules.
/// On the same position, budget and random numbers it gives the same answer,
/// unless time or the flag ended it.
///
/// A budget's `nodes` are iterations; its `depth` is not used. At least one
/// iteration is made for each possible move.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_lib::rules::{Notation, play_text};
/// use open_ttt_lib::search::{Budget, StopFlag, TreeOptions, monte_carlo};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 b1 a2 b2")?;
/// let answer = monte_carlo(
///     &game,
///     TreeOptions::default(),
///     &Budget::nodes(1_000),
///     &StopFlag::new(),
///     &mut Rng::new(1),
/// );
/// assert_eq!(game.move_text(answer.moves[0].m), "a3");
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[doc(alias = "mcts")]
#[doc(alias = "UCT")]
pub fn monte_carlo<G: TwoPlayerGame>(
    game: &G,
    options: TreeOptions,
    budget: &Budget,
    stop: &StopFlag,
    rng: &mut Rng,
) -> TreeAnswer<G::Move> {
    let mut tree = Tree {
        nodes: vec![Node::new(None)],
        options,
        path: Vec::new(),
    };
    tree.expand(0, game, rng);
    let at_least = tree.nodes[0].children().len() as u64;
    let mut meter = Meter::new(budget, stop);
    if at_least > 0 {
        while meter.nodes() < at_least || !meter.is_spent() {
            tree.iterate(game, rng);
            meter.count();
            // An iteration is worth many nodes: look at the clock each time.
            meter.look();
        }
    }
    tree.answer(meter.nodes())
}

#[derive(Debug)]
struct Tree<M> {
    /// The root first; the children of a node stand side by side.
    nodes: Vec<Node<M>>,
    options: TreeOptions,
    /// The nodes of the current iteration, from the root, each with the side
    /// that made the move into it.
    path: Vec<(usize, Side)>,
}

#[derive(Clone, Debug)]
struct Node<M> {
    /// The move that leads here; none at the root.
    m: Option<M>,
    first_child: u32,
    child_count: u32,
    visits: u32,
    /// Twice the wins plus the draws of the side that made the move `m`.
    half_points: u32,
}

impl<M> Node<M> {
    fn new(m: Option<M>) -> Self {
        Self {
            m,
            first_child: 0,
            child_count: 0,
            visits: 0,
            half_points: 0,
        }
    }

    fn children(&self) -> core::ops::Range<usize> {
        let first = self.first_child as usize;
        first..first + self.child_count as usize
    }

    fn value(&self) -> f64 {
        f64::from(self.half_points) / (2.0 * f64::from(self.visits.max(1)))
    }
}

impl<M: Copy> Tree<M> {
    /// One iteration: walk down to a leaf, let it grow, play a random game
    /// from there and count its result on the way back.
    fn iterate<G: TwoPlayerGame<Move = M>>(&mut self, game: &G, rng: &mut Rng) {
        let mut at = game.clone();
        let mut node = 0;
        self.path.clear();
        self.path.push((0, !at.to_move()));
        loop {
            if self.nodes[node].child_count == 0 && self.nodes[node].visits > 0 {
                self.expand(node, &at, rng);
            }
            let Some(child) = self.most_promising(node) else {
                break;
            };
            let mover = at.to_move();
            if let Some(m) = self.nodes[child].m {
                at.play_unchecked(m);
            }
            self.path.push((child, mover));
            node = child;
            if self.nodes[node].visits == 0 {
                break;
            }
        }
        let outcome = play_out(at, rng);
        for &(node, mover) in &self.path {
            let node = &mut self.nodes[node];
            node.visits += 1;
            node.half_points += match outcome {
                Outcome::Win(side) if side == mover => 2,
                Outcome::Win(_) => 0,
                Outcome::Draw => 1,
            };
        }
    }

    /// Gives a node its children, in random order so that none is favoured by
    /// its place in the game's list. Does nothing where the tree is full.
    fn expand<G: TwoPlayerGame<Move = M>>(&mut self, node: usize, game: &G, rng: &mut Rng) {
        let first = self.nodes.len();
        if node != 0 && first >= self.options.most_tree_nodes {
            return;
        }
        self.nodes.extend(game.moves().map(|m| Node::new(Some(m))));
        let count = self.nodes.len() - first;
        for index in (1..count).rev() {
            self.nodes.swap(first + index, first + rng.below(index + 1));
        }
        self.nodes[node].first_child = first as u32;
        self.nodes[node].child_count = count as u32;
    }

    /// The child to try next: one not tried yet, or the one with the highest
    /// upper confidence bound.
    fn most_promising(&self, node: usize) -> Option<usize> {
        let parent = &self.nodes[node];
        let log_visits = f64::from(parent.visits.max(1)).ln();
        let mut best = None;
        let mut best_bound = f64::NEG_INFINITY;
        for child in parent.children() {
            let statistics = &self.nodes[child];
            if statistics.visits == 0 {
                return Some(child);
            }
            let spread = (log_visits / f64::from(statistics.visits)).sqrt();
            let bound = statistics.value() + self.options.exploration * spread;
            if bound > best_bound {
                best = Some(child);
                best_bound = bound;
            }
        }
        best
    }

    /// The children of a node, the one tried most often first.
    fn ranked(&self, node: usize) -> Vec<&Node<M>> {
        let mut children: Vec<_> = self.nodes[self.nodes[node].children()].iter().collect();
        children.sort_by(|a, b| {
            let by_visits = b.visits.cmp(&a.visits);
            by_visits.then(b.value().partial_cmp(&a.value()).unwrap_or(Ordering::Equal))
        });
        children
    }

    fn answer(&self, iterations: u64) -> TreeAnswer<M> {
        let statistics = |child: &Node<M>| {
            Some(MoveStatistics {
                m: child.m?,
                visits: child.visits,
                value: child.value(),
            })
        };
        let mut line = Vec::new();
        let mut node = 0;
        while let Some(next) = self.nodes[node]
            .children()
            .max_by_key(|&child| self.nodes[child].visits)
            .filter(|&child| self.nodes[child].visits > 0)
        {
            line.extend(self.nodes[next].m);
            node = next;
        }
        TreeAnswer {
            moves: self.ranked(0).into_iter().filter_map(statistics).collect(),
            line,
            iterations,
        }
    }
}

/// Plays random moves to the end.
fn play_out<G: TwoPlayerGame>(mut game: G, rng: &mut Rng) -> Outcome {
    loop {
        if let Some(outcome) = game.outcome() {
            return outcome;
        }
        let count = game.moves().count();
        let Some(m) = game.moves().nth(rng.below(count)) else {
            // Only a game that breaks the contract has no move and no outcome.
            return Outcome::Draw;
        };
        game.play_unchecked(m);
    }
}
