use open_ttt_lib::rules::{Outcome, Side};

/// What is proved about the outcome of a position for one side: a lower and an
/// upper bound, in half points from 0 to 2 and in two bits each.
///
/// Bounds prune more than proved results alone: with a draw secured, a move that
/// cannot bring more need not be searched (Cazenave and Saffidine, "Score bounded
/// Monte-Carlo tree search", 2010).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum OutcomeBounds {
    Loss = 0b00_00,
    /// A loss or a draw.
    NoWin = 0b00_01,
    /// Nothing is proved.
    #[default]
    Unknown = 0b00_10,
    Draw = 0b01_01,
    /// A draw or a win.
    NoLoss = 0b01_10,
    Win = 0b10_10,
}

impl OutcomeBounds {
    const fn new(lower: u8, upper: u8) -> Self {
        match (lower, upper) {
            (0, 0) => Self::Loss,
            (1, 1) => Self::Draw,
            (2.., _) => Self::Win,
            (1, _) => Self::NoLoss,
            (_, 1) => Self::NoWin,
            _ => Self::Unknown,
        }
    }

    const fn lower(self) -> u8 {
        self as u8 >> 2
    }

    const fn upper(self) -> u8 {
        self as u8 & 0b11
    }

    /// The bounds of a finished game, for this side.
    pub(crate) fn terminal(outcome: Outcome, side: Side) -> Self {
        match outcome {
            Outcome::Win(winner) if winner == side => Self::Win,
            Outcome::Win(_) => Self::Loss,
            Outcome::Draw => Self::Draw,
        }
    }

    /// The same bounds, for the side that made the move into the position.
    pub(crate) const fn for_mover(self, keeps_turn: bool) -> Self {
        if keeps_turn {
            self
        } else {
            Self::new(2 - self.upper(), 2 - self.lower())
        }
    }

    /// The bounds of a side that chooses between the two.
    pub(crate) fn max(self, other: Self) -> Self {
        let lower = self.lower().max(other.lower());
        Self::new(lower, self.upper().max(other.upper()))
    }

    /// The bounds of a side that chooses among all these; a loss if there are
    /// none.
    pub(crate) fn best_of(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::Loss, Self::max)
    }

    /// The bounds that follow if both hold.
    pub(crate) fn intersect(self, other: Self) -> Self {
        let lower = self.lower().max(other.lower());
        Self::new(lower, self.upper().min(other.upper()))
    }

    /// Whether these bounds rule out a better outcome than `other` secures.
    pub(crate) const fn cannot_beat(self, other: Self) -> bool {
        self.upper() <= other.lower()
    }

    /// Whether a move with these bounds is certainly worse than one with the
    /// bounds `best`, or is a loss where `best` is not.
    pub(crate) fn is_dominated_by(self, best: Self) -> bool {
        let is_worse = self.cannot_beat(best) && self.lower() < best.lower();
        is_worse || self == Self::Loss && best != Self::Loss
    }

    /// Whether a draw or better is certain.
    pub(crate) const fn secures_draw(self) -> bool {
        self.lower() >= 1
    }

    pub(crate) const fn is_proved(self) -> bool {
        self.lower() == self.upper()
    }

    /// The points, 0 to 1, if the outcome is known.
    pub(crate) fn points(self) -> Option<f32> {
        self.is_proved().then(|| f32::from(self.lower()) / 2.0)
    }

    /// The value, from -1 for a loss to 1 for a win, if the outcome is known.
    pub(crate) fn value(self) -> Option<f32> {
        self.points().map(|points| 2.0 * points - 1.0)
    }

    /// Clamps a value, from -1 for a loss to 1 for a win, to the bounds.
    pub(crate) fn clamp(self, value: f32) -> f32 {
        let (lower, upper) = (f32::from(self.lower()), f32::from(self.upper()));
        value.clamp(lower - 1.0, upper - 1.0)
    }

    /// The outcome, if it is known, where `side` is the side of these bounds.
    pub(crate) fn outcome(self, side: Side) -> Option<Outcome> {
        match self {
            Self::Win => Some(Outcome::Win(side)),
            Self::Draw => Some(Outcome::Draw),
            Self::Loss => Some(Outcome::Win(!side)),
            Self::Unknown | Self::NoWin | Self::NoLoss => None,
        }
    }
}
