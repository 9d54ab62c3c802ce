//! A pseudo-random policy and value per position.

use std::hash::{DefaultHasher, Hasher};

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{Estimates, PolicyValue};

/// A model with a pseudo-random policy and value per position, always the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opinionated;

impl Opinionated {
    /// The value and the logits.
    pub(crate) fn opinion<G: TwoPlayerGame>(position: &G) -> (f32, Vec<f32>) {
        let mut hasher = DefaultHasher::new();
        position.hash(&mut hasher);
        let mut rng = Rng::new(hasher.finish());
        let mut unit = || (rng.next_u64() >> 40) as f32 / (1 << 24) as f32;
        let value = 1.6 * unit() - 0.8;
        (value, position.moves().map(|_| 3.0 * unit()).collect())
    }
}

impl<G: TwoPlayerGame> PolicyValue<G> for Opinionated {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        for &position in positions {
            let (value, logits) = Self::opinion(position);
            estimates.push(value, logits);
        }
    }
}
