use super::{CompactKey, Side};

/// What a player sees at a glance: wins on the board, threats that must be
/// met, and which moves look best.
///
/// A `open_ttt_search::Prover` needs this to prove what a position is
/// worth by looking at few others. It is for games that are won by completing
/// something and are drawn when the board is full.
///
/// # Laws
///
/// - [`plies_left`](Self::plies_left) goes down by one with each move, and
///   nobody has won where a game ends with none left and a draw.
/// - [`wins_at_once`](Self::wins_at_once) is true exactly when some legal move
///   wins.
/// - [`non_losing_moves`](Self::non_losing_moves) are exactly the legal moves
///   after which the opponent does not win at once.
/// - Where [`can_still_win`](Self::can_still_win) is false, that side does not
///   win, whatever is played.
pub trait Tactics: CompactKey {
    /// How many more moves are made if nobody wins.
    fn plies_left(&self) -> u32;

    /// Whether the side to move can win with its next move. The game must not
    /// be over.
    fn wins_at_once(&self) -> bool;

    /// The moves that do not lose at once, the likely best first; none if
    /// every move loses at once. The order depends on the position alone.
    ///
    /// The game must not be over, and the side to move not be able to win at
    /// once.
    fn non_losing_moves(&self) -> impl Iterator<Item = Self::Move>;

    /// False if a side cannot complete anything any more. True says nothing.
    fn can_still_win(&self, side: Side) -> bool;
}
