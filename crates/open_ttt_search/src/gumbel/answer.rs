use super::GumbelSearch;
use super::functions::weights;
use super::improvement::improved_logits;
use crate::outcome_bounds::OutcomeBounds;
use crate::tree::ROOT;
use alloc::vec::Vec;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};

/// The result of a Gumbel search.
#[derive(Clone, Debug, PartialEq)]
pub struct GumbelAnswer<M> {
    /// The move to play: the best, noise included, of those visited most in this
    /// search; a proved win before all others, a proved loss after them. `None`
    /// exactly when the game is over.
    pub chosen: Option<M>,
    /// The statistics of every move, in the order of [`TwoPlayerGame::moves`].
    pub moves: Vec<GumbelMove<M>>,
    /// The value for the side to move under the improved policy, -1 to 1; the
    /// proved result if there is one.
    pub value: f32,
    /// The number of simulations, including those kept from earlier moves: the sum
    /// of the visits of all moves.
    pub simulations: u32,
    /// The outcome under best play, if it is proved.
    pub proved: Option<Outcome>,
}

/// The statistics of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GumbelMove<M> {
    /// The move.
    pub m: M,
    /// The prior probability, from the model; uniform before the estimate.
    pub prior: f32,
    /// The probability under the improved policy, the training target: the softmax
    /// of logits and completed Q-values. Next to 0 for a move that is proved worse
    /// than another; the prior without simulations.
    pub policy: f32,
    /// The completed Q-value for the side that plays it, -1 to 1: the proved
    /// result, the mean of the visits, or without visits the mixed value of the
    /// position.
    pub value: f32,
    /// The number of visits.
    pub visits: u32,
    /// The outcome after it under best play, if it is proved.
    pub proved: Option<Outcome>,
}

impl<M: Copy> GumbelAnswer<M> {
    pub(super) fn new<G: TwoPlayerGame<Move = M>>(search: &GumbelSearch<G>) -> Self {
        let side = search.game.to_move();
        if let Some(outcome) = search.game.outcome() {
            let bounds = OutcomeBounds::terminal(outcome, side);
            return Self {
                chosen: None,
                moves: Vec::new(),
                value: bounds.value().unwrap_or(0.0),
                simulations: 0,
                proved: Some(outcome),
            };
        }
        let root = search.nodes.view(ROOT);
        let mut policy = Vec::new();
        let mixed = improved_logits(&search.options, &root, &mut policy);
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
                prior: root.priors[index],
                policy: policy[index] * share,
                value: if root.values[index].is_nan() {
                    mixed
                } else {
                    root.values[index]
                },
                visits: root.visits[index],
                proved: search.nodes.bounds(edge).outcome(side),
            })
            .collect();
        let key = |index: usize| {
            let rank = search.rank(edges.start + index, moves[index].value, search.root.bounds);
            (rank, root.visits[index] - search.root.visits_before[index])
        };
        let compare = |a: usize, b: usize| {
            key(a)
                .cmp(&key(b))
                .then_with(|| scores[a].total_cmp(&scores[b]))
        };
        // The first of the best moves: `max_by` returns the last.
        let chosen = (0..moves.len())
            .rev()
            .filter(|&index| !search.root.excluded[index]);
        let chosen = chosen.max_by(|&a, &b| compare(a, b));
        let value = search.root.bounds.value();
        let value = value.unwrap_or_else(|| moves.iter().map(|m| m.policy * m.value).sum());
        Self {
            chosen: chosen.map(|index| moves[index].m),
            moves,
            value,
            simulations: root.all_visits,
            proved: search.root.bounds.outcome(side),
        }
    }
}

impl<G: TwoPlayerGame> GumbelSearch<G> {
    /// The rank that comes before the visits: wins first, immediate ones before
    /// others, losses last. If a draw is secured, moves that are neither certain
    /// nor promise more come after it.
    fn rank(&self, edge: usize, value: f32, secured: OutcomeBounds) -> u8 {
        if !self.options.proves {
            return 2;
        }
        match self.nodes.bounds(edge) {
            OutcomeBounds::Win if self.nodes.child(edge).is_none() => 4,
            OutcomeBounds::Win => 3,
            OutcomeBounds::Loss => 0,
            bounds if !secured.secures_draw() || bounds.secures_draw() => 2,
            bounds if bounds.cannot_beat(secured) || value <= 0.0 => 1,
            _ => 2,
        }
    }
}
