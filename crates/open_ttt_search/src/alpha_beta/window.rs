use crate::Score;

/// The scores that can still change the result of a search: above `alpha`, which
/// the side to move has for certain, and below `beta`, which the opponent does
/// not allow.
///
/// A result within the window is exact. A result at or below `alpha` is an upper
/// bound (the search fails low), one at or above `beta` a lower bound (it fails
/// high).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
}

impl Window {
    pub(crate) const FULL: Self = Self::new(Score::MIN, Score::MAX);

    pub(crate) const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// The null window, which only tells whether a score is above `alpha`.
    pub(crate) fn null(alpha: Score) -> Self {
        Self::new(alpha, alpha.just_above())
    }

    /// The same window for the side to move after a move, which is the other side
    /// unless the mover keeps the turn.
    pub(crate) fn after_move(self, keeps_turn: bool) -> Self {
        if keeps_turn {
            self
        } else {
            Self::new(-self.beta, -self.alpha)
        }
    }

    /// Whether no score lies within the window.
    pub(crate) fn is_null(self) -> bool {
        self.beta <= self.alpha.just_above()
    }

    /// Whether a score is exact if a search of this window returns it.
    pub(crate) fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }
}
