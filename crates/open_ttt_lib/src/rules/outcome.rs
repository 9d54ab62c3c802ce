use super::Side;

/// How a finished game ended, the same for whoever asks.
///
/// What is good *for the side to move* is another type,
/// `open_ttt_search::Score`, so that the two are not mixed up.
///
/// ```
/// use open_ttt_lib::rules::{Outcome, Side};
///
/// assert_eq!(Outcome::Win(Side::First).winner(), Some(Side::First));
/// assert_eq!(Outcome::from_margin(-2), Outcome::Win(Side::Second));
/// assert_eq!(Outcome::from_margin(0), Outcome::Draw);
/// ```
#[doc(alias = "GameStatus")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side has won.
    Win(Side),
    /// Nobody has won, and nobody will.
    #[doc(alias = "Tie")]
    #[doc(alias = "CatsGame")]
    Draw,
}

impl Outcome {
    /// The outcome of a scoring game that ended with `margin` points more for
    /// the first side than for the second.
    pub const fn from_margin(margin: i32) -> Self {
        match margin {
            1.. => Self::Win(Side::First),
            0 => Self::Draw,
            _ => Self::Win(Side::Second),
        }
    }

    /// The side that won, if one did.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw => None,
        }
    }
}
