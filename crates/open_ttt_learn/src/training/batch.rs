use core::ops::Range;

use open_ttt_lib::rules::{Encode, Encoding};

/// Training positions and their targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    encoding: Encoding,
    /// The encoded positions, one after the other.
    planes: Vec<f32>,
    /// The policy target of each position, by move index; [`ILLEGAL`] for illegal moves.
    policies: Vec<f32>,
    pub(super) values: Vec<f32>,
    pub(super) auxiliaries: Vec<f32>,
}

/// Marks an illegal move.
const ILLEGAL: f32 = -1.0;

impl Batch {
    /// An empty batch of positions with this encoding.
    pub const fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            planes: Vec::new(),
            policies: Vec::new(),
            values: Vec::new(),
            auxiliaries: Vec::new(),
        }
    }

    /// Adds a position and its targets.
    ///
    /// `policy` lists each legal move once, with a weight of at least 0. The weights are
    /// normalized to a sum of 1; weights of 0 alone make no policy target. `value` is the
    /// game's result for the side to move, from -1 to 1. `auxiliary` is another number
    /// to predict, such as the plies left in units of a hundred.
    ///
    /// # Panics
    ///
    /// If the position's encoding isn't the batch's.
    pub fn push<G: Encode>(
        &mut self,
        position: &G,
        policy: impl IntoIterator<Item = (G::Move, f32)>,
        value: f32,
        auxiliary: f32,
    ) {
        let encoding = position.encoding();
        assert_eq!(encoding, self.encoding, "all positions have one encoding");
        let first = self.planes.len();
        self.planes.resize(first + encoding.inputs(), 0.0);
        position.encode(&mut self.planes[first..]);
        let first = self.policies.len();
        self.policies.resize(first + encoding.moves, ILLEGAL);
        let target = &mut self.policies[first..];
        let mut sum = 0.0;
        for (m, weight) in policy {
            target[position.move_index(m)] = weight;
            sum += weight;
        }
        let scale = if sum == 0.0 { 0.0 } else { 1.0 / sum };
        for probability in target.iter_mut().filter(|target| **target != ILLEGAL) {
            *probability *= scale;
        }
        self.values.push(value);
        self.auxiliaries.push(auxiliary);
    }

    /// Removes all positions and keeps the memory.
    pub fn clear(&mut self) {
        self.planes.clear();
        self.policies.clear();
        self.values.clear();
        self.auxiliaries.clear();
    }

    /// The number of positions.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no positions.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The encoding of the positions.
    pub const fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The encodings of some positions, one after the other.
    pub(super) fn planes(&self, positions: Range<usize>) -> &[f32] {
        let inputs = self.encoding.inputs();
        &self.planes[positions.start * inputs..positions.end * inputs]
    }

    /// The legal moves of a position, by index, with their target probabilities.
    pub(super) fn policy(&self, position: usize) -> impl Iterator<Item = (usize, f32)> {
        let moves = self.encoding.moves;
        let target = &self.policies[position * moves..][..moves];
        let target = target.iter().copied().enumerate();
        // NaN passes: it isn't the mark of an illegal move.
        target.filter(|&(_, probability)| probability != ILLEGAL)
    }
}
