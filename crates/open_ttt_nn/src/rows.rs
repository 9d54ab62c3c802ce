use super::kernel::{Finish, LANES, Lanes};
use super::simd::{Registers, Simd};

/// Rows of numbers times weights: where the time of a network goes.
///
/// A row's numbers stand sixteen by sixteen, each sixteen among those of the other
/// rows, so that a step from row to row is known when this is compiled:
///
/// ```text
///          numbers 0 to 15     numbers 16 to 31
///  row 0   input[0]            input[stride]
///  row 1   input[1]            input[stride + 1]
/// ```
///
/// A number is spread over a register and multiplied by the weights of sixteen
/// outputs; the sums of many rows stay in registers (Goto and van de Geijn 2008).
pub(super) struct Rows<'a> {
    pub(super) input: &'a [Lanes],
    /// How many rows the input's sixteens are apart.
    pub(super) stride: usize,
    /// How often each row has its channels: one part after the other.
    pub(super) taps: usize,
    /// How many numbers a part has; the rest of its last sixteen is not read.
    pub(super) channels: usize,
    /// For each sixteen outputs, each part and each channel, a weight for each of
    /// the outputs.
    pub(super) weights: &'a [Lanes],
    /// What each sixteen outputs begin with; zeros if there are none.
    pub(super) biases: &'a [Lanes],
    pub(super) output: &'a mut [Lanes],
    /// How many rows the output's sixteens are apart.
    pub(super) output_stride: usize,
    /// The first row of the output.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) finish: Finish,
}

impl Rows<'_> {
    /// Each output is what it begins with, plus the products in the order of the
    /// channels, plus what was there before.
    #[inline(always)]
    pub(super) fn multiply<S: Simd>(&mut self, simd: S) {
        let inner = self.taps * self.channels;
        let vectors = self.weights.len() / inner;
        let mut vector = 0;
        if S::REGISTERS == Registers::ThirtyTwo {
            while vector + 2 <= vectors {
                let mut row = 0;
                while row < self.count {
                    // Not twelve and four, for four rows are few to wait for a sum.
                    row += match self.count - row {
                        16 | 8..12 => self.tile::<S, 8, 2>(simd, vector, row),
                        12.. => self.tile::<S, 12, 2>(simd, vector, row),
                        4..8 => self.tile::<S, 4, 2>(simd, vector, row),
                        _ => self.tile::<S, 1, 2>(simd, vector, row),
                    };
                }
                vector += 2;
            }
        }
        while vector < vectors {
            let mut row = 0;
            while row < self.count {
                row += match (S::REGISTERS, self.count - row) {
                    (Registers::ThirtyTwo, 12..) => self.tile::<S, 12, 1>(simd, vector, row),
                    (Registers::ThirtyTwo | Registers::Sixteen, 6..) => {
                        self.tile::<S, 6, 1>(simd, vector, row)
                    }
                    (Registers::ThirtyTwo | Registers::Sixteen, 4..) => {
                        self.tile::<S, 4, 1>(simd, vector, row)
                    }
                    (_, 2..) => self.tile::<S, 2, 1>(simd, vector, row),
                    _ => self.tile::<S, 1, 1>(simd, vector, row),
                };
            }
            vector += 1;
        }
    }

    /// `ROWS` rows from one on, of `TOGETHER` sixteens of outputs. Returns how many
    /// rows they are.
    #[inline(always)]
    fn tile<S: Simd, const ROWS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        vector: usize,
        row: usize,
    ) -> usize {
        let mut sums = [[simd.zero(); TOGETHER]; ROWS];
        if !self.biases.is_empty() {
            let mut begin = [simd.zero(); TOGETHER];
            for (at, begin) in begin.iter_mut().enumerate() {
                *begin = simd.load(&self.biases[vector + at]);
            }
            sums = [begin; ROWS];
        }
        self.accumulate(simd, &mut sums, vector, row);
        for at in 0..TOGETHER {
            let to = (vector + at) * self.output_stride + self.first + row;
            // An array, for with any other length the sums would be kept in memory.
            let Some(to) = self.output[to..].first_chunk_mut::<ROWS>() else {
                return ROWS;
            };
            for (to, sums) in to.iter_mut().zip(&sums) {
                let mut sum = sums[at];
                if self.finish.add {
                    sum = simd.add(sum, simd.load(to));
                }
                if self.finish.rectify {
                    sum = simd.max(simd.zero(), sum);
                }
                simd.store(to, sum);
            }
        }
        ROWS
    }

    #[inline(always)]
    fn accumulate<S: Simd, const ROWS: usize, const TOGETHER: usize>(
        &self,
        simd: S,
        sums: &mut [[S::V; TOGETHER]; ROWS],
        vector: usize,
        row: usize,
    ) {
        let inner = self.taps * self.channels;
        let mut sixteen = row;
        for tap in 0..self.taps {
            for channel in (0..self.channels).step_by(LANES) {
                let count = LANES.min(self.channels - channel);
                let Some(numbers) = self.input[sixteen..].first_chunk::<ROWS>() else {
                    return;
                };
                sixteen += self.stride;
                let mut weights: [&[Lanes]; TOGETHER] = [&[]; TOGETHER];
                for (at, weights) in weights.iter_mut().enumerate() {
                    let begin = (vector + at) * inner + tap * self.channels + channel;
                    *weights = &self.weights[begin..][..count];
                }
                for k in 0..count.min(LANES) {
                    let mut weight = [simd.zero(); TOGETHER];
                    for (weight, weights) in weight.iter_mut().zip(&weights) {
                        *weight = simd.load(&weights[k]);
                    }
                    for (sums, numbers) in sums.iter_mut().zip(numbers) {
                        let number = simd.splat(numbers.0[k]);
                        for (sum, &weight) in sums.iter_mut().zip(&weight) {
                            *sum = simd.mul_add(number, weight, *sum);
                        }
                    }
                }
            }
        }
    }
}
