use super::CompactKey;

/// What a player sees at a glance: the wins on the board, the threats that
/// must be met, and which moves look best.
///
/// This is what a solver needs to prove a game's value with few positions. It
/// is for games that are won by completing something, and that end when the
/// board is full at the latest.
///
/// # Laws
///
/// - [`wins_at_once`](Self::wins_at_once) is true exactly when some legal move
///   ends the game as a win for its player.
/// - [`promising_moves`](Self::promising_moves) are those legal moves after
///   which the opponent cannot win at once.
/// - [`plies_left`](Self::plies_left) goes down by one with each move, is at
///   least the number of moves that are still made, and only a win ends the
///   game before it is zero.
pub trait Tactics: CompactKey {
    /// How many moves can still be made if nobody wins.
    fn plies_left(&self) -> u32;

    /// Whether the side to move can win with its next move. The game must not
    /// be over.
    fn wins_at_once(&self) -> bool;

    /// x
    fn can_still_win(&self) -> bool;
    /// x
    fn can_still_lose(&self) -> bool;
    /// The moves that do not lose at once, the likely best first, in an order
    /// that depends on the position alone. None if every move loses at once.
    ///
    /// The game must not be over, and the side to move not be able to win at
    /// once.
    fn promising_moves(&self) -> impl Iterator<Item = Self::Move>;
}
