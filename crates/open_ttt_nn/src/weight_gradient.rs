use core::ops::Range;

use super::conv_shape::{ConvShape, Span};
use super::kernel::{InstructionSet, LANES, Lanes, sized};
use super::simd::{Kernel, Registers, Simd};
use super::winograd::{self, Tiling};

/// Adds a batch's gradient of the weights and biases: the products of input and output
/// gradient, summed over all positions and cells; for a bias, the sum of the output
/// gradient. `weights` is ordered as in [`PackedWeights::set`](super::kernel::PackedWeights::set).
/// `scratch` is reusable memory.
///
/// The sums are the same on AVX2 and AVX-512.
///
/// # Panics
///
/// If the slices are not batches of equally many positions, or the gradient has not the
/// shape of the weights.
pub fn weight_gradient(
    set: InstructionSet,
    shape: &ConvShape,
    input: &[Lanes],
    output_gradient: &[Lanes],
    (weights, biases): (&mut [f32], &mut [f32]),
    scratch: &mut Vec<Lanes>,
) {
    let (outputs, kernel) = (biases.len(), shape.kernel());
    let channels = weights.len() / (outputs * kernel);
    let output_vectors = outputs.div_ceil(LANES);
    let all_cells = output_gradient.len() / output_vectors;
    assert_eq!(weights.len(), outputs * channels * kernel);
    assert_eq!(output_gradient.len(), all_cells * output_vectors);
    assert!(all_cells.is_multiple_of(shape.cells()));
    assert_eq!(input.len(), all_cells * channels.div_ceil(LANES));
    let (groups, sizes) = ((input, output_gradient), (channels, outputs));
    if let Some(tiling) = Tiling::of(shape, channels.min(outputs)) {
        winograd::weight_gradient(set, tiling, groups, sizes, weights, scratch);
    } else {
        direct(set, shape, groups, sizes, weights, scratch);
    }
    let sums = sized(scratch, output_vectors);
    set.run(BiasGradient {
        gradients: output_gradient,
        sums: &mut *sums,
    });
    for (bias, sum) in biases.iter_mut().zip(sums.iter().flat_map(|sums| sums.0)) {
        *bias += sum;
    }
}

/// The gradients of the weights without Winograd's transforms.
fn direct(
    set: InstructionSet,
    shape: &ConvShape,
    (input, output_gradient): (&[Lanes], &[Lanes]),
    (channels, outputs): (usize, usize),
    weights: &mut [f32],
    scratch: &mut Vec<Lanes>,
) {
    let (kernel, vectors) = (shape.kernel(), outputs.div_ceil(LANES));
    let all_cells = output_gradient.len() / vectors;
    // A one by one kernel makes no difference between cells and positions.
    let all = [vec![Span::new(0, 0, all_cells)]];
    let (spans, cells) = if kernel == 1 {
        (&all[..], all_cells)
    } else {
        (shape.spans(), shape.cells())
    };
    let inner = kernel * channels.next_multiple_of(CHANNEL_BLOCK);
    let length = vectors * inner;
    let sums = sized(scratch, length);
    sums.fill(Lanes::ZERO);
    set.run(WeightGradient {
        spans,
        input,
        output_gradient,
        positions: all_cells / cells,
        cells,
        vectors,
        channels: channels.next_multiple_of(CHANNEL_BLOCK),
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

/// The sum of each vector's gradients.
struct BiasGradient<'a> {
    gradients: &'a [Lanes],
    sums: &'a mut [Lanes],
}

impl Kernel for BiasGradient<'_> {
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

/// Sums the products of input and output gradient for all weights.
pub(super) struct WeightGradient<'a, R> {
    /// For each weight of the kernel, the cells that it connects.
    pub(super) spans: &'a [R],
    pub(super) input: &'a [Lanes],
    pub(super) output_gradient: &'a [Lanes],
    pub(super) positions: usize,
    pub(super) cells: usize,
    /// The vectors of outputs.
    pub(super) vectors: usize,
    /// A multiple of `CHANNEL_BLOCK`.
    pub(super) channels: usize,
    /// For each vector of outputs, each tap and each channel, the sums.
    pub(super) sums: &'a mut [Lanes],
}

/// The most channels of a block.
pub(super) const CHANNEL_BLOCK: usize = 8;
/// The cells of a block, which stay in the cache for all weights.
const CACHED_CELLS: usize = 96;

impl<R: AsRef<[Span]>> Kernel for WeightGradient<'_, R> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let together = (CACHED_CELLS / self.cells).max(1);
        for first in (0..self.positions).step_by(together) {
            let end = self.positions.min(first + together);
            self.accumulate_block(simd, first..end);
        }
    }
}

impl<R: AsRef<[Span]>> WeightGradient<'_, R> {
    /// Adds the products of some positions.
    #[inline(always)]
    pub(super) fn accumulate_block<S: Simd>(&mut self, simd: S, positions: Range<usize>) {
        match S::REGISTERS {
            Registers::ThirtyTwo => self.outputs::<S, 8, 2>(simd, positions),
            Registers::Eight => self.outputs::<S, 4, 1>(simd, positions),
            Registers::Four => self.outputs::<S, 2, 1>(simd, positions),
        }
    }

    /// For all outputs, `TOGETHER` vectors at a time.
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

    /// For all taps and channels, `CHANNELS` channels at a time.
    #[inline(always)]
    fn weights<S: Simd, const CHANNELS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        positions: &Range<usize>,
        vector: usize,
    ) {
        for tap in 0..self.spans.len() {
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
        let inner = self.spans.len() * self.channels;
        for at in 0..TOGETHER {
            let from = (vector + at) * inner + tap * self.channels + channel;
            if let Some(from) = self.sums[from..].first_chunk::<CHANNELS>() {
                for (sums, from) in sums.iter_mut().zip(from) {
                    sums[at] = simd.load(from);
                }
            }
        }
        let (vector_in, lane) = (channel / LANES, channel % LANES);
        for position in positions.clone() {
            let cells = |vector: usize| (vector * self.positions + position) * self.cells;
            for span in self.spans[tap].as_ref() {
                let input = &self.input[cells(vector_in) + span.from..][..span.length];
                let mut gradients: [&[Lanes]; TOGETHER] = [&[]; TOGETHER];
                for (at, gradients) in gradients.iter_mut().enumerate() {
                    *gradients =
                        &self.output_gradient[cells(vector + at) + span.to..][..span.length];
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
