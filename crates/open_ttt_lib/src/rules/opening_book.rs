use super::TwoPlayerGame;

/// A game with a built-in opening book: the values of its early positions,
/// which take longest to compute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no opening book",
    note = "implement `OpeningBook` for it: the values of early positions"
)]
pub trait OpeningBook: TwoPlayerGame {
    /// The value of a position under best play. A game of points has a margin,
    /// a game of wins and losses an [`Outcome`](super::Outcome) and the number
    /// of plies to it.
    type Value;

    /// The value of this position, or `None` if it isn't in the book.
    fn book_value(&self) -> Option<Self::Value>;
}
