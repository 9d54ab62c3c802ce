//! Positions to search.

use std::collections::HashSet;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Random positions of a game, some moves from its start.
pub(crate) fn positions<G: TwoPlayerGame>(start: &G, count: usize, seed: u64) -> Vec<G> {
    let mut rng = Rng::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut game = start.clone();
        while let Some(m) = rng.pick(game.moves()) {
            if rng.below(8) == 0 {
                break;
            }
            game.play_unchecked(m);
        }
        found.push(game);
    }
    found
}

/// Every position that a game can reach.
pub(crate) fn reachable<G: TwoPlayerGame>(start: &G) -> HashSet<G> {
    let mut reached = HashSet::new();
    let mut stack = vec![start.clone()];
    while let Some(game) = stack.pop() {
        if reached.insert(game.clone()) {
            stack.extend(game.moves().map(|m| game.after(m)));
        }
    }
    reached
}
