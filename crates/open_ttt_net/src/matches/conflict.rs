use open_ttt_lib::state_machine::GameConflict;
use serde::{Deserialize, Serialize};

/// Why an act is not possible in a match. Its JSON form is a word,
/// `"seat_taken"`, or `{"game":"Occupied"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MatchConflict {
    /// The rules of the game forbid the move.
    #[error(transparent)]
    Game(
        #[from]
        #[cfg_attr(feature = "schema", schemars(with = "crate::protocol::GameRefusal"))]
        GameConflict,
    ),
    /// The seat is taken.
    #[error("the seat is taken")]
    SeatTaken,
    /// The name is empty, too long or has characters that cannot be displayed.
    #[error("a name has 1 to 32 printable characters")]
    UnfitName,
    /// A seat is still empty.
    #[error("a seat is still empty")]
    NotStarted,
    /// It is the opponent's turn.
    #[error("it's the other player's turn")]
    NotYourTurn,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The game is not over yet.
    #[error("the game isn't over yet")]
    GameRunning,
    /// The player has run out of time.
    #[error("the time is up")]
    TimeUp,
    /// There is time left on the clock, or to answer a claim.
    #[error("there is time left")]
    TimeLeft,
    /// The offer, request or claim has been made already.
    #[error("you've already asked")]
    AlreadyAsked,
    /// There is no offer, request or claim to answer.
    #[error("there is nothing to answer")]
    NotAsked,
    /// There is no move to take back.
    #[error("there is nothing to undo yet")]
    NothingToTakeBack,
    /// A rated game has neither take-backs nor computer players.
    #[error("that isn't possible in a rated game")]
    Rated,
    /// This actor may not do that.
    #[error("you can't do that")]
    NotYours,
    /// The match has reached the server's limit of changes. Only what ends the game
    /// is still possible.
    #[error("this match has reached its maximum length; you can only resign or accept a draw")]
    TooLong,
    /// Its time is before the time of the last change.
    #[error("that is in the past")]
    BackInTime,
}
