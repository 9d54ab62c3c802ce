use core::fmt::Debug;
use std::collections::HashSet;

use crate::random::Rng;
use crate::rules::{History, Outcome, TwoPlayerGame};

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

/// A game of uniformly random moves.
pub(super) struct RandomGame<G: TwoPlayerGame> {
    pub(super) moves: Vec<G::Move>,
    /// The start and the position after each move.
    pub(super) positions: Vec<G>,
    /// `None` if an unfinished position has no moves, which breaks a law.
    pub(super) outcome: Option<Outcome>,
}

/// Plays a random game.
#[track_caller]
pub(super) fn random_game<G: TwoPlayerGame + Debug>(start: &G, rng: &mut Rng) -> RandomGame<G> {
    let mut game = RandomGame {
        moves: Vec::new(),
        positions: vec![start.clone()],
        outcome: None,
    };
    game.outcome = play(start, rng, |m, position| {
        game.moves.push(m);
        game.positions.push(position.clone());
    });
    game
}

/// The outcome of a random game; a draw if an unfinished position has no moves.
#[track_caller]
pub(super) fn random_outcome<G: TwoPlayerGame + Debug>(start: &G, rng: &mut Rng) -> Outcome {
    play(start, rng, |_, _| ()).unwrap_or(Outcome::Draw)
}

#[track_caller]
fn play<G: TwoPlayerGame + Debug>(
    start: &G,
    rng: &mut Rng,
    mut played: impl FnMut(G::Move, &G),
) -> Option<Outcome> {
    let mut game = History::new(start.clone());
    for _ in 0..ENDLESS {
        if let Some(outcome) = game.outcome() {
            return Some(outcome);
        }
        let index = rng.below(game.position().moves().count());
        let m = game.position().moves().nth(index)?;
        game.play_unchecked(m);
        played(m, game.position());
    }
    panic!("every game ends: {:?}", game.position());
}

/// Pairs of equal positions that are reached by different orders of moves.
#[track_caller]
pub(super) fn transpositions<G: TwoPlayerGame + Debug>(start: &G) -> Vec<[G; 2]> {
    let mut rng = Rng::new(2);
    let mut pairs = Vec::new();
    for _ in 0..200 {
        // Exchanging two moves of one side often transposes.
        let game = random_game(start, &mut rng);
        let plies = rng.below(game.moves.len() + 1);
        if plies < 3 {
            continue;
        }
        let mut exchanged = game.moves[..plies].to_vec();
        // In half of the pairs the last move differs.
        let first = if pairs.len() % 2 == 0 {
            plies - 3
        } else {
            rng.below(plies - 2)
        };
        exchanged.swap(first, first + 2);
        let mut other = start.clone();
        let legal = exchanged.iter().all(|&m| other.play(m).is_ok());
        if legal && game.positions[plies] == other {
            pairs.push([game.positions[plies].clone(), other]);
        }
    }
    pairs
}

#[track_caller]
fn random_games<G: TwoPlayerGame + Debug>(start: &G) -> Vec<G> {
    let mut rng = Rng::new(1);
    let mut positions = Vec::new();
    while positions.len() < SAMPLE {
        positions.extend(random_game(start, &mut rng).positions);
    }
    positions
}
