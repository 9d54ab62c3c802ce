use super::TwoPlayerGame;
use alloc::vec::Vec;

/// Counts the move sequences of exactly `depth` plies from a position.
///
/// This is the usual test of a move generator ("performance test"): the counts are
/// compared with independently published ones. A game that ends before `depth`
/// isn't counted.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::perft;
///
/// assert_eq!(perft(&TicTacToe::new(), 3), 9 * 8 * 7);
/// ```
pub fn perft<G: TwoPlayerGame>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.moves().count() as u64,
        _ => {
            let next = |m| perft(&position.after(m), depth - 1);
            position.moves().map(next).sum()
        }
    }
}

/// [`perft`] by first move.
///
/// The counts sum to `perft(position, depth)`. At depth 0 the list is empty.
pub fn perft_divide<G: TwoPlayerGame>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let counted = |m| (m, perft(&position.after(m), rest));
    position.moves().map(counted).collect()
}
