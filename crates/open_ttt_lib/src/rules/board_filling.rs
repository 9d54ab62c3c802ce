use super::Margin;

/// A game of filling a board, decided by points: each move puts a piece on a
/// free place, where it stays.
///
/// A position is then a *shape*, which places are taken, and *colours*, by
/// whom; and where one can go from here depends on the shape alone. That is
/// enough to solve the game from its end, layer by layer
/// (`open_ttt_search::solve_by_layers`).
///
/// # Laws
///
/// A move adds one place to those of the side to move, and changes none. Which
/// moves there are, and which places they take, is the same for all positions
/// of a shape. The margin is that of the pieces:
/// `margin_of(pieces()) == margin()`.
pub trait BoardFilling: Margin {
    /// The places of the first side and of the second, a bit for each; none is
    /// in both.
    fn pieces(&self) -> [u64; 2];

    /// The [`margin`](Margin::margin) of a board with these pieces, whether a
    /// game leads there or not.
    fn margin_of(&self, pieces: [u64; 2]) -> i32;
}
