use super::TwoPlayerGame;

/// A game decided by points.
///
/// When the game is over, the side with more points has won: the outcome is
/// [`Outcome::from_margin`](super::Outcome::from_margin) of the margin.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no points",
    note = "implement `Margin` for it: the points of the first side minus those of the second"
)]
pub trait Margin: TwoPlayerGame {
    /// The current points of the first side minus those of the second.
    #[doc(alias = "evalBoard")]
    fn margin(&self) -> i32;
}

/// A static evaluation, for searches that don't reach the end of the game.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no static evaluation",
    note = "implement `Heuristic` for it: an evaluation for the side to move"
)]
pub trait Heuristic: TwoPlayerGame {
    /// The evaluation from the perspective of the *side to move*: positive is
    /// good, zero is even. The opponent's evaluation is the negated value. Equal
    /// positions have equal values, and so do a position and its images under the
    /// game's symmetries.
    ///
    /// The unit is up to the game. Values are within ±1,000,000, to which a search
    /// clamps them (`open_ttt_search::Score::MAX_EVALUATION`).
    fn heuristic(&self) -> i32;
}

/// A 64-bit key of a position, for transposition tables.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no key",
    note = "implement `CompactKey` for it: the position in 64 bits"
)]
pub trait CompactKey: TwoPlayerGame {
    /// The number of bits in a key, if different positions *of a game with the
    /// same parameters* always have different keys. `None` if the key is a
    /// 64-bit hash; a table that must be exact then compares positions too.
    const UNIQUE_BITS: Option<u32>;

    /// The key. Equal positions have equal keys.
    fn key(&self) -> u64;
}

/// Moves as small numbers, for tables indexed by move.
///
/// The count depends on the game and its parameters alone. In a position, different
/// legal moves have different indices; where moves are hard to number, an index may
/// stand for another move in another position.
#[diagnostic::on_unimplemented(
    message = "the moves of `{Self}` have no numbers",
    note = "implement `IndexedMoves` for it: each move as a number from 0"
)]
pub trait IndexedMoves: TwoPlayerGame {
    /// The number of different moves in the game: one more than the highest
    /// index.
    fn move_count(&self) -> usize;

    /// The index of a move, below [`move_count`](Self::move_count).
    fn move_index(&self, m: Self::Move) -> usize;

    /// The move with an index, legal in this position or not; `None` if the index
    /// belongs to no move here, as all do from `move_count` on.
    fn indexed_move(&self, index: usize) -> Option<Self::Move>;
}
