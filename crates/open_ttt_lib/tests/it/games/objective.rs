//! What a network of a game of points is to tell apart.

use std::collections::BTreeSet;
use std::fmt::Debug;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Margin, Objective};

/// Checks at the ends of random games that the objective is their margin, and 1 for a lead of
/// this many points.
#[track_caller]
pub(super) fn check_objective<G: Encode + Margin + Debug>(start: &G, lead: f32) {
    let mut margins = BTreeSet::new();
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let mut game = start.clone();
        while let Some(m) = rng.pick(game.moves()) {
            game.play_unchecked(m);
        }
        let Objective::Margin(value) = game.objective() else {
            panic!("the game isn't about the margin: {game:?}");
        };
        let difference = value(&game) * lead - game.margin() as f32;
        assert!(difference.abs() < 1e-5, "{game:?}");
        margins.insert(game.margin());
    }
    assert!(margins.len() > 5, "{margins:?}");
}
