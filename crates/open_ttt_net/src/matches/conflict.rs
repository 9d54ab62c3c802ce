use core::error::Error;
use core::fmt;

use open_ttt_lib::state_machine::GameConflict;
use serde::{Deserialize, Serialize};

/// Why an act is not possible in a match. Its JSON form is a word,
/// `"seat_taken"`, or `{"game":"Occupied"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MatchConflict {
    /// The rules of the game forbid the move.
    Game(GameConflict),
    /// The seat is taken.
    SeatTaken,
    /// The name is empty, too long or has characters that cannot be displayed.
    UnfitName,
    /// A seat is still empty.
    NotStarted,
    /// It is the opponent's turn.
    NotYourTurn,
    /// The game is over.
    GameOver,
    /// The game is not over yet.
    GameRunning,
    /// The player has run out of time.
    TimeUp,
    /// There is time left on the clock, or to answer a claim.
    TimeLeft,
    /// The offer, request or claim has been made already.
    AlreadyAsked,
    /// There is no offer, request or claim to answer.
    NotAsked,
    /// There is no move to take back.
    NothingToTakeBack,
    /// This actor may not do that.
    NotYours,
    /// Its time is before the time of the last change.
    BackInTime,
}

impl fmt::Display for MatchConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Game(conflict) => return conflict.fmt(f),
            Self::SeatTaken => "the seat is taken",
            Self::UnfitName => "a name has 1 to 32 printable characters",
            Self::NotStarted => "a seat is still empty",
            Self::NotYourTurn => "it's the other player's turn",
            Self::GameOver => "the game is over",
            Self::GameRunning => "the game isn't over yet",
            Self::TimeUp => "the time is up",
            Self::TimeLeft => "there is time left",
            Self::AlreadyAsked => "you've already asked",
            Self::NotAsked => "there is nothing to answer",
            Self::NothingToTakeBack => "there is nothing to undo yet",
            Self::NotYours => "you can't do that",
            Self::BackInTime => "that is in the past",
        })
    }
}

impl Error for MatchConflict {}

impl From<GameConflict> for MatchConflict {
    fn from(conflict: GameConflict) -> Self {
        Self::Game(conflict)
    }
}
