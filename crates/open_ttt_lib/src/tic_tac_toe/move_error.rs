use core::error::Error;
use core::fmt;

use super::{Owner, Position};

/// Why a move is illegal. The game is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveError {
    /// The game is over.
    GameOver,
    /// The square already has an owner.
    Owned {
        /// The position of the square.
        position: Position,
        /// Its owner.
        owner: Owner,
    },
    /// The board has no such position.
    OffBoard {
        /// The position.
        position: Position,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameOver => f.write_str("the game is over"),
            Self::Owned { position, owner } => {
                write!(f, "{position} is already owned by player {owner}")
            }
            Self::OffBoard { position } => {
                write!(f, "{position} is outside the board of 3 by 3")
            }
        }
    }
}

impl Error for MoveError {}
