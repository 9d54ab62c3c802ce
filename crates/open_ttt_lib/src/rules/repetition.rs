use super::{Outcome, Side};

/// What happens when a position comes back, with the same side to move, in a game in
/// which it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Repetition {
    /// The game is a draw when a position occurs for the last of this many times,
    /// its first occurrence included: 2 or more.
    Draw {
        /// The occurrence that ends the game; 3 in chess.
        occurrences: u32,
    },
    /// The side whose move brings a position back loses.
    MoverLoses,
}

impl Repetition {
    /// The outcome after a move of `mover` to a position that has occurred this many
    /// times, the last one included; `None` if the game goes on.
    ///
    /// ```
    /// use open_ttt_lib::rules::{Outcome, Repetition, Side};
    ///
    /// let rule = Repetition::Draw { occurrences: 3 };
    /// assert_eq!(rule.outcome(2, Side::First), None);
    /// assert_eq!(rule.outcome(3, Side::First), Some(Outcome::Draw));
    /// ```
    pub const fn outcome(self, occurrences: u32, mover: Side) -> Option<Outcome> {
        match self {
            Self::Draw { occurrences: last } if occurrences >= last => Some(Outcome::Draw),
            Self::MoverLoses if occurrences >= 2 => Some(Outcome::Win(mover.other())),
            Self::Draw { .. } | Self::MoverLoses => None,
        }
    }
}
