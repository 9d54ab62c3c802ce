use core::ops::AddAssign;

use open_ttt_nn::kernel::{LANES, Lanes};
use open_ttt_nn::math::{exp, tanh};

use serde::{Deserialize, Serialize};

use super::{Batch, Settings};

/// The losses of a network, means over the positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// The cross entropy of the policy, in nats; at least the targets' entropy.
    pub policy: f64,
    /// The mean squared error of the value.
    pub value: f64,
    /// The mean squared error of the auxiliary output.
    pub auxiliary: f64,
}

impl Losses {
    /// The sum, unweighted.
    pub fn total(&self) -> f64 {
        self.policy + self.value + self.auxiliary
    }

    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self {
            policy: self.policy * factor,
            value: self.value * factor,
            auxiliary: self.auxiliary * factor,
        }
    }
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        self.policy += other.policy;
        self.value += other.value;
        self.auxiliary += other.auxiliary;
    }
}

/// Where a position's numbers are in the arrays of its shard.
pub(super) struct ShardIndex {
    /// The position's index in the batch.
    pub(super) position: usize,
    /// Its index in the shard.
    pub(super) at: usize,
    /// The number of positions of the shard.
    pub(super) positions: usize,
}

impl ShardIndex {
    fn lane<'a>(&self, shard: &'a [Lanes], number: usize) -> &'a f32 {
        &shard[number / LANES * self.positions + self.at].0[number % LANES]
    }

    fn lane_mut<'a>(&self, shard: &'a mut [Lanes], number: usize) -> &'a mut f32 {
        &mut shard[number / LANES * self.positions + self.at].0[number % LANES]
    }
}

/// Computes the losses of one position, and the gradient of the whole batch's loss with
/// respect to the network's outputs for it.
pub(super) fn output_gradient(
    batch: &Batch,
    settings: &Settings,
    index: &ShardIndex,
    [policy, outcome]: [&[Lanes]; 2],
    [policy_gradient, outcome_gradient]: [&mut [Lanes]; 2],
) -> Losses {
    let share = 1.0 / batch.len() as f32;
    let position = index.position;
    let largest = batch
        .policy(position)
        .map(|(m, _)| *index.lane(policy, m))
        .fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = batch
        .policy(position)
        .map(|(m, _)| exp(*index.lane(policy, m) - largest))
        .sum();
    let total: f32 = batch.policy(position).map(|(_, target)| target).sum();
    let mut losses = Losses::default();
    for (m, target) in batch.policy(position) {
        let logit = *index.lane(policy, m) - largest;
        if target != 0.0 {
            losses.policy += f64::from(target) * (f64::from(sum).ln() - f64::from(logit));
        }
        let gradient = exp(logit) / sum * total - target;
        *index.lane_mut(policy_gradient, m) = share * gradient;
    }
    let value = tanh(*index.lane(outcome, 0));
    let error = value - batch.values[position];
    losses.value = f64::from(error).powi(2);
    *index.lane_mut(outcome_gradient, 0) =
        share * settings.value_weight * 2.0 * error * (1.0 - value * value);
    let error = *index.lane(outcome, 1) - batch.auxiliaries[position];
    losses.auxiliary = f64::from(error).powi(2);
    *index.lane_mut(outcome_gradient, 1) = share * settings.auxiliary_weight * 2.0 * error;
    losses
}
