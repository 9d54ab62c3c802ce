use core::ops::Range;

use open_ttt_lib::rules::{Encode, Encoding};

/// Positions to learn from, and what is known about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    encoding: Encoding,
    /// The positions as numbers, one after the other.
    planes: Vec<f32>,
    /// For each position and each move, how good it is; less than 0 for moves
    /// that are not legal.
    policies: Vec<f32>,
    values: Vec<f32>,
    auxiliaries: Vec<f32>,
}

/// What stands in place of the share of a move that is not legal.
const ILLEGAL: f32 = -1.0;

impl Batch {
    /// A batch of no positions yet, written like this.
    pub const fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            planes: Vec::new(),
            policies: Vec::new(),
            values: Vec::new(),
            auxiliaries: Vec::new(),
        }
    }

    /// Adds a position.
    ///
    /// `policy` names each legal move once, with a weight from 0 up; the larger,
    /// the better the move. The weights are scaled to add up to 1; if they add up
    /// to 0, nothing is said about the moves. `value` is how the game ends for the
    /// side to move, from -1 to 1, and `auxiliary` what the network is to tell
    /// besides, for example the plies to the end in a unit of a hundred.
    ///
    /// # Panics
    ///
    /// If the position is written otherwise than the batch.
    pub fn push<G: Encode>(
        &mut self,
        position: &G,
        policy: impl IntoIterator<Item = (G::Move, f32)>,
        value: f32,
        auxiliary: f32,
    ) {
        let encoding = position.encoding();
        assert_eq!(encoding, self.encoding, "positions are written alike");
        let first = self.planes.len();
        self.planes.resize(first + encoding.inputs(), 0.0);
        position.encode(&mut self.planes[first..]);
        let first = self.policies.len();
        self.policies.resize(first + encoding.moves, ILLEGAL);
        let shares = &mut self.policies[first..];
        let mut sum = 0.0;
        for (m, weight) in policy {
            shares[position.move_index(m)] = weight;
            sum += weight;
        }
        let scale = if sum == 0.0 { 0.0 } else { 1.0 / sum };
        for share in shares.iter_mut().filter(|share| **share != ILLEGAL) {
            *share *= scale;
        }
        self.values.push(value);
        self.auxiliaries.push(auxiliary);
    }

    /// Forgets the positions, and keeps their memory.
    pub fn clear(&mut self) {
        self.planes.clear();
        self.policies.clear();
        self.values.clear();
        self.auxiliaries.clear();
    }

    /// How many positions there are.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How positions are written.
    pub const fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Some of the positions as numbers, one after the other.
    pub(super) fn planes(&self, positions: Range<usize>) -> &[f32] {
        let inputs = self.encoding.inputs();
        &self.planes[positions.start * inputs..positions.end * inputs]
    }

    /// The legal moves of a position by index, with their shares.
    pub(super) fn policy(&self, position: usize) -> impl Iterator<Item = (usize, f32)> {
        let moves = self.encoding.moves;
        let shares = self.policies[position * moves..][..moves].iter();
        let shares = shares.copied().enumerate();
        // A share that is no number is no mark of an illegal move.
        shares.filter(|&(_, share)| share != ILLEGAL)
    }

    pub(super) fn value(&self, position: usize) -> f32 {
        self.values[position]
    }

    pub(super) fn auxiliary(&self, position: usize) -> f32 {
        self.auxiliaries[position]
    }
}
