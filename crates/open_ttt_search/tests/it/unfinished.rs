//! Unfinished positions.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Unfinished positions after this many random moves.
pub(crate) fn unfinished<G: TwoPlayerGame>(start: &G, plies: usize, count: usize) -> Vec<G> {
    let mut rng = Rng::new(plies as u64);
    let mut found = Vec::new();
    while found.len() < count {
        let mut game = start.clone();
        for _ in 0..plies {
            if let Some(m) = rng.pick(game.moves()) {
                game.play_unchecked(m);
            }
        }
        if game.outcome().is_none() {
            found.push(game);
        }
    }
    found
}
