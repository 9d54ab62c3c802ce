use core::fmt;
use core::ops::Neg;

/// How good a position is *for the side to move*.
///
/// A score is a judgement, of a position whose end was not seen or by points,
/// or a win or loss that is certain, with the number of plies it takes. Any
/// win is better than any judgement and a fast one better than a slow one; the
/// other way round for losses. Seen from the other side a score is negated.
///
/// ```
/// use open_ttt_search::Score;
///
/// assert!(Score::win_in(3) > Score::win_in(5));
/// assert!(Score::win_in(5) > Score::judged(100));
/// assert!(Score::loss_in(2) < Score::loss_in(4));
/// assert_eq!(-Score::win_in(3), Score::loss_in(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// What a score comes to when it does not matter how long a win or loss takes.
///
/// Two moves of the same grade are equally good to somebody who cares for the
/// result alone; a mistake is a move of a lower grade than the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// The side to move loses.
    Loss,
    /// Neither is certain: a judgement, or points; a draw is zero.
    Judged(i32),
    /// The side to move wins.
    Win,
}

impl Score {
    /// Even: a draw, or a judgement that favours nobody.
    pub const DRAW: Self = Self(0);

    /// The largest judgement.
    pub const MAX_JUDGED: i32 = 1_000_000;

    /// A win that has already happened, one better than any other score.
    const WON: i32 = 2_000_000;

    /// Below every score.
    pub(crate) const MIN: Self = Self(-Self::WON - 1);

    /// Above every score.
    pub(crate) const MAX: Self = Self(Self::WON + 1);

    /// The side to move wins in this many plies; more than 500,000 count as
    /// that many.
    pub const fn win_in(plies: u32) -> Self {
        let plies = if plies > 500_000 { 500_000 } else { plies };
        Self(Self::WON - plies as i32)
    }

    /// The side to move loses in this many plies; more than 500,000 count as
    /// that many.
    pub const fn loss_in(plies: u32) -> Self {
        Self(-Self::win_in(plies).0)
    }

    /// A judgement, positive if the side to move is better off, brought within
    /// ±[`MAX_JUDGED`](Self::MAX_JUDGED).
    pub const fn judged(value: i32) -> Self {
        if value > Self::MAX_JUDGED {
            Self(Self::MAX_JUDGED)
        } else if value < -Self::MAX_JUDGED {
            Self(-Self::MAX_JUDGED)
        } else {
            Self(value)
        }
    }

    /// Win, loss or judgement, without the time it takes.
    pub const fn grade(self) -> Grade {
        if self.0 > Self::MAX_JUDGED {
            Grade::Win
        } else if self.0 < -Self::MAX_JUDGED {
            Grade::Loss
        } else {
            Grade::Judged(self.0)
        }
    }

    /// In how many plies the win or loss comes, if it is one.
    pub const fn plies(self) -> Option<u32> {
        match self.grade() {
            Grade::Judged(_) => None,
            Grade::Win | Grade::Loss => Some(Self::WON as u32 - self.0.unsigned_abs()),
        }
    }

    /// The same score seen one ply earlier, by the same side: a win or loss
    /// takes one ply more.
    pub(crate) const fn one_ply_earlier(self) -> Self {
        match self.grade() {
            Grade::Judged(_) => self,
            Grade::Win => Self(self.0 - 1),
            Grade::Loss => Self(self.0 + 1),
        }
    }

    /// The next lower score: a window that opens here keeps ties in sight.
    pub(crate) const fn just_below(self) -> Self {
        Self(self.0 - 1)
    }

    /// The next higher score.
    pub(crate) const fn just_above(self) -> Self {
        Self(self.0 + 1)
    }

    /// The score so much lower and higher, within the bounds of a window.
    pub(crate) fn around(self, distance: u32) -> (Self, Self) {
        let by = |distance: i64| {
            let moved = i64::from(self.0) + distance;
            Self(moved.clamp(i64::from(Self::MIN.0), i64::from(Self::MAX.0)) as i32)
        };
        (by(-i64::from(distance)), by(i64::from(distance)))
    }

    /// How far apart two scores are.
    pub(crate) const fn distance(self, other: Self) -> u32 {
        self.0.abs_diff(other.0)
    }

    /// A score counted from the root, as it is counted from a position so many
    /// plies further on.
    pub(crate) const fn seen_from(self, plies: u32) -> Self {
        match self.grade() {
            Grade::Judged(_) => self,
            Grade::Win => Self(self.0 + plies as i32),
            Grade::Loss => Self(self.0 - plies as i32),
        }
    }

    /// The other way round: a score counted from a position so many plies from
    /// the root, as it is counted from there.
    pub(crate) const fn seen_from_root(self, plies: u32) -> Self {
        match self.grade() {
            Grade::Judged(_) => self,
            Grade::Win => Self(self.0 - plies as i32),
            Grade::Loss => Self(self.0 + plies as i32),
        }
    }

    /// The score as a small word, and back.
    pub(crate) const fn to_bits(self) -> u64 {
        (self.0 + Self::MAX.0) as u64
    }

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
