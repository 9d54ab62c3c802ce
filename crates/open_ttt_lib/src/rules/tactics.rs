use super::{CompactKey, Side};

/// Wins, threats and move ordering without search.
///
/// For games in which the sides alternate, that are won by completing something and
/// drawn when the board is full. `open_ttt_search::Prover` requires it.
///
/// # Laws
///
/// - [`plies_left`](Self::plies_left) decreases by one with each move and is 0
///   in a drawn position.
/// - [`wins_at_once`](Self::wins_at_once) is true exactly when some legal move
///   wins.
/// - [`non_losing_moves`](Self::non_losing_moves) are exactly the legal moves
///   after which the opponent can't win with its next move.
/// - Where [`wins_with_second_move`](Self::wins_with_second_move) has an answer, it is
///   true exactly when after some non-losing move the opponent has none.
/// - Where [`can_still_win`](Self::can_still_win) is false, that side doesn't
///   win by any sequence of moves.
/// - Where [`can_force_win`](Self::can_force_win) is false, the other side has a strategy
///   by which that side doesn't win.
/// - Where [`wins_within`](Self::wins_within) is true, that side has a strategy by which
///   it wins within so many plies.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tactics",
    note = "implement `Tactics` for it: wins at once, moves that don't lose at once, and the plies left"
)]
pub trait Tactics: CompactKey {
    /// The number of moves until the board is full.
    fn plies_left(&self) -> u32;

    /// Whether the side to move can win with its next move. The game must not
    /// be over.
    fn wins_at_once(&self) -> bool;

    /// The moves after which the opponent can't win with its next move, best
    /// first by a static ordering.
    ///
    /// The game must not be over, and the side to move must not be able to win
    /// with its next move.
    fn non_losing_moves(&self) -> impl Iterator<Item = Self::Move>;

    /// Whether the side to move can win with its second move from here, whatever the
    /// opponent answers to the first. `None`, the default, if only a search tells.
    ///
    /// The game must not be over, and the side to move must not be able to win
    /// with its next move.
    fn wins_with_second_move(&self) -> Option<bool> {
        None
    }

    /// False if a side can't complete anything any more. True doesn't imply
    /// that it can.
    fn can_still_win(&self, side: Side) -> bool;

    /// False if a side can't win against best play, as far as it is seen without search.
    /// True doesn't imply that it can. The default is
    /// [`can_still_win`](Self::can_still_win).
    fn can_force_win(&self, side: Side) -> bool {
        self.can_still_win(side)
    }

    /// Whether a side wins within so many plies, whatever the other side plays, as far as
    /// it is seen without search. False, the default, doesn't imply that it doesn't.
    ///
    /// The game must not be over, and the side to move must not be able to win with its
    /// next move.
    fn wins_within(&self, side: Side, plies: u32) -> bool {
        let _ = (side, plies);
        false
    }
}
