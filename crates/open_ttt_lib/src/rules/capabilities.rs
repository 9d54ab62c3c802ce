use super::TwoPlayerGame;

/// A game decided by points.
///
/// When the game is over, the side with more points has won:
/// [`Outcome::from_margin`](super::Outcome::from_margin) of the margin is the
/// outcome.
pub trait Margin: TwoPlayerGame {
    /// Points of the first side minus points of the second, so far.
    #[doc(alias = "evalBoard")]
    fn margin(&self) -> i32;
}

/// A judgement of an unfinished position, for a search that cannot see the end.
pub trait Heuristic: TwoPlayerGame {
    /// How good the position looks *for the side to move*: positive is good,
    /// zero is even, and the opponent would see the negated number. The unit
    /// is the game's own.
    ///
    /// Values beyond ±`open_ttt_search::Score::MAX_EVALUATION`
    /// are treated as that limit.
    fn heuristic(&self) -> i32;
}

/// A position in one word, for tables of positions.
pub trait CompactKey: TwoPlayerGame {
    /// The number of bits of a key, if different positions *of the same game
    /// with the same parameters* always have different keys. Where they do not,
    /// a key is a good 64-bit hash, and a table that must not be wrong compares
    /// positions as well.
    const UNIQUE_BITS: Option<u32>;

    /// The key. Equal positions have equal keys.
    fn key(&self) -> u64;
}

/// Moves as small numbers, for tables of moves.
///
/// The numbers depend on the game and its parameters, never on the position.
pub trait IndexedMoves: TwoPlayerGame {
    /// How many different moves the game has in all: one more than the
    /// highest index.
    fn move_count(&self) -> usize;

    /// The number of a move, below [`move_count`](Self::move_count).
    fn move_index(&self, m: Self::Move) -> usize;

    /// The move with this number, or `None` from `move_count` on. Whether it
    /// is legal here is another question.
    fn indexed_move(&self, index: usize) -> Option<Self::Move>;
}
