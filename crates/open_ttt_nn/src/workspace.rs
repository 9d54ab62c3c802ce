use super::architecture::Step;
use super::group::{arrange, flatten};
use super::kernel::{Finish, InstructionSet, LANES, Lanes, product};
use super::math::{exp, tanh};
use super::network::Network;

/// What a network says about positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// For each position a number for each move; the larger, the better. See
    /// [`priors`](Self::priors).
    pub logits: Vec<f32>,
    /// For each position how the game ends for the side to move: from -1, lost, to
    /// 1, won.
    pub values: Vec<f32>,
    /// For each position the auxiliary number: what it was trained to tell, the
    /// plies to the end or the margin, in a unit of the trainer's.
    pub auxiliaries: Vec<f32>,
    moves: usize,
}

impl Predictions {
    /// How many positions they are about.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether they are about none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How probable the network thinks each of these moves of a position, of
    /// which there are no others (softmax). The moves are told by their
    /// [indices](open_ttt_lib::rules::IndexedMoves::move_index).
    ///
    /// # Panics
    ///
    /// If there is no such position or move.
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

/// How many positions are computed together.
const GROUP: usize = 16;

/// Memory in which a network computes; used again from batch to batch.
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
    /// Computes with the best the processor has.
    pub fn new() -> Self {
        Self::with(InstructionSet::best())
    }

    /// Computes with this, or the plain way where the processor lacks it.
    pub const fn with(set: InstructionSet) -> Self {
        Self {
            set,
            input: Vec::new(),
            slots: Vec::new(),
            flat: Vec::new(),
            scratch: Vec::new(),
            predictions: Predictions {
                logits: Vec::new(),
                values: Vec::new(),
                auxiliaries: Vec::new(),
                moves: 0,
            },
        }
    }

    /// What it computes with.
    pub const fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    pub(super) fn evaluate(&mut self, network: &Network, planes: &[f32]) -> &Predictions {
        let encoding = network.encoding();
        let inputs = encoding.inputs();
        assert_eq!(planes.len() % inputs, 0, "positions come whole");
        let count = planes.len() / inputs;
        let Predictions {
            logits,
            values,
            auxiliaries,
            moves,
        } = &mut self.predictions;
        logits.clear();
        logits.resize(count * encoding.moves, 0.0);
        values.clear();
        auxiliaries.clear();
        *moves = encoding.moves;
        for (group, planes) in planes.chunks(GROUP * inputs).enumerate() {
            self.group(network, planes, group * GROUP);
        }
        &self.predictions
    }

    /// Computes a few positions, the first of which has this number.
    fn group(&mut self, network: &Network, planes: &[f32], first: usize) {
        let encoding = network.encoding();
        let positions = planes.len() / encoding.inputs();
        let plan = network.plan();
        arrange(
            planes,
            encoding,
            network.steps()[0].flatten,
            &mut self.input,
        );
        self.slots.resize(plan.slots, Vec::new());
        let layers = network.steps().iter().zip(network.packed());
        for (number, (step, packed)) in layers.enumerate() {
            let slot = plan.places[number];
            let size = packed.vectors() * positions * step.reach.cells();
            let mut output = core::mem::take(&mut self.slots[slot]);
            // What is added lies where the sum goes, and is then as large.
            output.resize(size, Lanes::ZERO);
            let mut input = match step.from {
                None => &self.input,
                Some(from) => &self.slots[plan.places[from]],
            };
            if let (true, Some(from)) = (step.flatten, step.from) {
                let channels = network.steps()[from].outputs;
                flatten(input, channels, positions, &mut self.flat);
                input = &self.flat;
            }
            let finish = Finish {
                add: step.add.is_some(),
                rectify: step.rectify,
            };
            let scratch = &mut self.scratch;
            product(self.set, packed, input, &mut output, finish, scratch);
            self.slots[slot] = output;
        }
        let last = plan.places.len() - 1;
        let policy = &self.slots[plan.places[last - 1]];
        let outcome = &self.slots[plan.places[last]];
        for position in 0..positions {
            let logits = &mut self.predictions.logits[(first + position) * encoding.moves..];
            let logits = logits[..encoding.moves].chunks_mut(LANES);
            for (sixteen, logits) in logits.enumerate() {
                let from = &policy[sixteen * positions + position];
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

/// Where each layer's output lies while a network computes: several use one
/// place, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The slot of each step's output.
    pub(super) places: Vec<usize>,
    pub(super) slots: usize,
}

impl Plan {
    pub(super) fn new(steps: &[Step]) -> Self {
        // The last two steps are the answers, and are kept.
        let mut last_use: Vec<usize> = (0..steps.len()).collect();
        for (number, step) in steps.iter().enumerate() {
            for used in [step.from, step.add].into_iter().flatten() {
                last_use[used] = number;
            }
        }
        for answer in last_use.iter_mut().rev().take(2) {
            *answer = steps.len();
        }
        let mut busy_until: Vec<usize> = Vec::new();
        let mut places: Vec<usize> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            // What is added is needed no longer, and the sum takes its place.
            let place = step.add.map_or_else(
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
