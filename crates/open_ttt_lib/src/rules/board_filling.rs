use super::Margin;

/// A game of points in which each move puts a piece on a free cell, where it
/// stays, until the board is full.
///
/// A position consists of its *shape*, the set of occupied cells, and its
/// *colours*, the owner of each. The legal moves depend on the shape alone,
/// which `open_ttt_search::solve_by_layers` uses for retrograde analysis.
///
/// # Laws
///
/// - A move adds one cell to those of the side to move and changes no other.
/// - The legal moves, and the cells they take, are the same for all positions
///   of a shape.
/// - The margin is determined by the pieces:
///   `margin_of(pieces()) == margin()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a game that fills a board",
    note = "implement `BoardFilling` for it: the pieces of both sides and their points"
)]
pub trait BoardFilling: Margin {
    /// The cells of the first and of the second side as disjoint bit sets.
    fn pieces(&self) -> [u64; 2];

    /// The [`margin`](Margin::margin) of a board with these pieces. No game
    /// needs to lead to that board.
    fn margin_of(&self, pieces: [u64; 2]) -> i32;
}
