use super::kernel::{Epilogue, LANES, Lanes};
use super::simd::{Registers, Simd};

/// A matrix product of rows of numbers and weights: most of a network's time.
///
/// A row is stored in vectors, each beside those of the other rows, so that the stride
/// from row to row is a compile-time constant:
///
/// ```text
///          numbers 0 to 15     numbers 16 to 31
///  row 0   input[0]            input[stride]
///  row 1   input[1]            input[stride + 1]
/// ```
///
/// A number is broadcast to a register and multiplied by the weights of sixteen
/// outputs; the sums of many rows stay in registers (Goto and van de Geijn 2008).
pub(super) struct Gemm<'a> {
    pub(super) input: &'a [Lanes],
    /// The distance of a row's vectors in the input, in rows.
    pub(super) stride: usize,
    /// The taps of a row: each has all channels.
    pub(super) taps: usize,
    /// The channels of a tap; the padding of its last vector is not read.
    pub(super) channels: usize,
    /// For each vector of outputs, each tap and each channel, the weights of these
    /// outputs.
    pub(super) weights: &'a [Lanes],
    /// The bias of each vector of outputs; zero if empty.
    pub(super) biases: &'a [Lanes],
    pub(super) output: &'a mut [Lanes],
    /// The distance of a row's vectors in the output, in rows.
    pub(super) output_stride: usize,
    /// The first row of the output.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) epilogue: Epilogue,
}

impl Gemm<'_> {
    /// Each output is the bias, plus the products in the order of the channels, plus the
    /// previous contents if the epilogue accumulates.
    #[inline(always)]
    pub(super) fn multiply<S: Simd>(&mut self, simd: S) {
        let inner = self.taps * self.channels;
        let vectors = self.weights.len() / inner;
        let mut vector = 0;
        if S::REGISTERS == Registers::ThirtyTwo {
            while vector + 2 <= vectors {
                let mut row = 0;
                while row < self.count {
                    // Not twelve and four: four rows are too few to hide the latency of a sum.
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
                    (Registers::ThirtyTwo | Registers::Eight, 6..) => {
                        self.tile::<S, 6, 1>(simd, vector, row)
                    }
                    (Registers::ThirtyTwo | Registers::Eight, 4..) => {
                        self.tile::<S, 4, 1>(simd, vector, row)
                    }
                    (_, 2..) => self.tile::<S, 2, 1>(simd, vector, row),
                    _ => self.tile::<S, 1, 1>(simd, vector, row),
                };
            }
            vector += 1;
        }
    }

    /// Computes `ROWS` rows of `TOGETHER` vectors of outputs. Returns `ROWS`.
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
            // An array, because with a dynamic length the sums would spill to memory.
            let Some(to) = self.output[to..].first_chunk_mut::<ROWS>() else {
                return ROWS;
            };
            for (to, sums) in to.iter_mut().zip(&sums) {
                self.epilogue.store(simd, sums[at], to);
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
        let mut at_row = row;
        for tap in 0..self.taps {
            for channel in (0..self.channels).step_by(LANES) {
                let count = LANES.min(self.channels - channel);
                let Some(numbers) = self.input[at_row..].first_chunk::<ROWS>() else {
                    return;
                };
                at_row += self.stride;
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
