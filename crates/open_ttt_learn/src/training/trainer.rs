use core::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use open_ttt_nn::Network;
use open_ttt_nn::kernel::{InstructionSet, PackedWeights};

use super::shard::{SHARD, ShardBuffers, ShardContext, ShardResult};
use super::{Adam, Batch, Losses};

/// The hyperparameters of a [`Trainer`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The step size: about this much per parameter.
    pub learning_rate: f32,
    /// Decoupled weight decay (`AdamW`).
    pub weight_decay: f32,
    /// The decay rate of the first moments, below 1.
    pub beta1: f32,
    /// The decay rate of the second moments, below 1.
    pub beta2: f32,
    /// Added to the root of the second moments, against division by zero.
    pub epsilon: f32,
    /// The weight of the value loss; the policy loss has weight 1.
    pub value_weight: f32,
    /// The weight of the auxiliary loss.
    pub auxiliary_weight: f32,
    /// The maximum number of threads; small batches use fewer. The result is the same
    /// with any number.
    pub threads: NonZero<usize>,
}

impl Default for Settings {
    /// One thread, and Adam's usual hyperparameters.
    fn default() -> Self {
        Self {
            learning_rate: 2e-3,
            weight_decay: 1e-4,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            value_weight: 1.0,
            auxiliary_weight: 0.25,
            threads: NonZero::<usize>::MIN,
        }
    }
}

/// How many multiplications of the forward pass pay for starting a thread; the backward
/// pass has twice as many.
const PRODUCTS_PER_THREAD: usize = 1 << 22;

/// Trains a network, batch by batch.
#[derive(Clone, Debug)]
pub struct Trainer {
    /// The hyperparameters; they may change between steps.
    pub settings: Settings,
    network: Network,
    adam: Adam,
    set: InstructionSet,
    /// The transposed weights of each layer.
    back: Vec<PackedWeights>,
    /// One per thread.
    buffers: Vec<ShardBuffers>,
    results: Vec<ShardResult>,
}

impl Trainer {
    /// A trainer of this network.
    pub fn new(network: Network, settings: Settings) -> Self {
        let adam = Adam::new(network.parameters().len());
        Self::resume(network, adam, settings)
    }

    /// A trainer that continues with this optimizer state.
    ///
    /// # Panics
    ///
    /// If the state isn't for as many parameters as the network has.
    pub fn resume(network: Network, adam: Adam, settings: Settings) -> Self {
        let parameters = network.parameters().len();
        assert_eq!(
            [adam.first_moments.len(), adam.second_moments.len()],
            [parameters; 2],
            "Adam has the moments of each parameter"
        );
        let back = network.layers().iter();
        let back = back.map(|step| PackedWeights::new(&step.shape, step.outputs, step.channels));
        Self {
            settings,
            adam,
            set: InstructionSet::best(),
            back: back.collect(),
            buffers: Vec::new(),
            results: Vec::new(),
            network,
        }
    }

    /// Computes with this instruction set, or portably if the processor lacks it.
    pub fn with_instruction_set(mut self, set: InstructionSet) -> Self {
        self.set = set;
        self
    }

    /// The current network.
    pub const fn network(&self) -> &Network {
        &self.network
    }

    /// The optimizer's state.
    pub const fn adam(&self) -> &Adam {
        &self.adam
    }

    /// Returns the network.
    pub fn into_network(self) -> Network {
        self.network
    }

    /// Makes one step, and returns the losses before it.
    ///
    /// # Errors
    ///
    /// [`Diverged`] if the loss, the gradient or its square isn't finite, or the batch is
    /// empty. The network is then unchanged.
    ///
    /// # Panics
    ///
    /// If the batch's encoding isn't the network's.
    pub fn step(&mut self, batch: &Batch) -> Result<Losses, Diverged> {
        let (losses, gradient) = self.gradient(batch);
        // Adam keeps the squares: after an infinite one it would make the weights NaN.
        let finite = gradient.iter().all(|number| (number * number).is_finite());
        if !finite || !losses.total().is_finite() || batch.is_empty() {
            return Err(Diverged {
                steps: self.adam.steps,
            });
        }
        let layers = self.network.layers().to_vec();
        let (adam, settings) = (&mut self.adam, &self.settings);
        (self.network).update(|parameters| adam.step(settings, &layers, parameters, &gradient));
        Ok(losses)
    }

