use core::cmp::Ordering;

use super::GumbelSearch;
use super::functions::weights;
use crate::outcome_bounds::OutcomeBounds;
use crate::tree::ROOT;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};

/// What a Gumbel search found out about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct GumbelAnswer<M> {
    /// The move to play: of those tried most in this search the best, chance
    /// included; one that is proved to win before all others, and one that is
    /// proved to lose after all others. `None` exactly when the game is over.
    pub chosen: Option<M>,
    /// Every move with what was seen of it, in the order of
    /// [`TwoPlayerGame::moves`].
    pub moves: Vec<GumbelMove<M>>,
    /// What the position is worth to the side to move under the improved
    /// policy, -1 to 1: the result if it is proved.
    pub value: f32,
    /// How many lines were looked along, those that were kept from earlier
    /// moves included: the visits of all moves together.
    pub simulations: u32,
    /// How the game ends under best play, if that is proved.
    pub proved: Option<Outcome>,
}

/// What a Gumbel search saw of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GumbelMove<M> {
    /// The move.
    pub m: M,
    /// How likely it was thought to be the right one before the search; all
    /// are as likely until the position is estimated.
    pub prior: f32,
    /// How likely the improved policy thinks it is: softmax of logits and
    /// completed values, the target to learn; next to nothing where it is proved
    /// that another move is better, or that it loses and others may not. Without
    /// simulations it is the prior.
    pub policy: f32,
    /// What it brings to the side that plays it, -1 to 1: the result if it is
    /// proved, the mean of its visits or, without any, what the position is
    /// worth by all else that is known (the completed value).
    pub value: f32,
    /// How often it was tried.
    pub visits: u32,
    /// How the game ends after it under best play, if that is proved.
    pub proved: Option<Outcome>,
}

impl<M: Copy> GumbelAnswer<M> {
    /// Reads the answer off a search.
    pub(super) fn read<G: TwoPlayerGame<Move = M>>(search: &GumbelSearch<G>) -> Self {
        let side = search.game.to_move();
        if let Some(outcome) = search.game.outcome() {
            let points = OutcomeBounds::terminal(outcome, side)
                .points()
                .unwrap_or(0.5);
            return Self {
                chosen: None,
                moves: Vec::new(),
                value: 2.0 * points - 1.0,
                simulations: 0,
                proved: Some(outcome),
            };
        }
        let seen = search.nodes.seen(ROOT);
        let mut policy = Vec::new();
        let mixed = search.improvement.logits(&seen, &mut policy);
        let scores: Vec<_> = (policy.iter().zip(&search.root.noise))
            .map(|(logit, noise)| logit + noise)
            .collect();
        let edges = search.nodes.edges(ROOT);
        if search.options.proves {
            for (logit, edge) in policy.iter_mut().zip(edges.clone()) {
                if search
                    .nodes
                    .bounds(edge)
                    .is_dominated_by(search.root.bounds)
                {
                    *logit = f32::NEG_INFINITY;
                }
            }
        }
        let share = 1.0 / weights(&mut policy);
        let moves: Vec<_> = edges
            .clone()
            .enumerate()
            .map(|(index, edge)| GumbelMove {
                m: search.nodes.m(edge),
                prior: seen.priors[index],
                policy: policy[index] * share,
                value: match seen.values[index] {
                    unknown if unknown.is_nan() => mixed,
                    value => value,
                },
                visits: seen.visits[index],
                proved: search.nodes.bounds(edge).outcome(side),
            })
            .collect();
        let chosen = (0..moves.len())
            .filter(|&index| !search.root.excluded[index])
            .reduce(|best, index| {
                let key = |index: usize| Key {
                    rank: search.rank(edges.start + index, moves[index].value, search.root.bounds),
                    visits: seen.visits[index] - search.root.visits_before[index],
                    score: scores[index],
                };
                match key(index).against(&key(best)) {
                    Ordering::Greater => index,
                    Ordering::Less | Ordering::Equal => best,
                }
            });
        let value = match search.root.bounds.points() {
            Some(points) => 2.0 * points - 1.0,
            None => moves.iter().map(|m| m.policy * m.value).sum(),
        };
        Self {
            chosen: chosen.map(|index| moves[index].m),
            moves,
            value,
            simulations: seen.all_visits,
            proved: search.root.bounds.outcome(side),
        }
    }
}

/// What moves are compared by when one is chosen.
struct Key {
    rank: u8,
    visits: u32,
    score: f32,
}

impl Key {
    fn against(&self, other: &Self) -> Ordering {
        let by_rank = self.rank.cmp(&other.rank);
        let by_visits = self.visits.cmp(&other.visits);
        let by_score = self.score.total_cmp(&other.score);
        by_rank.then(by_visits).then(by_score)
    }
}

impl<G: TwoPlayerGame> GumbelSearch<G> {
    /// What counts before the visits, for a side that has so much in hand: wins,
    /// those at once before others, then what is at least as good as that, and
    /// losses last. Where a draw is certain, what is neither certain nor promises
    /// more comes after it.
    fn rank(&self, edge: usize, value: f32, in_hand: OutcomeBounds) -> u8 {
        if !self.options.proves {
            return 2;
        }
        match self.nodes.bounds(edge) {
            OutcomeBounds::Win if self.nodes.child(edge).is_none() => 4,
            OutcomeBounds::Win => 3,
            OutcomeBounds::Loss => 0,
            bounds if !in_hand.secures_draw() || bounds.secures_draw() => 2,
            bounds if bounds.cannot_beat(in_hand) || value <= 0.0 => 1,
            _ => 2,
        }
    }
}
