use core::num::NonZero;

use super::{Estimates, PolicyValue};
use crate::SideValue;
use crate::position_key::{PositionKey, Salt};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// A model without knowledge: a uniform policy, and value 0 for every position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UniformPolicy;

impl<G: TwoPlayerGame> PolicyValue<G> for UniformPolicy {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        for position in positions {
            estimates.push(0.0, position.moves().map(|_| 0.0));
        }
    }
}

/// A model with a uniform policy whose value is the mean result of random games.
/// The same position gets the same games each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomPlayouts {
    /// The number of games per position.
    pub playouts: NonZero<u32>,
    /// The seed of the games, combined with the position.
    pub seed: u64,
}

impl<G: TwoPlayerGame> PolicyValue<G> for RandomPlayouts {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        let salt = Salt::of::<G>();
        for &position in positions {
            let mut rng = Rng::new(PositionKey::of(position, salt).index ^ self.seed);
            let mut points = 0.0;
            for _ in 0..self.playouts.get() {
                let outcome = position.clone().play_out(&mut || rng.next_u64());
                points += SideValue::from(outcome).points(position.to_move());
            }
            let value = 2.0 * points / self.playouts.get() as f32 - 1.0;
            estimates.push(value, position.moves().map(|_| 0.0));
        }
    }
}
