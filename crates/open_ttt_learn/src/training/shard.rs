use core::ops::Range;

use open_ttt_lib::network::kernel::{Finish, InstructionSet, Lanes, Packed, correlate, product};
use open_ttt_lib::network::{Network, arrange, flatten, unflatten};

use super::losses::{Place, judge};
use super::{Batch, Losses, Settings};

/// How many positions a shard has at most.
pub(super) const SHARD: usize = 32;

/// What all shards read.
pub(super) struct Common<'a> {
    pub(super) network: &'a Network,
    pub(super) settings: &'a Settings,
    pub(super) set: InstructionSet,
    pub(super) batch: &'a Batch,
    /// The layers' weights for the way back.
    pub(super) back: &'a [Packed],
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
    /// What goes into those layers for which the cells become one.
    flat: Vec<Vec<Lanes>>,
    /// How the loss changes with what comes out; empty where nothing is known yet.
    slopes: Vec<Vec<Lanes>>,
    flat_slopes: Vec<Lanes>,
    scratch: Vec<Lanes>,
}

impl Memory {
    /// Computes one shard, forward and backward.
    pub(super) fn shard(
        &mut self,
        common: &Common<'_>,
        positions: Range<usize>,
        share: &mut Share,
    ) {
        self.forward(common, positions.clone());
        let count = positions.len();
        self.judge(common, positions, share);
        share.gradient.clear();
        share
            .gradient
            .resize(common.network.parameters().len(), 0.0);
        self.backward(common, count, &mut share.gradient);
    }

    fn forward(&mut self, common: &Common<'_>, positions: Range<usize>) {
        let network = common.network;
        let steps = network.steps();
        let count = positions.len();
        let planes = common.batch.planes(positions);
        let flat = steps[0].flatten;
        arrange(planes, network.encoding(), flat, &mut self.input);
        self.outputs.resize(steps.len(), Vec::new());
        self.flat.resize(steps.len(), Vec::new());
        for (number, (step, packed)) in steps.iter().zip(network.packed()).enumerate() {
            let (before, rest) = self.outputs.split_at_mut(number);
            let output = &mut rest[0];
            output.resize(packed.vectors() * count * step.reach.cells(), Lanes::ZERO);
            if let Some(added) = step.add {
                output.copy_from_slice(&before[added]);
            }
            let mut input = step.from.map_or(&self.input, |from| &before[from]);
            if let (true, Some(from)) = (step.flatten, step.from) {
                flatten(input, steps[from].outputs, count, &mut self.flat[number]);
                input = &self.flat[number];
            }
            let finish = Finish {
                add: step.add.is_some(),
                rectify: step.rectify,
            };
            product(common.set, packed, input, output, finish, &mut self.scratch);
        }
    }

    fn judge(&mut self, common: &Common<'_>, positions: Range<usize>, share: &mut Share) {
        let count = self.outputs.len();
        self.slopes.resize(count, Vec::new());
        for slopes in &mut self.slopes {
            slopes.clear();
        }
        let [policy, outcome] = [count - 2, count - 1].map(|answer| &self.outputs[answer][..]);
        let (policy_slopes, outcome_slopes) = self.slopes.split_at_mut(count - 1);
        let [policy_slopes, outcome_slopes] =
            [&mut policy_slopes[count - 2], &mut outcome_slopes[0]];
        fill(policy_slopes, policy.len());
        fill(outcome_slopes, outcome.len());
        share.losses = Losses::default();
        let all = positions.len();
        for (at, position) in positions.enumerate() {
            let place = Place {
                position,
                at,
                positions: all,
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
    fn backward(&mut self, common: &Common<'_>, positions: usize, gradient: &mut [f32]) {
        let steps = common.network.steps();
        let mut rest = gradient;
        for (number, step) in steps.iter().enumerate().rev() {
            let (others, own) = rest.split_at_mut(rest.len() - step.parameters());
            rest = others;
            let (before, slopes) = self.slopes.split_at_mut(number);
            let slopes = &mut slopes[0];
            if step.rectify {
                level(slopes, &self.outputs[number]);
            }
            if let Some(added) = step.add {
                add(&mut before[added], slopes);
            }
            let input = match step.from {
                Some(_) if step.flatten => &self.flat[number],
                Some(from) => &self.outputs[from],
                None => &self.input,
            };
            let own = own.split_at_mut(step.weights());
            let scratch = &mut self.scratch;
            correlate(common.set, &step.reach, input, slopes, own, scratch);
            let Some(from) = step.from else {
                continue;
            };
            let back = &common.back[number];
            let to = &mut before[from];
            let mut finish = Finish {
                add: !to.is_empty(),
                rectify: false,
            };
            to.resize(self.outputs[from].len(), Lanes::ZERO);
            if step.flatten {
                finish.add = false;
                let flat = &mut self.flat_slopes;
                flat.resize(input.len(), Lanes::ZERO);
                product(common.set, back, slopes, flat, finish, scratch);
                unflatten(flat, steps[from].outputs, positions, to);
            } else {
                product(common.set, back, slopes, to, finish, scratch);
            }
        }
    }
}

fn fill(group: &mut Vec<Lanes>, length: usize) {
    group.clear();
    group.resize(length, Lanes::ZERO);
}

/// A rectified number that came out as zero does not change with what went in.
fn level(slopes: &mut [Lanes], outputs: &[Lanes]) {
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
