use super::kernel::{InstructionSet, LANES, Lanes};
use super::reach::{Reach, Run};
use super::simd::{Kernel, Registers, Simd};

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
    // Cell by cell and position by position is the same where each is made of
    // itself.
    let all = [vec![Run {
        from: 0,
        to: 0,
        length: positions * reach.cells(),
    }]];
    let (runs, positions, cells) = if kernel == 1 {
        (&all[..], 1, positions * reach.cells())
    } else {
        (reach.runs(), positions, reach.cells())
    };
    let inner = kernel * channels.next_multiple_of(MOST_CHANNELS);
    let length = output_vectors * (inner + 1);
    if scratch.len() < length {
        scratch.resize(length, Lanes::ZERO);
    }
    let (sums, bias_sums) = scratch[..length].split_at_mut(output_vectors * inner);
    sums.fill(Lanes::ZERO);
    set.run(Correlate {
        runs,
        input,
        output_gradient,
        positions,
        cells,
        channels: channels.next_multiple_of(MOST_CHANNELS),
        sums,
        bias_sums,
    });
    for (output, (weights, bias)) in weights
        .chunks_exact_mut(kernel * channels)
        .zip(biases.iter_mut())
        .enumerate()
    {
        let (vector, lane) = (output / LANES, output % LANES);
        *bias += bias_sums[vector].0[lane];
        let sums = &sums[vector * inner..][..inner];
        for (channel, weights) in weights.chunks_exact_mut(kernel).enumerate() {
            for (tap, weight) in weights.iter_mut().enumerate() {
                *weight += sums[inner / kernel * tap + channel].0[lane];
            }
        }
    }
}

struct Correlate<'a> {
    runs: &'a [Vec<Run>],
    input: &'a [Lanes],
    output_gradient: &'a [Lanes],
    positions: usize,
    cells: usize,
    /// A whole number of times `MOST_CHANNELS`.
    channels: usize,
    /// For each sixteen outputs, each tap and each channel, sixteen sums.
    sums: &'a mut [Lanes],
    bias_sums: &'a mut [Lanes],
}

/// How many channels are looked at together at most.
const MOST_CHANNELS: usize = 8;
/// So many cells are looked at together for all weights, and so stay near.
const NEAR: usize = 96;

impl Kernel for Correlate<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let together = (NEAR / self.cells).max(1);
        for first in (0..self.positions).step_by(together) {
            let end = self.positions.min(first + together);
            match S::REGISTERS {
                Registers::ThirtyTwo => self.vectors::<S, 8, 2>(simd, first, end),
                Registers::Sixteen => self.vectors::<S, 4, 1>(simd, first, end),
                Registers::SixteenOfFour => self.vectors::<S, 2, 1>(simd, first, end),
            }
        }
        let rows = self.positions * self.cells;
        for (sum, gradients) in self
            .bias_sums
            .iter_mut()
            .zip(self.output_gradient.chunks_exact(rows))
        {
            let mut total = simd.zero();
            for gradient in gradients {
                total = simd.add(total, simd.load(gradient));
            }
            simd.store(sum, total);
        }
    }
}

impl Correlate<'_> {
    /// Some positions, for all outputs, `TOGETHER` sixteens of them at a time.
    #[inline(always)]
    fn vectors<S: Simd, const CHANNELS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        first: usize,
        end: usize,
    ) {
        let vectors = self.bias_sums.len();
        let whole = vectors - vectors % TOGETHER;
        for vector in (0..whole).step_by(TOGETHER) {
            self.weights::<S, CHANNELS, TOGETHER>(simd, first, end, vector);
        }
        for vector in whole..vectors {
            self.weights::<S, CHANNELS, 1>(simd, first, end, vector);
        }
    }

    /// All taps and channels, `CHANNELS` of these at a time.
    #[inline(always)]
    fn weights<S: Simd, const CHANNELS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        first: usize,
        end: usize,
        vector: usize,
    ) {
        for tap in 0..self.runs.len() {
            for channel in (0..self.channels).step_by(CHANNELS) {
                self.block::<S, CHANNELS, TOGETHER>(simd, (first, end), vector, tap, channel);
            }
        }
    }

    #[inline(always)]
    fn block<S: Simd, const CHANNELS: usize, const TOGETHER: usize>(
        &mut self,
        simd: S,
        (first, end): (usize, usize),
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
        for position in first..end {
            let cells = |sixteen: usize| (sixteen * self.positions + position) * self.cells;
            for run in &self.runs[tap] {
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
