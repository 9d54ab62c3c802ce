use open_ttt_lib::rules::{Outcome, Side};

/// What is proved of a position, as half points of one side: it gets at least
/// so many and at most so many, of 0 to 2.
///
/// Bounds instead of a proved result alone let a draw in hand rule out moves
/// that cannot bring more (Cazenave and Saffidine, "Score bounded Monte-Carlo
/// tree search", 2010).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// Nothing is proved.
    Open,
    /// A loss or a draw.
    NoWin,
    /// A draw or a win.
    NoLoss,
    Loss,
    Draw,
    Win,
}

impl Bounds {
    const fn of(at_least: u8, at_most: u8) -> Self {
        match (at_least, at_most) {
            (0, 0) => Self::Loss,
            (1, 1) => Self::Draw,
            (2.., _) => Self::Win,
            (1, _) => Self::NoLoss,
            (_, 1) => Self::NoWin,
            _ => Self::Open,
        }
    }

    const fn at_least(self) -> u8 {
        match self {
            Self::Open | Self::NoWin | Self::Loss => 0,
            Self::NoLoss | Self::Draw => 1,
            Self::Win => 2,
        }
    }

    const fn at_most(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::NoWin | Self::Draw => 1,
            Self::Open | Self::NoLoss | Self::Win => 2,
        }
    }

    /// The result of a finished game, for this side.
    pub(crate) fn finished(outcome: Outcome, side: Side) -> Self {
        match outcome {
            Outcome::Win(winner) if winner == side => Self::Win,
            Outcome::Win(_) => Self::Loss,
            Outcome::Draw => Self::Draw,
        }
    }

    /// The same, for the other side.
    pub(crate) const fn of_opponent(self) -> Self {
        Self::of(2 - self.at_most(), 2 - self.at_least())
    }

    /// What a side has that may choose between the two.
    pub(crate) fn or(self, other: Self) -> Self {
        Self::of(
            self.at_least().max(other.at_least()),
            self.at_most().max(other.at_most()),
        )
    }

    /// What a side has that may choose among all these; a loss where there is
    /// nothing to choose.
    pub(crate) fn best_of(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::Loss, Self::or)
    }

    /// What is known where both are known.
    pub(crate) fn and(self, other: Self) -> Self {
        Self::of(
            self.at_least().max(other.at_least()),
            self.at_most().min(other.at_most()),
        )
    }

    /// Whether this is never better than what the other has in hand.
    pub(crate) const fn cannot_beat(self, other: Self) -> bool {
        self.at_most() <= other.at_least()
    }

    /// Whether there is no reason to choose this where there is so much in hand: it is
    /// worse for certain, or a loss.
    pub(crate) fn is_given_up_for(self, in_hand: Self) -> bool {
        let is_worse = self.cannot_beat(in_hand) && self.at_least() < in_hand.at_least();
        is_worse || self == Self::Loss && in_hand != Self::Loss
    }

    /// Whether a draw or more is certain.
    pub(crate) const fn has_draw(self) -> bool {
        self.at_least() >= 1
    }

    /// Whether the result is known.
    pub(crate) const fn is_proved(self) -> bool {
        self.at_least() == self.at_most()
    }

    /// The points, if the result is known: 0 to 1.
    pub(crate) fn points(self) -> Option<f32> {
        self.is_proved().then(|| f32::from(self.at_least()) / 2.0)
    }

    /// A value from -1 for a loss to 1 for a win, brought within what is proved.
    pub(crate) fn confine(self, value: f32) -> f32 {
        let (least, most) = (f32::from(self.at_least()), f32::from(self.at_most()));
        value.clamp(least - 1.0, most - 1.0)
    }

    /// The result that is proved, if one is, of a side that has these bounds.
    pub(crate) fn outcome(self, side: Side) -> Option<Outcome> {
        match self {
            Self::Win => Some(Outcome::Win(side)),
            Self::Draw => Some(Outcome::Draw),
            Self::Loss => Some(Outcome::Win(!side)),
            Self::Open | Self::NoWin | Self::NoLoss => None,
        }
    }
}
