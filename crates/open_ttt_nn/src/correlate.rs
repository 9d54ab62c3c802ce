use core::ops::Range;

use super::kernel::{InstructionSet, LANES, Lanes};
use super::reach::{Reach, Run};
use super::simd::{Kernel, Registers, Simd};
use super::winograd::{self, Tiling};

/// Adds to the gradient of each weight and bias what a group tells about it: the
/// products of what went in and the gradient of what came out, over all positions
/// and cells; for a bias, the latter's sum. `weights` stands as in
/// [`Packed::set`](super::kernel::Packed::set). `scratch` is memory to be used
/// again.
///
/// The sums are the same on AVX2 and AVX-512.
///
/// # Panics
///
/// Unless the slices are groups of as many positions, and the gradient of the shape
/// of the weights.
pub fn correlate(
    set: InstructionSet,
    reach: &Reach,
    input: &[Lanes],
    output_gradient: &[Lanes],
    (weights, biases): (&mut [f32], &mut [f32]),
    scratch: &mut Vec<Lanes>,
) {
    let (outputs, kernel) = (biases.len(), reach.kernel());
    let channels = weights.len() / (outputs * kernel);
    let output_vectors = outputs.div_ceil(LANES);
    let positions = output_gradient.len() / (reach.cells() * output_vectors);
    assert_eq!(weights.len(), outputs * channels * kernel);
    assert_eq!(
        output_gradient.len(),
        positions * reach.cells() * output_vectors
    );
    assert_eq!(
        input.len(),
        positions * reach.cells() * channels.div_ceil(LANES)
    );
    let (groups, sizes) = ((input, output_gradient), (channels, outputs));
    if let Some(tiling) = Tiling::of(reach, channels.min(outputs)) {
        winograd::correlate(set, tiling, groups, sizes, weights, scratch);
    } else {
        direct(set, reach, groups, sizes, weights, scratch);
    }
    scratch.resize(scratch.len().max(output_vectors), Lanes::ZERO);
    let sums = &mut scratch[..output_vectors];
    set.run(Totals {
        gradients: output_gradient,
        sums: &mut *sums,
    });
    for (bias, sum) in biases.iter_mut().zip(sums.iter().flat_map(|sums| sums.0)) {
        *bias += sum;
    }
}

/// The gradients of the weights, cell by cell.
fn direct(
    set: InstructionSet,
    reach: &Reach,
    (input, output_gradient): (&[Lanes], &[Lanes]),
    (channels, outputs): (usize, usize),
    weights: &mut [f32],
    scratch: &mut Vec<Lanes>,
) {
    let (kernel, vectors) = (reach.kernel(), outputs.div_ceil(LANES));
    let all_cells = output_gradient.len() / vectors;
    // Cell by cell and position by position is the same where each is made of
    // itself.
    let all = [vec![Run {
        from: 0,
        to: 0,
        length: all_cells,
    }]];
    let (runs, cells) = if kernel == 1 {
        (&all[..], all_cells)
    } else {
        (reach.runs(), reach.cells())
    };
    let inner = kernel * channels.next_multiple_of(MOST_CHANNELS);
    let length = vectors * inner;
    if scratch.len() < length {
        scratch.resize(length, Lanes::ZERO);
    }
    let sums = &mut scratch[..length];
    sums.fill(Lanes::ZERO);
    set.run(Blocks {
        runs,
        input,
        output_gradient,
        positions: all_cells / cells,
        cells,
        vectors,
        channels: channels.next_multiple_of(MOST_CHANNELS),
        sums: &mut *sums,
    });
    for (output, weights) in weights.chunks_exact_mut(kernel * channels).enumerate() {
        let (vector, lane) = (output / LANES, output % LANES);
        let sums = &sums[vector * inner..][..inner];
        for (channel, weights) in weights.chunks_exact_mut(kernel).enumerate() {
            for (tap, weight) in weights.iter_mut().enumerate() {
                *weight += sums[inner / kernel * tap + channel].0[lane];
            }
        }
    }
}

/// The sum of each sixteen's gradients.
struct Totals<'a> {
    gradients: &'a [Lanes],
    sums: &'a mut [Lanes],
}

impl Kernel for Totals<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let rows = self.gradients.len() / self.sums.len();
        for (sum, gradients) in self.sums.iter_mut().zip(self.gradients.chunks_exact(rows)) {
            let mut total = simd.zero();
            for gradient in gradients {
                total = simd.add(total, simd.load(gradient));
            }
            simd.store(sum, total);
        }
    }
}

