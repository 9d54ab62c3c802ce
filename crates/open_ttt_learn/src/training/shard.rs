use core::ops::Range;

use open_ttt_lib::network::kernel::{
    Finish, InstructionSet, LANES, Lanes, Packed, Reach, correlate, product,
};
use open_ttt_lib::network::{Network, Step, stand_side_by_side};

use super::losses::{Place, judge};
use super::{Batch, Losses, Settings};

/// How many positions a shard has at most: a group two wide.
pub(super) const SHARD: usize = 2 * LANES;

/// What all shards read.
pub(super) struct Common<'a> {
    pub(super) network: &'a Network,
    pub(super) settings: &'a Settings,
    pub(super) set: InstructionSet,
    pub(super) batch: &'a Batch,
    /// The layers' weights and reaches for the way back.
    pub(super) back: &'a [(Packed, Reach)],
}

/// The gradient of a shard and what is lost on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    pub(super) gradient: Vec<f32>,
    pub(super) losses: Losses,
}

/// Memory for one shard at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    input: Vec<Lanes>,
    /// What comes out of each layer.
    outputs: Vec<Vec<Lanes>>,
    /// How the loss changes with it; empty where nothing is known yet.
    slopes: Vec<Vec<Lanes>>,
}

impl Memory {
    /// Computes one shard, forward and backward.
    pub(super) fn shard(
        &mut self,
        common: &Common<'_>,
        positions: Range<usize>,
        share: &mut Share,
    ) {
        let width = positions.len().div_ceil(LANES);
        self.forward(common, positions.clone(), width);
        self.judge(common, positions, width, share);
        share.gradient.clear();
        share
            .gradient
            .resize(common.network.parameters().len(), 0.0);
        self.backward(common, &mut share.gradient);
    }

    fn forward(&mut self, common: &Common<'_>, positions: Range<usize>, width: usize) {
        let network = common.network;
        let encoding = network.encoding();
        let steps = network.steps();
        fill(&mut self.input, encoding.inputs() * width);
        let planes = common.batch.planes(positions);
        stand_side_by_side(planes, encoding.planes, encoding.cells(), &mut self.input);
        self.outputs.resize(steps.len(), Vec::new());
        for (number, (step, packed)) in steps.iter().zip(network.packed()).enumerate() {
            let (before, rest) = self.outputs.split_at_mut(number);
            let output = &mut rest[0];
            output.resize(step.size() * width, Lanes::ZERO);
            if let Some(added) = step.add {
                output.copy_from_slice(&before[added]);
            }
            let input = step.from.map_or(&self.input, |from| &before[from]);
            let finish = Finish {
                add: step.add.is_some(),
                rectify: step.rectify,
            };
            product(common.set, &step.reach, packed, input, output, finish);
        }
    }

    fn judge(
        &mut self,
        common: &Common<'_>,
        positions: Range<usize>,
        width: usize,
        share: &mut Share,
    ) {
        let count = self.outputs.len();
        self.slopes.resize(count, Vec::new());
        for slopes in &mut self.slopes {
            slopes.clear();
        }
        let [policy, outcome] = [count - 2, count - 1].map(|answer| &self.outputs[answer][..]);
        let (policy_slopes, outcome_slopes) = self.slopes.split_at_mut(count - 1);
        let [policy_slopes, outcome_slopes] =
            [&mut policy_slopes[count - 2], &mut outcome_slopes[0]];
        // Nothing is lost on lanes that hold no position.
        fill(policy_slopes, policy.len());
        fill(outcome_slopes, outcome.len());
        share.losses = Losses::default();
        for (at, position) in positions.enumerate() {
            let place = Place {
                position,
                at,
                width,
            };
            share.losses += judge(
                common.batch,
                common.settings,
                &place,
                [policy, outcome],
                [policy_slopes, outcome_slopes],
            );
        }
    }

    /// Carries the slopes back, layer by layer (Rumelhart, Hinton and Williams
    /// 1986).
    fn backward(&mut self, common: &Common<'_>, gradient: &mut [f32]) {
        let mut rest = gradient;
        for (number, step) in common.network.steps().iter().enumerate().rev() {
            let (others, own) = rest.split_at_mut(rest.len() - step.parameters());
            rest = others;
            let (before, slopes) = self.slopes.split_at_mut(number);
            let slopes = &mut slopes[0];
            if step.rectify {
                flatten(slopes, &self.outputs[number]);
            }
            if let Some(added) = step.add {
                add(&mut before[added], slopes);
            }
            let input = step.from.map_or(&self.input, |from| &self.outputs[from]);
            let (weights, biases) = own.split_at_mut(step.weights());
            correlate(
                common.set,
                &step.reach,
                input,
                slopes,
                step.outputs,
                weights,
            );
            add_up(biases, slopes, step);
            if let Some(from) = step.from {
                let (packed, reach) = &common.back[number];
                let to = &mut before[from];
                let finish = Finish {
                    add: !to.is_empty(),
                    rectify: false,
                };
                to.resize(input.len(), Lanes::ZERO);
                product(common.set, reach, packed, slopes, to, finish);
            }
        }
    }
}

fn fill(group: &mut Vec<Lanes>, length: usize) {
    group.clear();
    group.resize(length, Lanes::ZERO);
}

/// A rectified number that came out as zero does not change with what went in.
fn flatten(slopes: &mut [Lanes], outputs: &[Lanes]) {
    for (slopes, outputs) in slopes.iter_mut().zip(outputs) {
        for (slope, &output) in slopes.0.iter_mut().zip(&outputs.0) {
            *slope = if output > 0.0 { *slope } else { 0.0 };
        }
    }
}

fn add(to: &mut Vec<Lanes>, slopes: &[Lanes]) {
    if to.is_empty() {
        to.extend_from_slice(slopes);
        return;
    }
    for (to, slopes) in to.iter_mut().zip(slopes) {
        for (to, slope) in to.0.iter_mut().zip(slopes.0) {
            *to += slope;
        }
    }
}

/// The gradient of each bias: the slopes of all cells and positions.
fn add_up(biases: &mut [f32], slopes: &[Lanes], step: &Step) {
    let width = slopes.len() / step.size();
    let mut sums = vec![Lanes::ZERO; step.outputs];
    for (number, slopes) in slopes.iter().enumerate() {
        let sums = &mut sums[number / width % step.outputs];
        for (sum, slope) in sums.0.iter_mut().zip(slopes.0) {
            *sum += slope;
        }
    }
    for (bias, sums) in biases.iter_mut().zip(sums) {
        *bias = sums.0.iter().sum();
    }
}
