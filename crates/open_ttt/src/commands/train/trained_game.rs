use core::cmp::Ordering;
use core::num::NonZero;

use open_ttt_catalog::{CatalogGame, DynGame};
use open_ttt_coach::GameValue;
use open_ttt_learn::Symmetries;
use open_ttt_lib::rules::{Encode, Symmetry, TwoPlayerGame};
use open_ttt_search::{Budget, Score, StopFlag};

/// A game to train on: in its own type, or as a [`DynGame`].
pub(super) struct TrainedGame<G: TwoPlayerGame> {
    pub(super) start: G,
    pub(super) title: &'static str,
    pub(super) symmetries: Symmetries<G>,
    /// Whether positions can be proved, for a test set.
    pub(super) can_be_proved: bool,
    /// Compares a position's value for the side to move with a draw; `None` if it isn't
    /// proved within the budget.
    pub(super) value: fn(&G, NonZero<usize>, &Budget, &StopFlag) -> Option<Ordering>,
}

impl<G: CatalogGame + Encode + Symmetry> TrainedGame<G> {
    /// A game in its own type, on which training is fastest.
    pub(super) fn of(start: &G) -> Self {
        Self {
            title: G::TITLE,
            symmetries: Symmetries::of(start),
            can_be_proved: start.can_be_proved(),
            value: |position, threads, budget, stop| {
                let answer = position.analyze(threads, budget, stop);
                answer.proved.then(|| answer.score.cmp(&Score::DRAW))
            },
            start: start.clone(),
        }
    }
}

impl TrainedGame<DynGame> {
    /// A game on whose own type no training is compiled, or whose type the program doesn't
    /// know.
    pub(super) fn dynamic(start: DynGame) -> Self {
        Self {
            title: start.entry().title,
            symmetries: Symmetries::of(&start),
            can_be_proved: start.can_be_proved(),
            value: |position, threads, budget, stop| {
                let analysis = position.analyze(threads, budget, stop);
                match analysis.value.result {
                    GameValue::Win => Some(Ordering::Greater),
                    GameValue::Draw => Some(Ordering::Equal),
                    GameValue::Loss => Some(Ordering::Less),
                    GameValue::Unknown => None,
                }
            },
            start,
        }
    }
}
