use core::error::Error;
use core::fmt;

use open_ttt_lib::state_machine::GameConflict;
use serde::{Deserialize, Serialize};

/// Why something cannot be done in a match. As JSON it is a word, `"seat_taken"`,
/// or `{"game":"Occupied"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MatchConflict {
    /// The game itself refuses the move.
    Game(GameConflict),
    /// Somebody sits there.
    SeatTaken,
    /// The name is empty, too long or cannot be shown.
    UnfitName,
    /// A seat is still empty.
    NotStarted,
    /// It is the other side's turn.
    NotYourTurn,
    /// The game is over.
    GameOver,
    /// The game is not over yet.
    GameRunning,
    /// The time was used up.
    TimeUp,
    /// There is still time.
    TimeLeft,
    /// It is offered or asked for already.
    AlreadyAsked,
    /// Nobody has offered or asked for that.
    NotAsked,
    /// There is no move to take back.
    NothingToTakeBack,
    /// It is not for this actor to do.
    NotYours,
    /// It is said to have happened before the last thing that happened.
    BackInTime,
}

impl fmt::Display for MatchConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Game(conflict) => return conflict.fmt(f),
            Self::SeatTaken => "somebody sits there",
            Self::UnfitName => "a name has 1 to 32 characters that can be shown",
            Self::NotStarted => "a seat is still empty",
            Self::NotYourTurn => "it is the other side's turn",
            Self::GameOver => "the game is over",
            Self::GameRunning => "the game is not over yet",
            Self::TimeUp => "the time is used up",
            Self::TimeLeft => "there is still time",
            Self::AlreadyAsked => "that has been asked already",
            Self::NotAsked => "nobody has asked for that",
            Self::NothingToTakeBack => "there is no move to take back",
            Self::NotYours => "that is not yours to do",
            Self::BackInTime => "that lies in the past",
        })
    }
}

impl Error for MatchConflict {}

impl From<GameConflict> for MatchConflict {
    fn from(conflict: GameConflict) -> Self {
        Self::Game(conflict)
    }
}
