use crate::Score;

/// The scores that still matter: above `alpha`, which is already certain, and
/// below `beta`, which the opponent would not allow.
///
/// A result within the window is exact. One at or below `alpha` says "at most
/// this", one at or above `beta` "at least this".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
}

impl Window {
    pub(crate) const FULL: Self = Self {
        alpha: Score::MIN,
        beta: Score::MAX,
    };

    /// The window that only tells whether a score is above `alpha`.
    pub(crate) fn above(alpha: Score) -> Self {
        Self {
            alpha,
            beta: alpha.just_above(),
        }
    }

    /// The same window for the other side.
    pub(crate) fn flipped(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Whether a score between the two is possible.
    pub(crate) fn is_open(self) -> bool {
        self.beta > self.alpha.just_above()
    }

    /// Whether a score is exact if a search of this window finds it.
    pub(crate) fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }
}
