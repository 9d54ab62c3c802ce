use core::ops::Range;

use open_ttt_nn::Network;
use open_ttt_nn::kernel::{
    Epilogue, InstructionSet, Lanes, PackedWeights, conv_forward, flatten, pack, relu_backward,
    unflatten_add, weight_gradient,
};

use super::losses::{ShardIndex, output_gradient};
use super::{Batch, Losses, Settings};

/// The maximum number of positions of a shard.
pub(super) const SHARD: usize = 32;

/// What all shards read.
pub(super) struct ShardContext<'a> {
    pub(super) network: &'a Network,
    pub(super) settings: &'a Settings,
    pub(super) set: InstructionSet,
    pub(super) batch: &'a Batch,
    /// The transposed weights of each layer.
    pub(super) back: &'a [PackedWeights],
}

/// The gradient and losses of a shard.
#[derive(Clone, Debug, Default)]
pub(super) struct ShardResult {
    pub(super) gradient: Vec<f32>,
    pub(super) losses: Losses,
}

/// Memory for computing one shard.
#[derive(Clone, Debug, Default)]
pub(super) struct ShardBuffers {
    input: Vec<Lanes>,
    /// The output of each layer.
    outputs: Vec<Vec<Lanes>>,
    /// The flattened input of each fully connected layer.
    flat: Vec<Vec<Lanes>>,
    /// The gradient of the loss with respect to each output, while it is needed.
    gradients: Vec<Option<Vec<Lanes>>>,
    /// Unused gradient buffers; few of them, so that they stay in the cache.
    free: Vec<Vec<Lanes>>,
    flat_gradient: Vec<Lanes>,
    scratch: Vec<Lanes>,
}

impl ShardBuffers {
    /// How many gradient buffers exist.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.free.len() + self.gradients.iter().flatten().count()
    }

    /// Computes one shard, forward and backward.
    pub(super) fn compute(
        &mut self,
        context: &ShardContext<'_>,
        positions: Range<usize>,
        result: &mut ShardResult,
    ) {
        self.forward(context, positions.clone());
        let count = positions.len();
        self.losses(context, positions, result);
        let parameters = context.network.parameters().len();
        result.gradient.clear();
        result.gradient.resize(parameters, 0.0);
        self.backward(context, count, &mut result.gradient);
    }

    fn forward(&mut self, context: &ShardContext<'_>, positions: Range<usize>) {
        let network = context.network;
        let layers = network.layers();
        let count = positions.len();
        let planes = context.batch.planes(positions);
        let flat = layers[0].flatten;
        pack(planes, network.encoding(), flat, &mut self.input);
        self.outputs.resize(layers.len(), Vec::new());
        self.flat.resize(layers.len(), Vec::new());
        for (number, (layer, packed)) in layers.iter().zip(network.packed()).enumerate() {
            let (before, rest) = self.outputs.split_at_mut(number);
            let output = &mut rest[0];
            output.resize(packed.vectors() * count * layer.shape.cells(), Lanes::ZERO);
            if let Some(added) = layer.add {
                output.copy_from_slice(&before[added]);
            }
            let mut input = layer.from.map_or(&self.input, |from| &before[from]);
            if let (true, Some(from)) = (layer.flatten, layer.from) {
                flatten(input, layers[from].outputs, count, &mut self.flat[number]);
                input = &self.flat[number];
            }
            let epilogue = Epilogue {
                accumulate: layer.add.is_some(),
                relu: layer.relu,
            };
            let scratch = &mut self.scratch;
            conv_forward(context.set, packed, input, output, epilogue, scratch);
        }
    }

    /// Computes the losses and the gradients of the output layers.
    fn losses(
        &mut self,
        context: &ShardContext<'_>,
        positions: Range<usize>,
        result: &mut ShardResult,
    ) {
        let count = self.outputs.len();
        self.gradients.resize(count, None);
        let [policy, outcome] = [count - 2, count - 1].map(|output| &self.outputs[output][..]);
        // Takes the buffers that the previous layer has freed.
        let [mut policy_gradient, mut outcome_gradient] = [policy, outcome].map(|output| {
            let mut gradient = self.free.pop().unwrap_or_default();
            gradient.clear();
            gradient.resize(output.len(), Lanes::ZERO);
            gradient
        });
        result.losses = Losses::default();
        let all = positions.len();
        for (at, position) in positions.enumerate() {
            let index = ShardIndex {
                position,
                at,
                positions: all,
            };
            result.losses += output_gradient(
                context.batch,
                context.settings,
                &index,
                [policy, outcome],
                [&mut policy_gradient, &mut outcome_gradient],
            );
        }
        self.gradients[count - 2] = Some(policy_gradient);
        self.gradients[count - 1] = Some(outcome_gradient);
    }

    /// Backpropagation (Rumelhart, Hinton and Williams 1986): writes the gradient with
    /// respect to the parameters.
    fn backward(&mut self, context: &ShardContext<'_>, positions: usize, parameters: &mut [f32]) {
        let layers = context.network.layers();
        let mut rest = parameters;
        for (number, layer) in layers.iter().enumerate().rev() {
            let (others, own) = rest.split_at_mut(rest.len() - layer.parameters());
            rest = others;
            let Some(mut gradient) = self.gradients[number].take() else {
                continue;
            };
            if layer.relu {
                relu_backward(context.set, &self.outputs[number], &mut gradient);
            }
            let input = match layer.from {
                Some(_) if layer.flatten => &self.flat[number],
                Some(from) => &self.outputs[from],
                None => &self.input,
            };
            let own = own.split_at_mut(layer.weights());
            let scratch = &mut self.scratch;
            weight_gradient(context.set, &layer.shape, input, &gradient, own, scratch);
            if let Some(from) = layer.from {
                let back = &context.back[number];
                let known = self.gradients[from].take();
                let epilogue = Epilogue {
                    accumulate: known.is_some() && !layer.flatten,
                    relu: false,
                };
                let mut to = known.unwrap_or_else(|| {
                    let mut to = self.free.pop().unwrap_or_default();
                    to.resize(self.outputs[from].len(), Lanes::ZERO);
                    if layer.flatten {
                        to.fill(Lanes::ZERO);
                    }
                    to
                });
                if layer.flatten {
                    let flat = &mut self.flat_gradient;
                    flat.resize(input.len(), Lanes::ZERO);
                    conv_forward(context.set, back, &gradient, flat, epilogue, scratch);
                    unflatten_add(flat, layers[from].outputs, positions, &mut to);
                } else {
                    conv_forward(context.set, back, &gradient, &mut to, epilogue, scratch);
                }
                self.gradients[from] = Some(to);
            }
            match layer.add.map(|added| &mut self.gradients[added]) {
                Some(to @ None) => *to = Some(gradient),
                to => {
                    if let Some(Some(to)) = to {
                        add(to, &gradient);
                    }
                    self.free.push(gradient);
                }
            }
        }
    }
}

fn add(to: &mut [Lanes], gradient: &[Lanes]) {
    for (to, gradient) in to.iter_mut().zip(gradient) {
        for (to, gradient) in to.0.iter_mut().zip(gradient.0) {
            *to += gradient;
        }
    }
}
