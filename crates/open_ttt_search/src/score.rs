use core::fmt;
use core::ops::Neg;

/// How good a position is *for the side to move*: a certain win or loss with the
/// number of plies it takes, or an evaluation.
///
/// An evaluation is a heuristic estimate, a margin in points, or zero for a draw.
/// Every win is better than every evaluation, and a fast win better than a slow
/// one; for losses it is the reverse. Negating a score gives the other side's.
///
/// ```
/// use open_ttt_search::Score;
///
/// assert!(Score::win_in(3) > Score::win_in(5));
/// assert!(Score::win_in(5) > Score::evaluation(100));
/// assert!(Score::loss_in(2) < Score::loss_in(4));
/// assert_eq!(-Score::win_in(3), Score::loss_in(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// A [`Score`] without the number of plies a win or loss takes.
///
/// Moves of the same grade lead to the same result; a mistake is a move of a
/// lower grade than the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// The side to move loses.
    Loss,
    /// Neither win nor loss is certain: a heuristic estimate, a margin in points,
    /// or zero for a draw.
    Evaluation(i32),
    /// The side to move wins.
    Win,
}

impl Score {
    /// A draw, or an even evaluation.
    pub const DRAW: Self = Self(0);

    /// The largest evaluation.
    pub const MAX_EVALUATION: i32 = 1_000_000;

    /// A win that has already happened, the best score.
    const WON: i32 = 2_000_000;

    /// Below every score.
    pub(crate) const MIN: Self = Self(-Self::WON - 1);

    /// Above every score.
    pub(crate) const MAX: Self = Self(Self::WON + 1);

    /// The side to move wins in this many plies, capped at 500,000.
    pub const fn win_in(plies: u32) -> Self {
        let plies = if plies > 500_000 { 500_000 } else { plies };
        Self(Self::WON - plies as i32)
    }

    /// The side to move loses in this many plies, capped at 500,000.
    pub const fn loss_in(plies: u32) -> Self {
        Self(-Self::win_in(plies).0)
    }

    /// An evaluation, positive if the side to move is better off, clamped to
    /// ±[`MAX_EVALUATION`](Self::MAX_EVALUATION).
    pub const fn evaluation(value: i32) -> Self {
        if value > Self::MAX_EVALUATION {
            Self(Self::MAX_EVALUATION)
        } else if value < -Self::MAX_EVALUATION {
            Self(-Self::MAX_EVALUATION)
        } else {
            Self(value)
        }
    }

    /// The score without the number of plies.
    pub const fn grade(self) -> Grade {
        if self.0 > Self::MAX_EVALUATION {
            Grade::Win
        } else if self.0 < -Self::MAX_EVALUATION {
            Grade::Loss
        } else {
            Grade::Evaluation(self.0)
        }
    }

    /// The number of plies to the win or loss, if the score is one.
    pub const fn plies(self) -> Option<u32> {
        match self.grade() {
            Grade::Evaluation(_) => None,
            Grade::Win | Grade::Loss => Some(Self::WON as u32 - self.0.unsigned_abs()),
        }
    }

    /// The same score for the side that made the move into the position.
    pub(crate) const fn for_mover(self, keeps_turn: bool) -> Self {
        if keeps_turn { self } else { Self(-self.0) }
    }

    /// The score of the position one ply earlier for the same side: a win or loss
    /// takes one ply more.
    #[cfg(feature = "std")]
    pub(crate) const fn one_ply_earlier(self) -> Self {
        self.relative_to_root(1)
    }

    pub(crate) const fn just_below(self) -> Self {
        Self(self.0 - 1)
    }

    pub(crate) const fn just_above(self) -> Self {
        Self(self.0 + 1)
    }

    /// The scores lower and higher by `margin`, clamped to a full window.
    pub(crate) fn around(self, margin: u32) -> (Self, Self) {
        let shifted = |by: i64| {
            let score = i64::from(self.0) + by;
            Self(score.clamp(i64::from(Self::MIN.0), i64::from(Self::MAX.0)) as i32)
        };
        (shifted(-i64::from(margin)), shifted(i64::from(margin)))
    }

    pub(crate) const fn distance(self, other: Self) -> u32 {
        self.0.abs_diff(other.0)
    }

    /// Converts a score with plies counted from the root to one with plies counted
    /// from a position `ply` plies below it.
    pub(crate) const fn relative_to_node(self, ply: u32) -> Self {
        self.sooner_by(ply as i32)
    }

    /// The reverse of [`relative_to_node`](Self::relative_to_node).
    pub(crate) const fn relative_to_root(self, ply: u32) -> Self {
        self.sooner_by(-(ply as i32))
    }

    /// The score if the win or loss takes fewer plies by this number.
    const fn sooner_by(self, plies: i32) -> Self {
        match self.grade() {
            Grade::Evaluation(_) => self,
            Grade::Win => Self(self.0 + plies),
            Grade::Loss => Self(self.0 - plies),
        }
    }

    /// The score as an unsigned number of 23 bits.
    pub(crate) const fn to_bits(self) -> u64 {
        (self.0 + Self::MAX.0) as u64
    }

    /// The reverse of [`to_bits`](Self::to_bits).
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits as i32 - Self::MAX.0)
    }
}

impl Neg for Score {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.grade(), self.plies()) {
            (Grade::Win, Some(plies)) => write!(f, "win in {plies}"),
            (Grade::Loss, Some(plies)) => write!(f, "loss in {plies}"),
            _ => write!(f, "{:+}", self.0),
        }
    }
}
