use core::fmt::Debug;
use std::collections::HashSet;

use crate::random::Rng;
use crate::rules::TwoPlayerGame;

/// The number of positions sampled from a game too large to enumerate.
const SAMPLE: usize = 3_000;

/// A game of this many moves counts as endless.
const ENDLESS: usize = 10_000;

/// All positions of a small game, or those of random games.
#[track_caller]
pub(super) fn positions<G: TwoPlayerGame + Debug>(start: &G) -> Vec<G> {
    let mut seen = HashSet::new();
    let mut positions = vec![start.clone()];
    seen.insert(start.clone());
    let mut next = 0;
    while next < positions.len() && positions.len() <= SAMPLE {
        for m in positions[next].moves().collect::<Vec<_>>() {
            let after = positions[next].after(m);
            if seen.insert(after.clone()) {
                positions.push(after);
            }
        }
        next += 1;
    }
    if next < positions.len() {
        positions = random_games(start);
    }
    positions
}

/// The moves and positions of a random game.
#[track_caller]
pub(super) fn random_game<G: TwoPlayerGame + Debug>(
    start: &G,
    rng: &mut Rng,
) -> (Vec<G::Move>, Vec<G>) {
    let mut moves = Vec::new();
    let mut positions = vec![start.clone()];
    let mut position = start.clone();
    while position.outcome().is_none() {
        assert!(moves.len() < ENDLESS, "every game ends: {position:?}");
        let Some(m) = rng.pick(position.moves()) else {
            break;
        };
        position.play_unchecked(m);
        moves.push(m);
        positions.push(position.clone());
    }
    (moves, positions)
}

#[track_caller]
fn random_games<G: TwoPlayerGame + Debug>(start: &G) -> Vec<G> {
    let mut rng = Rng::new(1);
    let mut positions = Vec::new();
    while positions.len() < SAMPLE {
        positions.extend(random_game(start, &mut rng).1);
    }
    positions
}
