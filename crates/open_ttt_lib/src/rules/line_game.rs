use super::{IndexedMoves, Side};

/// A game of completing lines: each move puts a piece of the mover's on one
/// free place, where it stays, and the first to have all places of a line
/// wins. A full board without such a line is a draw.
///
/// That is what a strong positional game is to combinatorics (Hales and
/// Jewett 1963). The lines say everything about the game, so threats, forced
/// wins and proofs that nobody wins can be found without knowing it by name:
/// `open_ttt_search::forced_win`, `open_ttt_search::line_search`,
/// `open_ttt_search::ProofNumberSearch`.
///
/// # Laws
///
/// - A place is named by the move that takes it. A place is free exactly when
///   the move is legal, as long as the game goes on.
/// - A move gives its own place to the mover and leaves all others alone.
/// - A side has won exactly when it owns every place of a line; the game is
///   drawn exactly when every place is taken and no side has won.
/// - No line is empty, and all positions of a game have the same lines.
#[doc(alias = "positional game")]
#[doc(alias = "threats")]
pub trait LineGame: IndexedMoves {
    /// Every line that wins.
    fn winning_lines(&self) -> Vec<Vec<Self::Move>>;

    /// Whose piece is on the place that a move takes; `None` if it is free.
    fn owner_of(&self, place: Self::Move) -> Option<Side>;
}
