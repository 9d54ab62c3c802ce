use core::cmp::Ordering;

use super::tree::Tree;
use crate::outcome_bounds::OutcomeBounds;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};

/// What a tree search found out about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeAnswer<M> {
    /// Every move with what was seen of it, the best first: those that are
    /// proved to win, then by how often they were tried, those that are proved
    /// to lose last. None exactly when the game is over.
    pub moves: Vec<MoveStatistics<M>>,
    /// The principal variation: the best move, and after it the best one each
    /// time as far as any was tried.
    pub line: Vec<M>,
    /// How often the search looked along a line, all of it that was kept from
    /// earlier moves included.
    pub iterations: u64,
    /// How the game ends under best play, if that is proved.
    pub proved: Option<Outcome>,
}

/// What a tree search saw of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// The move.
    pub m: M,
    /// How often it was tried.
    pub visits: u64,
    /// Wins plus half the draws of the side that plays it, as a share of the
    /// tries: 0 to 1; what is proved of it counts instead. Half a point if it
    /// was not tried.
    pub value: f64,
    /// How the game ends after it under best play, if that is proved.
    pub proved: Option<Outcome>,
}

/// A move of the root, counted over all trees.
struct Candidate<M> {
    m: M,
    visits: u64,
    points: f64,
    bounds: OutcomeBounds,
}

impl<M: Copy> Candidate<M> {
    fn value(&self) -> f64 {
        match self.bounds.points() {
            Some(points) => f64::from(points),
            None if self.visits == 0 => 0.5,
            None => self.points / self.visits as f64,
        }
    }

    /// What counts before the number of tries: wins first, losses last and,
    /// where a draw is certain, what promises less after it.
    fn rank(&self, in_hand: OutcomeBounds) -> u8 {
        match self.bounds {
            OutcomeBounds::Win => 4,
            OutcomeBounds::Draw => 2,
            OutcomeBounds::Loss => 0,
            _ if !in_hand.secures_draw() => 2,
            open if open.cannot_beat(in_hand) || self.value() < 0.5 => 1,
            _ => 3,
        }
    }

    /// How two moves are ordered, the better one first.
    fn before(&self, other: &Self, in_hand: OutcomeBounds) -> Ordering {
        let by_rank = other.rank(in_hand).cmp(&self.rank(in_hand));
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
    /// Reads the answer off trees from the same position, but for some moves
    /// that are not to be named.
    pub(super) fn read<G>(trees: &[&Tree<G>], excluded: &[M]) -> Self
    where
        G: TwoPlayerGame<Move = M>,
    {
        let Some(first) = trees.first() else {
            return Self {
                moves: Vec::new(),
                line: Vec::new(),
                iterations: 0,
                proved: None,
            };
        };
        let side = first.game().to_move();
        let mut candidates: Vec<_> = first
            .root()
            .children()
            .filter_map(|child| {
                let m = first.node(child).m?;
                let seen = trees.iter().filter_map(|tree| {
                    let child = tree.child(m)?;
                    Some(tree.node(child))
                });
                let mut candidate = Candidate {
                    m,
                    visits: 0,
                    points: 0.0,
                    bounds: OutcomeBounds::Unknown,
                };
                for node in seen {
                    candidate.visits += u64::from(node.visits);
                    candidate.points += node.points;
                    candidate.bounds = candidate.bounds.intersect(node.bounds);
                }
                Some(candidate)
            })
            .filter(|candidate| !excluded.contains(&candidate.m))
            .collect();
        let in_hand = OutcomeBounds::best_of(candidates.iter().map(|candidate| candidate.bounds));
        candidates.sort_by(|a, b| a.before(b, in_hand));
        let moves: Vec<_> = candidates.iter().map(|c| c.statistics(side)).collect();
        let iterations = trees.iter().map(|tree| u64::from(tree.root().visits));
        Self {
            line: moves
                .first()
                .map_or_else(Vec::new, |best| line(trees, best.m)),
            proved: match first.game().outcome() {
                None => in_hand.outcome(side),
                over => over,
            },
            iterations: iterations.sum(),
            moves,
        }
    }
}

/// The line that begins with a move, in the tree that saw most of it.
fn line<G: TwoPlayerGame>(trees: &[&Tree<G>], best: G::Move) -> Vec<G::Move> {
    let mut line = vec![best];
    let seen = trees
        .iter()
        .filter_map(|tree| Some((tree, tree.child(best)?)));
    let Some((tree, mut at)) = seen.max_by_key(|&(tree, child)| tree.node(child).visits) else {
        return line;
    };
    loop {
        let candidates = tree.node(at).children().filter_map(|child| {
            let node = tree.node(child);
            let candidate = Candidate {
                m: node.m?,
                visits: u64::from(node.visits),
                points: node.points,
                bounds: node.bounds,
            };
            Some((child, candidate))
        });
        let candidates: Vec<_> = candidates.collect();
        let in_hand =
            OutcomeBounds::best_of(candidates.iter().map(|(_, candidate)| candidate.bounds));
        let next = candidates
            .into_iter()
            .filter(|(_, candidate)| candidate.visits > 0)
            .min_by(|(_, a), (_, b)| a.before(b, in_hand));
        let Some((child, candidate)) = next else {
            return line;
        };
        line.push(candidate.m);
        at = child;
    }
}
