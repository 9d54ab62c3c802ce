use core::error::Error;
use core::fmt;

/// The error that a game has too many positions to be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The maximum number of positions allowed.
    pub max_positions: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the game has more than {} positions", self.max_positions)
    }
}

impl Error for TooLarge {}
