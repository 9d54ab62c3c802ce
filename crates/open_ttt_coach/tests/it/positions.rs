//! Positions to test on.

use std::collections::HashSet;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Every unfinished position that can be reached.
pub(crate) fn all<G: TwoPlayerGame>(start: &G) -> Vec<G> {
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start.clone()];
    let mut found = Vec::new();
    while let Some(game) = open.pop() {
        if game.outcome().is_some() {
            continue;
        }
        let next = game.moves().map(|m| game.after(m));
        open.extend(next.filter(|next| seen.insert(next.clone())));
        found.push(game);
    }
    found
}

/// Unfinished positions after so many random moves.
pub(crate) fn random<G: TwoPlayerGame>(start: &G, plies: usize, count: usize) -> Vec<G> {
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
