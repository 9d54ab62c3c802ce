use super::Side;

/// The outcome of a finished game, independent of the side to move.
///
/// A value *for the side to move* is a `open_ttt_search::Score`, so the compiler
/// catches a mixed-up sign.
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
    /// No side has won.
    #[doc(alias = "Tie")]
    #[doc(alias = "CatsGame")]
    Draw,
}

impl Outcome {
    /// The outcome of a game of points, from the first side's points minus the
    /// second's.
    pub const fn from_margin(margin: i32) -> Self {
        match margin {
            1.. => Self::Win(Side::First),
            0 => Self::Draw,
            _ => Self::Win(Side::Second),
        }
    }

    /// The side that won, if any.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw => None,
        }
    }
}
