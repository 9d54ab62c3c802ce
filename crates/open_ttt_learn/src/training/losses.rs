use core::ops::AddAssign;

use open_ttt_nn::kernel::{LANES, Lanes};
use open_ttt_nn::math::{exp, tanh};

use serde::{Deserialize, Serialize};

use super::{Batch, Settings};

/// How far a network is from what is known, on average over the positions; what
/// training makes smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Of the moves: the cross entropy in nats, which for soft targets is not 0 at
    /// best but their entropy.
    pub policy: f64,
    /// Of the value: the mean square of the error.
    pub value: f64,
    /// Of the auxiliary number: the mean square of the error.
    pub auxiliary: f64,
}

impl Losses {
    /// All together, each counting fully.
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

/// Where the answers about one position stand in a group.
pub(super) struct Place {
    /// The number of the position in the batch.
    pub(super) position: usize,
    /// Its number in the group, and how many positions that has.
    pub(super) at: usize,
    pub(super) positions: usize,
}

impl Place {
    fn lane<'a>(&self, group: &'a [Lanes], number: usize) -> &'a f32 {
        &group[number / LANES * self.positions + self.at].0[number % LANES]
    }

    fn lane_mut<'a>(&self, group: &'a mut [Lanes], number: usize) -> &'a mut f32 {
        &mut group[number / LANES * self.positions + self.at].0[number % LANES]
    }
}

/// What is lost on one position; writes how the loss of the whole batch changes
/// with each of the network's answers.
pub(super) fn judge(
    batch: &Batch,
    settings: &Settings,
    place: &Place,
    [policy, outcome]: [&[Lanes]; 2],
    [policy_gradient, outcome_gradient]: [&mut [Lanes]; 2],
) -> Losses {
    let share = 1.0 / batch.len() as f32;
    let position = place.position;
    let largest = batch
        .policy(position)
        .map(|(index, _)| *place.lane(policy, index))
        .fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = batch
        .policy(position)
        .map(|(index, _)| exp(*place.lane(policy, index) - largest))
        .sum();
    let total: f32 = batch.policy(position).map(|(_, target)| target).sum();
    let mut losses = Losses::default();
    for (index, target) in batch.policy(position) {
        let logit = *place.lane(policy, index) - largest;
        if target != 0.0 {
            losses.policy += f64::from(target) * (f64::from(sum).ln() - f64::from(logit));
        }
        let gradient = exp(logit) / sum * total - target;
        *place.lane_mut(policy_gradient, index) = share * gradient;
    }
    let value = tanh(*place.lane(outcome, 0));
    let error = value - batch.value(position);
    losses.value = f64::from(error).powi(2);
    *place.lane_mut(outcome_gradient, 0) =
        share * settings.value_weight * 2.0 * error * (1.0 - value * value);
    let error = *place.lane(outcome, 1) - batch.auxiliary(position);
    losses.auxiliary = f64::from(error).powi(2);
    *place.lane_mut(outcome_gradient, 1) = share * settings.auxiliary_weight * 2.0 * error;
    losses
}
