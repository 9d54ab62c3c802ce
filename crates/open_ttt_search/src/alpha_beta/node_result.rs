use crate::{Evaluator, Score};
use open_ttt_lib::rules::TwoPlayerGame;

/// The result of searching a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeResult {
    /// The score for the side to move, with plies counted from the root.
    pub(crate) score: Score,
    /// Whether the score depends on a line cut off at the depth limit.
    pub(crate) depth_limited: bool,
}

impl NodeResult {
    pub(crate) const fn new(score: Score, depth_limited: bool) -> Self {
        Self {
            score,
            depth_limited,
        }
    }

    /// The result of a node whose moves are not searched: the game is over, or no depth is left.
    #[inline]
    pub(crate) fn of_leaf<G: TwoPlayerGame>(
        game: &G,
        depth: u32,
        ply: u32,
        evaluator: &impl Evaluator<G>,
    ) -> Option<Self> {
        match game.outcome() {
            Some(outcome) => Some(Self::new(evaluator.finished(game, outcome, ply), false)),
            None if depth == 0 => Some(Self::new(evaluator.unfinished(game), true)),
            None => None,
        }
    }
}
