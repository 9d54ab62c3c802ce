use core::ops::Not;

/// A side of a game: the one that moves first or the one that moves second.
///
/// [`Notation::side_name`](super::Notation::side_name) is a game's name for a
/// side, such as X or Red.
///
/// ```
/// use open_ttt_lib::rules::Side;
///
/// assert_eq!(!Side::First, Side::Second);
/// assert_eq!(["red", "white"][Side::Second.index()], "white");
/// ```
#[doc(alias = "Colour")]
#[doc(alias = "Color")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The side that makes the first move of the game.
    First,
    /// The side that makes the second move.
    Second,
}

impl Side {
    /// Both sides, in the order they move.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 0 for the first side, 1 for the second, as an array index.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// The side to move after `plies` moves.
    pub const fn after(plies: u32) -> Self {
        if plies.is_multiple_of(2) {
            Self::First
        } else {
            Self::Second
        }
    }
}

impl Not for Side {
    type Output = Self;

    fn not(self) -> Self {
        self.other()
    }
}
