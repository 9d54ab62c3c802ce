use super::architecture::{OUTCOMES, Step};
use super::kernel::{Finish, InstructionSet, LANES, Lanes, product};
use super::math::{exp, tanh};
use super::network::Network;
use super::winograd::convolve;

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
    /// [indices](crate::rules::IndexedMoves::move_index).
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

/// Memory in which a network computes; used again from batch to batch.
#[derive(Clone, Debug)]
pub struct Workspace {
    set: InstructionSet,
    input: Vec<Lanes>,
    slots: Vec<Vec<Lanes>>,
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
        for (group, planes) in planes.chunks(2 * LANES * inputs).enumerate() {
            self.group(network, planes, group * 2 * LANES);
        }
        &self.predictions
    }

    /// Computes up to 32 positions, the first of which has this number.
    fn group(&mut self, network: &Network, planes: &[f32], first: usize) {
        let encoding = network.encoding();
        let count = planes.len() / encoding.inputs();
        let width = count.div_ceil(LANES);
        self.input.clear();
        self.input.resize(encoding.inputs() * width, Lanes::ZERO);
        stand_side_by_side(planes, encoding.planes, encoding.cells(), &mut self.input);
        let plan = network.plan();
        self.slots.resize(plan.slots, Vec::new());
        let weights = network.packed().iter().zip(network.tiled());
        for (number, (step, (packed, tiled))) in network.steps().iter().zip(weights).enumerate() {
            let slot = plan.places[number];
            let size = step.size() * width;
            let mut output = core::mem::take(&mut self.slots[slot]);
            // What is added lies where the sum goes, and is then as large.
            output.resize(size, Lanes::ZERO);
            let input = match step.from {
                None => &self.input,
                Some(from) => &self.slots[plan.places[from]],
            };
            let finish = Finish {
                add: step.add.is_some(),
                rectify: step.rectify,
            };
            match tiled {
                Some(tiled) => {
                    let scratch = &mut self.scratch;
                    convolve(self.set, tiled, input, &mut output, finish, scratch);
                }
                None => product(self.set, &step.reach, packed, input, &mut output, finish),
            }
            self.slots[slot] = output;
        }
        let last = plan.places.len() - 1;
        let policy = &self.slots[plan.places[last - 1]];
        let outcome = &self.slots[plan.places[last]];
        for position in 0..count {
            let (at, lane) = (position / LANES, position % LANES);
            let logits = &mut self.predictions.logits[(first + position) * encoding.moves..];
            for (index, logit) in logits.iter_mut().take(encoding.moves).enumerate() {
                *logit = policy[index * width + at].0[lane];
            }
            let [value, auxiliary]: [f32; OUTCOMES] =
                core::array::from_fn(|number| outcome[number * width + at].0[lane]);
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

/// Writes positions, each plane by plane and cell by cell, as a group: cell by
/// cell, plane by plane, the positions side by side.
///
/// # Panics
///
/// If there are more positions than the group has room for.
pub fn stand_side_by_side(positions: &[f32], planes: usize, cells: usize, group: &mut [Lanes]) {
    let width = group.len() / (planes * cells);
    for (position, numbers) in positions.chunks_exact(planes * cells).enumerate() {
        let (at, lane) = (position / LANES, position % LANES);
        assert!(at < width, "the group has room for every position");
        for (plane, numbers) in numbers.chunks_exact(cells).enumerate() {
            for (cell, &number) in numbers.iter().enumerate() {
                group[(cell * planes + plane) * width + at].0[lane] = number;
            }
        }
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
