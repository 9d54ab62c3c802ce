use crate::repetition::Earlier;
use crate::{Evaluator, Score};
use open_ttt_lib::rules::{Side, TwoPlayerGame};

/// The result of searching a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeResult {
    /// The score for the side to move, with plies counted from the root.
    pub(crate) score: Score,
    /// Whether the score depends on a line cut off at the depth limit.
    pub(crate) depth_limited: bool,
    /// The lowest ply of a position on the path whose return the score depends on;
    /// [`NO_PLY`](Self::NO_PLY) if there is none.
    pub(crate) repeats: u32,
}

impl NodeResult {
    pub(crate) const NO_PLY: u32 = u32::MAX;

    pub(crate) const fn new(score: Score, depth_limited: bool) -> Self {
        Self {
            score,
            depth_limited,
            repeats: Self::NO_PLY,
        }
    }

    /// The result of a node whose moves are not searched: the game is over, the
    /// position is one of the path, or no depth is left. The path has all positions from
    /// the root to the one before.
    pub(crate) fn of_leaf<G: TwoPlayerGame>(
        game: &G,
        depth: u32,
        path: &[G],
        evaluator: &impl Evaluator<G>,
    ) -> Option<Self> {
        let ply = path.len() as u32;
        let mover = path.last().map_or(!game.to_move(), G::to_move);
        Self::of_finished(game, ply, evaluator)
            .or_else(|| Self::of_repeated(game, ply, mover, &Earlier::NONE, path.iter()))
            .or_else(|| Self::of_horizon(game, depth, evaluator))
    }

    /// The result of a game that is over.
    #[inline]
    pub(crate) fn of_finished<G: TwoPlayerGame>(
        game: &G,
        ply: u32,
        evaluator: &impl Evaluator<G>,
    ) -> Option<Self> {
        let outcome = game.outcome()?;
        Some(Self::new(evaluator.finished(game, outcome, ply), false))
    }

    /// The result of a position that a move of `mover` has brought back.
    #[inline]
    pub(crate) fn of_repeated<'a, G: TwoPlayerGame + 'a>(
        game: &G,
        ply: u32,
        mover: Side,
        earlier: &Earlier<G>,
        path: impl Iterator<Item = &'a G>,
    ) -> Option<Self> {
        let repeated = earlier.repeated(game, mover, path)?;
        Some(Self {
            score: repeated.score(game.to_move(), ply),
            depth_limited: false,
            repeats: repeated.ply,
        })
    }

    /// The result where no depth is left.
    #[inline]
    pub(crate) fn of_horizon<G: TwoPlayerGame>(
        game: &G,
        depth: u32,
        evaluator: &impl Evaluator<G>,
    ) -> Option<Self> {
        (depth == 0).then(|| Self::new(evaluator.unfinished(game), true))
    }
}
