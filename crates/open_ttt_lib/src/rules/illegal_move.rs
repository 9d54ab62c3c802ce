use core::error::Error;
use core::fmt;

/// An illegal move and the reason. The position is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IllegalMove<M> {
    /// The move.
    pub attempted: M,
    /// Why it is illegal.
    pub reason: Reason,
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The game is over.
    GameOver,
    /// The cell isn't on the board.
    OffBoard,
    /// The cell is occupied.
    Occupied,
    /// The column or peg is full.
    Full,
    /// Another rule of the game forbids the move in this position.
    Forbidden,
}

impl<M> IllegalMove<M> {
    /// This move, illegal for this reason.
    pub fn new(attempted: M, reason: Reason) -> Self {
        Self { attempted, reason }
    }
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

/// Requires a move type that displays itself in the game's notation.
impl<M: fmt::Display> fmt::Display for IllegalMove<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "illegal move {}: {}", self.attempted, self.reason)
    }
}

impl<M: fmt::Debug + fmt::Display> Error for IllegalMove<M> {}
