use super::super::conv_shape::Span;
use super::super::kernel::{InstructionSet, LANES, Lanes, sized};
use super::super::simd::{Kernel, Simd};
use super::super::weight_gradient::{CHANNEL_BLOCK, WeightGradient};
use super::matrices::{InputTransform, OutputGradientTransform, inverse_transform_weights};
use super::points::Points;
use super::tiling::{POINTS_OF_FOUR, Tiling};

/// The most tiles of a block, if a position does not have more: enough to amortize
/// loading the sums, few enough to stay in the cache.
const MAX_TILES: usize = 32;

/// As [`weight_gradient`](super::super::kernel::weight_gradient), up to rounding.
pub(in super::super) fn weight_gradient(
    set: InstructionSet,
    tiling: Tiling,
    (input, output_gradient): (&[Lanes], &[Lanes]),
    (channels, outputs): (usize, usize),
    weights: &mut [f32],
    scratch: &mut Vec<Lanes>,
) {
    let (input_vectors, vectors) = (channels.div_ceil(LANES), outputs.div_ceil(LANES));
    let positions = output_gradient.len() / (tiling.cells() * vectors);
    let points = Points::new(tiling, positions, MAX_TILES);
    let (down, right) = (tiling.rows.points(), tiling.columns.points());
    let padded_channels = channels.next_multiple_of(CHANNEL_BLOCK);
    let all_sums = vectors * down * right * padded_channels;
    let length = points.stride * (input_vectors + vectors) + all_sums;
    let (sums, both) = sized(scratch, length).split_at_mut(all_sums);
    let (input_points, gradient_points) = both.split_at_mut(points.stride * input_vectors);
    sums.fill(Lanes::ZERO);
    set.run(WinogradGradient {
        points,
        input,
        output_gradient,
        input_points,
        gradient_points,
        vectors,
        channels: padded_channels,
        sums,
    });
    let sums = &*sums;
    for vector in 0..vectors {
        for channel in 0..channels {
            let taps = inverse_transform(|row, column| {
                let is_there = row < down && column < right;
                let point = vector * down * right + row * right + column;
                is_there.then(|| &sums[point * padded_channels + channel])
            });
            let outputs = vector * LANES..outputs.min((vector + 1) * LANES);
            for (lane, output) in outputs.enumerate() {
                let weights = &mut weights[(output * channels + channel) * 9..][..9];
                for (weight, tap) in weights.iter_mut().zip(taps.as_flattened()) {
                    *weight += tap.0[lane];
                }
            }
        }
    }
}

/// Transforms the sums at the points back to three by three weights.
fn inverse_transform<'a>(at: impl Fn(usize, usize) -> Option<&'a Lanes>) -> [[Lanes; 3]; 3] {
    let columns: [[Lanes; 3]; POINTS_OF_FOUR] = core::array::from_fn(|column| {
        inverse_transform_weights(core::array::from_fn(|row| {
            at(row, column).unwrap_or(&Lanes::ZERO)
        }))
    });
    core::array::from_fn(|row| {
        inverse_transform_weights(columns.each_ref().map(|column| &column[row]))
    })
}

struct WinogradGradient<'a> {
    points: Points,
    input: &'a [Lanes],
    output_gradient: &'a [Lanes],
    /// Both, transformed.
    input_points: &'a mut [Lanes],
    gradient_points: &'a mut [Lanes],
    vectors: usize,
    channels: usize,
    /// For each vector of outputs, each point and each channel, the sums.
    sums: &'a mut [Lanes],
}

impl Kernel for WinogradGradient<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Tiling { rows, columns } = self.points.tiling;
        let mut spans = Vec::with_capacity(rows.points() * columns.points());
        for part in self.points.parts() {
            part.transform::<S, InputTransform>(simd, self.input, self.input_points);
            let (gradient, points) = (self.output_gradient, &mut *self.gradient_points);
            part.transform::<S, OutputGradientTransform>(simd, gradient, points);
            spans.clear();
            for down in 0..rows.points() {
                for right in 0..columns.points() {
                    let (first, length) = part.rows(down, right);
                    spans.push([Span::new(first, first, length)]);
                }
            }
            WeightGradient {
                spans: &spans,
                input: self.input_points,
                output_gradient: self.gradient_points,
                positions: 1,
                cells: part.stride,
                vectors: self.vectors,
                channels: self.channels,
                sums: self.sums,
            }
            .accumulate_block(simd, 0..1);
        }
    }
}