    /// Computes the losses of a batch, and the gradient of their weighted sum with respect
    /// to the parameters.
    ///
    /// # Panics
    ///
    /// If the batch's encoding isn't the network's.
    pub fn gradient(&mut self, batch: &Batch) -> (Losses, Vec<f32>) {
        assert_eq!(
            batch.encoding(),
            self.network.encoding(),
            "the batch has the network's encoding"
        );
        self.pack_back();
        let shards = batch.len().div_ceil(SHARD);
        let threads = self.threads(batch.len()).min(shards).max(1);
        self.buffers.resize_with(threads, ShardBuffers::default);
        self.results.resize_with(shards, ShardResult::default);
        let context = ShardContext {
            network: &self.network,
            settings: &self.settings,
            set: self.set,
            batch,
            back: &self.back,
        };
        let queue = Mutex::new(self.results.iter_mut().enumerate());
        let work = |buffers: &mut ShardBuffers| {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, result)) = next else {
                    return;
                };
                let begin = number * SHARD;
                let end = (begin + SHARD).min(batch.len());
                buffers.compute(&context, begin..end, result);
            }
        };
        if let Some((own, others)) = self.buffers.split_first_mut() {
            scope(|scope| {
                // Threads that can't be started only leave more shards to the others.
                let others = others.iter_mut().filter_map(|buffers| {
                    let work = || work(buffers);
                    Builder::new().spawn_scoped(scope, work).ok()
                });
                let threads: Vec<_> = others.collect();
                work(own);
                for thread in threads {
                    thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                }
            });
        }
        let mut losses = Losses::default();
        let mut gradient = vec![0.0; self.network.parameters().len()];
        for result in &self.results {
            losses += result.losses;
            for (sum, derivative) in gradient.iter_mut().zip(&result.gradient) {
                *sum += derivative;
            }
        }
        (losses.scaled(1.0 / batch.len().max(1) as f64), gradient)
    }

    /// How many threads pay off for this many positions.
    fn threads(&self, positions: usize) -> usize {
        let steps = self.network.layers().iter();
        let products = steps.map(|step| step.weights() * step.shape.cells());
        let products = products.sum::<usize>().saturating_mul(positions);
        let most = self.settings.threads.get();
        most.min(products / PRODUCTS_PER_THREAD)
    }

    fn pack_back(&mut self) {
        let mut parameters = self.network.parameters();
        for (step, packed) in self.network.layers().iter().zip(&mut self.back) {
            let (own, rest) = parameters.split_at(step.parameters());
            parameters = rest;
            // The gradient with respect to the input isn't needed.
            if step.from.is_some() {
                packed.set_transposed(&own[..step.weights()]);
            }
        }
    }
}

/// A step was not made because the loss or its gradient is NaN, infinite, or too large to be
/// squared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {steps} steps the gradient is NaN or too large; a lower learning rate may help")]
pub struct Diverged {
    /// The number of steps made before.
    pub steps: u64,
}

#[cfg(test)]
mod tests {
    use open_ttt_lib::rules::{Encode, TwoPlayerGame};
    use open_ttt_nn::Architecture;

    use super::*;
    use crate::strip::Strip;

    #[test]
    fn steps_reuse_their_buffers() {
        let game = Strip::new(9);
        let mut batch = Batch::new(game.encoding());
        for _ in 0..3 * SHARD {
            batch.push(&game, game.moves().map(|m| (m, 1.0 / 9.0)), 0.0, 0.1);
        }
        let tower = Architecture::Residual {
            blocks: 2,
            filters: 4,
        };
        for architecture in [Architecture::Perceptron { hidden: vec![8, 8] }, tower] {
            let network = Network::new(&game, architecture, 1).map_err(|error| error.to_string());
            let mut trainer = Trainer::new(network.expect("it fits"), Settings::default());
            let counts = [1, 2, 10].map(|steps| {
                for _ in 0..steps {
                    assert!(trainer.step(&batch).is_ok());
                }
                let counts = trainer.buffers.iter().map(ShardBuffers::count);
                counts.sum::<usize>()
            });
            assert_eq!(counts, [counts[0]; 3]);
        }
    }
}
