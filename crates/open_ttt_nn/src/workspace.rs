use super::architecture::Layer;
use super::kernel::{Epilogue, InstructionSet, LANES, Lanes, conv_forward};
use super::layout::{flatten, pack};
use super::math::{exp, tanh};
use super::network::Network;

/// A network's policies and values for positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// For each position a logit for each move index. See [`priors`](Self::priors).
    pub logits: Vec<f32>,
    /// For each position the value for the side to move, from -1 (lost) to 1 (won).
    pub values: Vec<f32>,
    /// For each position the auxiliary target: the plies to the end or the margin, in
    /// a unit that the trainer chooses.
    pub auxiliaries: Vec<f32>,
    moves: usize,
}

impl Predictions {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The prior probability of each legal move of a position: the softmax of their
    /// logits. The moves are given by their
    /// [indices](open_ttt_lib::rules::IndexedMoves::move_index).
    ///
    /// # Panics
    ///
    /// If the position or a move is out of range.
    pub fn priors(&self, position: usize, moves: impl Iterator<Item = usize>) -> Vec<f32> {
        let logits = &self.logits[position * self.moves..][..self.moves];
        let mut priors: Vec<f32> = moves.map(|index| logits[index]).collect();
        let largest = priors.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for prior in &mut priors {
            *prior = exp(*prior - largest);
        }
        let sum: f32 = priors.iter().sum();
        for prior in &mut priors {
            *prior /= sum;
        }
        priors
    }
}

/// The positions that are evaluated together.
const BATCH: usize = 16;

/// The memory of an evaluation, reused from batch to batch.
#[derive(Clone, Debug)]
pub struct Workspace {
    set: InstructionSet,
    input: Vec<Lanes>,
    slots: Vec<Vec<Lanes>>,
    flat: Vec<Lanes>,
    scratch: Vec<Lanes>,
    predictions: Predictions,
}

impl Workspace {
    /// Uses the best instruction set of the processor.
    pub fn new() -> Self {
        Self::with(InstructionSet::best())
    }

    /// Uses an instruction set, or portable code if the processor lacks it.
    pub fn with(set: InstructionSet) -> Self {
        Self {
            set,
            input: Vec::new(),
            slots: Vec::new(),
            flat: Vec::new(),
            scratch: Vec::new(),
            predictions: Predictions::default(),
        }
    }

    pub(super) fn evaluate(&mut self, network: &Network, planes: &[f32]) -> &Predictions {
        let encoding = network.encoding();
        let inputs = encoding.inputs();
        assert_eq!(planes.len() % inputs, 0, "the last position is incomplete");
        let count = planes.len() / inputs;
        let predictions = &mut self.predictions;
        predictions.logits.resize(count * encoding.moves, 0.0);
        predictions.values.clear();
        predictions.auxiliaries.clear();
        predictions.moves = encoding.moves;
        for (batch, planes) in planes.chunks(BATCH * inputs).enumerate() {
            self.evaluate_batch(network, planes, batch * BATCH);
        }
        &self.predictions
    }

    /// Evaluates some positions; `first` is the index of the first.
    fn evaluate_batch(&mut self, network: &Network, planes: &[f32], first: usize) {
        let encoding = network.encoding();
        let positions = planes.len() / encoding.inputs();
        let plan = network.plan();
        let flat = network.layers()[0].flatten;
        pack(planes, encoding, flat, &mut self.input);
        self.slots.resize(plan.slots, Vec::new());
        let packed = network.packed();
        for (number, (layer, packed)) in network.layers().iter().zip(packed).enumerate() {
            let slot = plan.places[number];
            let size = packed.vectors() * positions * layer.shape.cells();
            let mut output = core::mem::take(&mut self.slots[slot]);
            // A residual input occupies the slot of the sum, and has its size.
            output.resize(size, Lanes::ZERO);
            let mut input = match layer.from {
                None => &self.input,
                Some(from) => &self.slots[plan.places[from]],
            };
            if let (true, Some(from)) = (layer.flatten, layer.from) {
                let channels = network.layers()[from].outputs;
                flatten(input, channels, positions, &mut self.flat);
                input = &self.flat;
            }
            let epilogue = Epilogue {
                accumulate: layer.add.is_some(),
                relu: layer.relu,
            };
            let scratch = &mut self.scratch;
            conv_forward(self.set, packed, input, &mut output, epilogue, scratch);
            self.slots[slot] = output;
        }
        let last = plan.places.len() - 1;
        let policy = &self.slots[plan.places[last - 1]];
        let outcome = &self.slots[plan.places[last]];
        for position in 0..positions {
            let logits = &mut self.predictions.logits[(first + position) * encoding.moves..];
            let logits = logits[..encoding.moves].chunks_mut(LANES);
            for (vector, logits) in logits.enumerate() {
                let from = &policy[vector * positions + position];
                logits.copy_from_slice(&from.0[..logits.len()]);
            }
            let Lanes([value, auxiliary, ..]) = outcome[position];
            self.predictions.values.push(tanh(value));
            self.predictions.auxiliaries.push(auxiliary);
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

/// The slot of memory of each layer's output; layers share slots whose contents are
/// no longer needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The slot of each layer's output.
    pub(super) places: Vec<usize>,
    pub(super) slots: usize,
}

impl Plan {
    pub(super) fn new(layers: &[Layer]) -> Self {
        // The last two layers are the outputs, and are kept.
        let mut last_use: Vec<usize> = (0..layers.len()).collect();
        for (number, layer) in layers.iter().enumerate() {
            for used in [layer.from, layer.add].into_iter().flatten() {
                last_use[used] = number;
            }
        }
        for output in last_use.iter_mut().rev().take(2) {
            *output = layers.len();
        }
        let mut busy_until: Vec<usize> = Vec::new();
        let mut places: Vec<usize> = Vec::new();
        for (number, layer) in layers.iter().enumerate() {
            // The residual input is not needed afterwards, so the sum replaces it.
            let place = layer.add.map_or_else(
                || {
                    let free = busy_until.iter().position(|&until| until < number);
                    free.unwrap_or(busy_until.len())
                },
                |added| places[added],
            );
            if place == busy_until.len() {
                busy_until.push(0);
            }
            busy_until[place] = last_use[number].max(number);
            places.push(place);
        }
        Self {
            places,
            slots: busy_until.len(),
        }
    }
}
