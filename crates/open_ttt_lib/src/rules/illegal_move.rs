use core::error::Error;
use core::fmt;

/// A move the rules refuse, and why. The position it was tried in is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IllegalMove<M> {
    /// The move that was tried.
    pub attempted: M,
    /// What stands against it.
    pub reason: Reason,
}

/// What stands against a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// No move is possible once a game has ended.
    GameOver,
    /// The board has no such place.
    OffBoard,
    /// The place already has a piece on it.
    Occupied,
    /// The column or peg has no room left.
    Full,
    /// The rules of the game forbid it here for some other reason.
    Forbidden,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GameOver => "the game is over",
            Self::OffBoard => "the board has no such place",
            Self::Occupied => "that place is already taken",
            Self::Full => "there is no room left",
            Self::Forbidden => "the rules do not allow it here",
        })
    }
}

/// Needs a move that displays itself, so that the message has the move in the
/// game's notation.
impl<M: fmt::Display> fmt::Display for IllegalMove<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "illegal move {}: {}", self.attempted, self.reason)
    }
}

impl<M: fmt::Debug + fmt::Display> Error for IllegalMove<M> {}
