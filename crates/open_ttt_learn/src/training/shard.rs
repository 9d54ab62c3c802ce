use core::ops::Range;

use open_ttt_nn::kernel::{Finish, InstructionSet, Lanes, Packed, correlate, product, unrectify};
use open_ttt_nn::{Network, arrange, flatten, unflatten};

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
    /// How the loss changes with what comes out, as far as it is known.
    slopes: Vec<Option<Vec<Lanes>>>,
    /// Memory for slopes: little of it, so that it stays near.
    free: Vec<Vec<Lanes>>,
    flat_slopes: Vec<Lanes>,
    scratch: Vec<Lanes>,
}

impl Memory {
    /// How many pieces of memory it holds.
    #[cfg(test)]
    pub(super) fn pieces(&self) -> usize {
        self.free.len() + self.slopes.iter().flatten().count()
    }

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
        self.slopes.resize(count, None);
        let [policy, outcome] = [count - 2, count - 1].map(|answer| &self.outputs[answer][..]);
        // From where they go in the end, so that a step leaves no more behind than
        // the one before it.
        let [mut policy_slopes, mut outcome_slopes] = [policy, outcome].map(|answer| {
            let mut slopes = self.free.pop().unwrap_or_default();
            slopes.clear();
            slopes.resize(answer.len(), Lanes::ZERO);
            slopes
        });
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
                [&mut policy_slopes, &mut outcome_slopes],
            );
        }
        self.slopes[count - 2] = Some(policy_slopes);
        self.slopes[count - 1] = Some(outcome_slopes);
    }

    /// Carries the slopes back, layer by layer (Rumelhart, Hinton and Williams
    /// 1986).
    fn backward(&mut self, common: &Common<'_>, positions: usize, gradient: &mut [f32]) {
        let steps = common.network.steps();
        let mut rest = gradient;
        for (number, step) in steps.iter().enumerate().rev() {
            let (others, own) = rest.split_at_mut(rest.len() - step.parameters());
            rest = others;
            let Some(mut slopes) = self.slopes[number].take() else {
                continue;
            };
            if step.rectify {
                unrectify(common.set, &self.outputs[number], &mut slopes);
            }
            let input = match step.from {
                Some(_) if step.flatten => &self.flat[number],
                Some(from) => &self.outputs[from],
                None => &self.input,
            };
            let own = own.split_at_mut(step.weights());
            let scratch = &mut self.scratch;
            correlate(common.set, &step.reach, input, &slopes, own, scratch);
            if let Some(from) = step.from {
                let back = &common.back[number];
                let known = self.slopes[from].take();
                let finish = Finish {
                    add: known.is_some() && !step.flatten,
                    rectify: false,
                };
                let mut to = known.unwrap_or_else(|| {
                    let mut to = self.free.pop().unwrap_or_default();
                    to.resize(self.outputs[from].len(), Lanes::ZERO);
                    if step.flatten {
                        to.fill(Lanes::ZERO);
                    }
                    to
                });
                if step.flatten {
                    let flat = &mut self.flat_slopes;
                    flat.resize(input.len(), Lanes::ZERO);
                    product(common.set, back, &slopes, flat, finish, scratch);
                    unflatten(flat, steps[from].outputs, positions, &mut to);
                } else {
                    product(common.set, back, &slopes, &mut to, finish, scratch);
                }
                self.slopes[from] = Some(to);
            }
            match step.add.map(|added| &mut self.slopes[added]) {
                Some(to @ None) => *to = Some(slopes),
                to => {
                    if let Some(Some(to)) = to {
                        add(to, &slopes);
                    }
                    self.free.push(slopes);
                }
            }
        }
    }
}

fn add(to: &mut [Lanes], slopes: &[Lanes]) {
    for (to, slopes) in to.iter_mut().zip(slopes) {
        for (to, slope) in to.0.iter_mut().zip(slopes.0) {
            *to += slope;
        }
    }
}
