use super::{IndexedMoves, Side};
use alloc::vec::Vec;

/// A game won by completing a line: each move puts a piece of the mover on a
/// free cell, where it stays. The first side to own every cell of a line wins;
/// a full board without such a line is a draw.
///
/// Combinatorics calls this a strong positional game (Hales and Jewett 1963).
/// The lines describe the game completely, so threat searches and solvers need
/// nothing else: `open_ttt_search::forced_win` is generic over this trait.
///
/// # Laws
///
/// - A cell is identified by the move that takes it. While the game isn't over,
///   a cell is free exactly when its move is legal.
/// - A move gives its own cell to the mover and changes no other.
/// - A side has won exactly when it owns every cell of a line; the game is a
///   draw exactly when every cell is taken and no side has won.
/// - No line is empty, and all positions of a game have the same lines.
#[doc(alias = "positional game")]
#[doc(alias = "threats")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a game of lines",
    note = "implement `LineGame` for it: the winning lines and the owner of each cell"
)]
pub trait LineGame: IndexedMoves {
    /// Every winning line.
    fn winning_lines(&self) -> Vec<Vec<Self::Move>>;

    /// The owner of a cell, or `None` if it is free.
    fn owner_of(&self, cell: Self::Move) -> Option<Side>;
}
