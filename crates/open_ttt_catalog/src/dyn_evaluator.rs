use super::DynGame;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};
use open_ttt_search::{Evaluator, Score};

/// What the evaluator of a game's searches says of a position, without its type.
pub(super) struct Evaluation<G> {
    /// As [`Evaluator::finished`].
    pub(super) finished: fn(&G, Outcome, u32) -> Score,
    /// As [`Evaluator::unfinished`].
    pub(super) unfinished: fn(&G) -> Score,
}

impl<G: TwoPlayerGame> Evaluation<G> {
    pub(super) const fn of<E: Evaluator<G> + Default>() -> Self {
        Self {
            finished: |game, outcome, plies| E::default().finished(game, outcome, plies),
            unfinished: |game| E::default().unfinished(game),
        }
    }
}

/// The evaluator of a game's own searches for a [`DynGame`].
///
/// A search with it is slower than one in the game's own type, but it is compiled once for all
/// games: for players whose strength doesn't depend on how fast they search.
#[derive(Clone, Copy, Debug)]
pub(super) struct DynEvaluator;

impl Evaluator<DynGame> for DynEvaluator {
    fn finished(&self, game: &DynGame, outcome: Outcome, plies: u32) -> Score {
        game.finished_score(outcome, plies)
    }

    fn unfinished(&self, game: &DynGame) -> Score {
        game.unfinished_score()
    }
}
