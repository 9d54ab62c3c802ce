use super::TwoPlayerGame;

/// A game with a built-in solution: enough winning moves for one side to win from the
/// start, whatever the other side plays.
///
/// # Laws
///
/// The start is in the book, and after a move of the book and any reply, the position is
/// in the book, or the winner wins it by threats or must block one: then a short search
/// finds the move, as `open_ttt_search::SolutionTree` says, which makes such books.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no solution book",
    note = "implement `SolutionBook` for it: winning moves of one side"
)]
pub trait SolutionBook: TwoPlayerGame {
    /// A winning move, or `None` if the position isn't in the book.
    fn book_move(&self) -> Option<Self::Move>;
}