/// Adds up products of what went in and of slopes, for all weights.
pub(super) struct Blocks<'a, R> {
    /// For each weight of the kernel, the cells that it joins.
    pub(super) runs: &'a [R],
    pub(super) input: &'a [Lanes],
    pub(super) output_gradient: &'a [Lanes],
    pub(super) positions: usize,
    pub(super) cells: usize,
    /// How many sixteens of outputs there are.
    pub(super) vectors: usize,
    /// A whole number of times `MOST_CHANNELS`.
    pub(super) channels: usize,
    /// For each sixteen outputs, each tap and each channel, sixteen sums.
    pub(super) sums: &'a mut [Lanes],
}

/// How many channels are looked at together at most.
pub(super) const MOST_CHANNELS: usize = 8;
/// So many cells are looked at together for all weights, and so stay near.
const NEAR: usize = 96;

impl<R: AsRef<[Run]>> Kernel for Blocks<'_, R> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let together = (NEAR / self.cells).max(1);
        for first in (0..self.positions).step_by(together) {
            let end = self.positions.min(first + together);
            self.add_up(simd, first..end);
        }
    }
}

impl<R: AsRef<[Run]>> Blocks<'_, R> {
    /// Those of some positions.
    #[inline(always)]
    pub(super) fn add_up<S: Simd>(&mut self, simd: S, positions: Range<usize>) {
        match S::REGISTERS {
            Registers::ThirtyTwo => self.outputs::<S, 8, 2>(simd, positions),
            Registers::Sixteen => self.outputs::<S, 4, 1>(simd, positions),
            Registers::SixteenOfFour => self.outputs::<S, 2, 1>(simd, positions),
        }
    }

    /// For all outputs, `TOGETHER` sixteens of them at a time.
    #[inline(always)]
    fn outputs<S: Simd, const CHANNELS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        positions: Range<usize>,
    ) {
        let whole = self.vectors - self.vectors % TOGETHER;
        for vector in (0..whole).step_by(TOGETHER) {
            self.weights::<S, CHANNELS, TOGETHER>(simd, &positions, vector);
        }
        for vector in whole..self.vectors {
            self.weights::<S, CHANNELS, 1>(simd, &positions, vector);
        }
    }

    /// All taps and channels, `CHANNELS` of these at a time.
    #[inline(always)]
    fn weights<S: Simd, const CHANNELS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        positions: &Range<usize>,
        vector: usize,
    ) {
        for tap in 0..self.runs.len() {
            for channel in (0..self.channels).step_by(CHANNELS) {
                self.block::<S, CHANNELS, TOGETHER>(simd, positions, vector, tap, channel);
            }
        }
    }

    #[inline(always)]
    fn block<S: Simd, const CHANNELS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        positions: &Range<usize>,
        vector: usize,
        tap: usize,
        channel: usize,
    ) {
        let mut sums = [[simd.zero(); TOGETHER]; CHANNELS];
        let inner = self.runs.len() * self.channels;
        for at in 0..TOGETHER {
            let from = (vector + at) * inner + tap * self.channels + channel;
            if let Some(from) = self.sums[from..].first_chunk::<CHANNELS>() {
                for (sums, from) in sums.iter_mut().zip(from) {
                    sums[at] = simd.load(from);
                }
            }
        }
        let (sixteen, lane) = (channel / LANES, channel % LANES);
        for position in positions.clone() {
            let cells = |sixteen: usize| (sixteen * self.positions + position) * self.cells;
            for run in self.runs[tap].as_ref() {
                let input = &self.input[cells(sixteen) + run.from..][..run.length];
                let mut gradients: [&[Lanes]; TOGETHER] = [&[]; TOGETHER];
                for (at, gradients) in gradients.iter_mut().enumerate() {
                    *gradients = &self.output_gradient[cells(vector + at) + run.to..][..run.length];
                }
                for (cell, numbers) in input.iter().enumerate() {
                    let mut gradient = [simd.zero(); TOGETHER];
                    for (gradient, gradients) in gradient.iter_mut().zip(&gradients) {
                        *gradient = simd.load(&gradients[cell]);
                    }
                    let numbers = numbers.0.as_chunks::<CHANNELS>().0;
                    let numbers = &numbers[lane / CHANNELS];
                    for (sums, &number) in sums.iter_mut().zip(numbers) {
                        let number = simd.splat(number);
                        for (sum, &gradient) in sums.iter_mut().zip(&gradient) {
                            *sum = simd.mul_add(number, gradient, *sum);
                        }
                    }
                }
            }
        }
        for at in 0..TOGETHER {
            let to = (vector + at) * inner + tap * self.channels + channel;
            if let Some(to) = self.sums[to..].first_chunk_mut::<CHANNELS>() {
                for (sums, to) in sums.iter().zip(to) {
                    simd.store(to, sums[at]);
                }
            }
        }
    }
}
