use core::error::Error;
use core::fmt;
use core::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use open_ttt_nn::Network;
use open_ttt_nn::kernel::{InstructionSet, Packed};

use super::shard::{Common, Memory, SHARD, Share};
use super::{Adam, Batch, Losses};

/// How a network is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How far a step goes: about this much for each parameter.
    pub learning_rate: f32,
    /// By which part of itself times the learning rate a weight shrinks a step.
    pub weight_decay: f32,
    /// How much of the average gradient is kept from step to step, below 1.
    pub average_decay: f32,
    /// How much of the average square is kept, below 1.
    pub square_decay: f32,
    /// What the root of the average square is raised by, so that nothing is
    /// divided by zero.
    pub epsilon: f32,
    /// How much an error of the value counts; the policy's counts 1.
    pub value_weight: f32,
    /// How much an error of the auxiliary number counts.
    pub auxiliary_weight: f32,
    /// On how many threads a gradient is computed, at most: where there is little to
    /// do, on fewer. It is the same on any number.
    pub threads: NonZero<usize>,
}

impl Default for Settings {
    /// One thread; Adam's usual numbers.
    fn default() -> Self {
        Self {
            learning_rate: 2e-3,
            weight_decay: 1e-4,
            average_decay: 0.9,
            square_decay: 0.999,
            epsilon: 1e-8,
            value_weight: 1.0,
            auxiliary_weight: 0.25,
            threads: NonZero::<usize>::MIN,
        }
    }
}

/// How many products of the way forward are worth a thread; the way back has twice
/// as many.
const WORTH_A_THREAD: usize = 1 << 22;

/// Teaches a network, batch by batch.
#[derive(Clone, Debug)]
pub struct Trainer {
    /// How; may be changed between steps.
    pub settings: Settings,
    network: Network,
    adam: Adam,
    set: InstructionSet,
    back: Vec<Packed>,
    memories: Vec<Memory>,
    shares: Vec<Share>,
}

impl Trainer {
    /// Begins to teach this network.
    pub fn new(network: Network, settings: Settings) -> Self {
        let adam = Adam::new(network.parameters().len());
        Self::resume(network, adam, settings)
    }

    /// Goes on teaching a network where it was interrupted.
    ///
    /// # Panics
    ///
    /// Unless Adam remembers as many parameters as the network has.
    pub fn resume(network: Network, adam: Adam, settings: Settings) -> Self {
        let parameters = network.parameters().len();
        assert_eq!(
            [adam.averages.len(), adam.squares.len()],
            [parameters; 2],
            "Adam remembers each parameter"
        );
        let back = network.steps().iter();
        let back = back.map(|step| Packed::new(&step.reach, step.outputs, step.channels));
        Self {
            settings,
            adam,
            set: InstructionSet::best(),
            back: back.collect(),
            memories: Vec::new(),
            shares: Vec::new(),
            network,
        }
    }

    /// The same, computing with this, or the plain way where the processor lacks
    /// it.
    pub fn with_instruction_set(mut self, set: InstructionSet) -> Self {
        self.set = set;
        self
    }

    /// The network as it is now.
    pub const fn network(&self) -> &Network {
        &self.network
    }

    /// What Adam remembers.
    pub const fn adam(&self) -> &Adam {
        &self.adam
    }

    /// The network, taught no further.
    pub fn into_network(self) -> Network {
        self.network
    }

    /// Makes one step, and says what was lost before it.
    ///
    /// # Errors
    ///
    /// [`Diverged`] if the loss or its gradient is infinite or no number, or the
    /// batch is empty. The network is then as it was.
    ///
    /// # Panics
    ///
    /// If the batch is written otherwise than the network reads.
    pub fn step(&mut self, batch: &Batch) -> Result<Losses, Diverged> {
        let (losses, gradient) = self.gradient(batch);
        let finite = gradient.iter().all(|slope| slope.is_finite());
        if !finite || !losses.total().is_finite() || batch.is_empty() {
            return Err(Diverged {
                steps: self.adam.steps,
            });
        }
        let Self {
            network,
            adam,
            settings,
            ..
        } = self;
        let layers = network.steps().to_vec();
        network.change(|parameters| adam.step(settings, &layers, parameters, &gradient));
        Ok(losses)
    }

