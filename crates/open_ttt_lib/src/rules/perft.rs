use super::TwoPlayerGame;

/// Counts the ways to play exactly `depth` moves from a position.
///
/// The traditional check of a move generator ("performance test"): the counts
/// of a game are known from elsewhere, and a wrong rule rarely leaves them all
/// intact. A game that ends earlier contributes nothing.
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
        _ => position
            .moves()
            .map(|m| perft(&position.after(m), depth - 1))
            .sum(),
    }
}

/// [`perft`], move by move: how many of the ways begin with each.
///
/// Their sum is `perft(position, depth)`; at depth 0 there is no first move
/// and the list is empty.
pub fn perft_divide<G: TwoPlayerGame>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    position
        .moves()
        .map(|m| (m, perft(&position.after(m), rest)))
        .collect()
}