    /// What is lost on a batch, and how that changes with each parameter: the
    /// policy's loss plus the others times their weights.
    ///
    /// # Panics
    ///
    /// If the batch is written otherwise than the network reads.
    pub fn gradient(&mut self, batch: &Batch) -> (Losses, Vec<f32>) {
        assert_eq!(
            batch.encoding(),
            self.network.encoding(),
            "the batch is written as the network reads"
        );
        self.pack_back();
        let shards = batch.len().div_ceil(SHARD);
        let threads = self.threads(batch.len()).min(shards).max(1);
        self.memories.resize_with(threads, Memory::default);
        self.shares.resize_with(shards, Share::default);
        let common = Common {
            network: &self.network,
            settings: &self.settings,
            set: self.set,
            batch,
            back: &self.back,
        };
        // Whoever is free takes the next shard, so that it does not matter how many
        // threads there really are.
        let queue = Mutex::new(self.shares.iter_mut().enumerate());
        let work = |memory: &mut Memory| {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, share)) = next else {
                    return;
                };
                let begin = number * SHARD;
                let end = (begin + SHARD).min(batch.len());
                memory.shard(&common, begin..end, share);
            }
        };
        if let Some((own, others)) = self.memories.split_first_mut() {
            scope(|scope| {
                let others = others.iter_mut().filter_map(|memory| {
                    let help = || work(memory);
                    Builder::new().spawn_scoped(scope, help).ok()
                });
                let threads: Vec<_> = others.collect();
                work(own);
                for thread in threads {
                    thread
                        .join()
                        .unwrap_or_else(|payload| resume_unwind(payload));
                }
            });
        }
        let mut losses = Losses::default();
        let mut gradient = vec![0.0; self.network.parameters().len()];
        for share in &self.shares {
            losses += share.losses;
            for (sum, slope) in gradient.iter_mut().zip(&share.gradient) {
                *sum += slope;
            }
        }
        (losses.scaled(1.0 / batch.len().max(1) as f64), gradient)
    }

    /// How many threads so many positions are worth: to start one takes as long as
    /// some millions of multiplications.
    fn threads(&self, positions: usize) -> usize {
        let steps = self.network.steps().iter();
        let products = steps.map(|step| step.weights() * step.reach.cells());
        let worth = products.sum::<usize>().saturating_mul(positions) / WORTH_A_THREAD;
        self.settings.threads.get().min(worth)
    }

    fn pack_back(&mut self) {
        let mut parameters = self.network.parameters();
        for (step, packed) in self.network.steps().iter().zip(&mut self.back) {
            let (own, rest) = parameters.split_at(step.parameters());
            parameters = rest;
            // Nobody asks how the loss changes with the position.
            if step.from.is_some() {
                packed.set_back(&own[..step.weights()]);
            }
        }
    }
}

/// A step was not made, for it would have led nowhere: what is lost, or how that
/// changes, is infinite or no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diverged {
    /// How many steps had been made before.
    pub steps: u64,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "after {} steps the gradient has numbers that are infinite or none; a lower learning \
             rate may help",
            self.steps
        )
    }
}

impl Error for Diverged {}

#[cfg(test)]
mod tests {
    use open_ttt_lib::rules::{Encode, TwoPlayerGame};
    use open_ttt_nn::Architecture;

    use super::*;
    use crate::strip::Strip;

    #[test]
    fn steps_leave_nothing_behind() {
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
            let pieces = [1, 2, 10].map(|steps| {
                for _ in 0..steps {
                    assert!(trainer.step(&batch).is_ok());
                }
                trainer.memories.iter().map(Memory::pieces).sum::<usize>()
            });
            assert_eq!(pieces, [pieces[0]; 3]);
        }
    }
}
