use super::super::gemm::Gemm;
use super::super::kernel::{Epilogue, InstructionSet, LANES, Lanes, sized};
use super::super::simd::{Kernel, Simd};
use super::matrices::{InputTransform, inverse_transform_output, transform_weights};
use super::points::Points;
use super::tiling::{POINTS_OF_FOUR, Tiles, Tiling};

/// A layer's transformed weights.
#[derive(Clone, Debug)]
pub(in super::super) struct WinogradWeights {
    tiling: Tiling,
    channels: usize,
    outputs: usize,
    /// For each point, each vector of outputs and each channel, the weights of these
    /// outputs.
    weights: Vec<Lanes>,
}

impl WinogradWeights {
    pub(in super::super) fn new(tiling: Tiling, channels: usize, outputs: usize) -> Self {
        let points = tiling.rows.points() * tiling.columns.points();
        let vectors = outputs.div_ceil(LANES);
        Self {
            tiling,
            channels,
            outputs,
            weights: vec![Lanes::ZERO; points * vectors * channels],
        }
    }

    /// Transforms weights, ordered by vector of outputs, tap and channel.
    pub(in super::super) fn set(&mut self, weights: &[Lanes]) {
        let channels = self.channels;
        let (down, right) = (self.tiling.rows.points(), self.tiling.columns.points());
        let all = self.weights.len() / (down * right);
        for vector in 0..self.outputs.div_ceil(LANES) {
            let taps = &weights[vector * 9 * channels..][..9 * channels];
            for channel in 0..channels {
                let taps: [[&Lanes; 3]; 3] = core::array::from_fn(|row| {
                    core::array::from_fn(|column| &taps[(3 * row + column) * channels + channel])
                });
                let columns = taps.map(transform_weights);
                for up in 0..POINTS_OF_FOUR.min(right) {
                    let [a, b, c] = &columns;
                    let points = transform_weights([&a[up], &b[up], &c[up]]);
                    for (point, &weight) in points.iter().enumerate().take(down) {
                        let at = (point * right + up) * all + vector * channels + channel;
                        self.weights[at] = weight;
                    }
                }
            }
        }
    }

    /// As [`conv_forward`](super::super::kernel::conv_forward), up to rounding.
    pub(in super::super) fn convolve(
        &self,
        set: InstructionSet,
        (input, output): (&[Lanes], &mut [Lanes]),
        biases: &[Lanes],
        epilogue: Epilogue,
        scratch: &mut Vec<Lanes>,
    ) {
        let cells = self.tiling.cells();
        let positions = output.len() / (cells * biases.len());
        let points = Points::new(self.tiling, positions, MAX_TILES);
        let vectors = self.channels.div_ceil(LANES);
        let length = points.stride * (vectors + biases.len());
        let scratch = sized(scratch, length);
        let (input_points, products) = scratch.split_at_mut(points.stride * vectors);
        set.run(Convolution {
            weights: self,
            biases,
            input,
            output,
            epilogue,
            points,
            input_points,
            products,
        });
    }
}

/// The most tiles that are multiplied together, if a position does not have more: the
/// registers hold the sums of twelve.
const MAX_TILES: usize = 32;

struct Convolution<'a> {
    weights: &'a WinogradWeights,
    biases: &'a [Lanes],
    input: &'a [Lanes],
    output: &'a mut [Lanes],
    epilogue: Epilogue,
    points: Points,
    /// The transformed input, and its products with the weights.
    input_points: &'a mut [Lanes],
    products: &'a mut [Lanes],
}

impl Kernel for Convolution<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        for part in self.points.parts() {
            self.points = part;
            part.transform::<S, InputTransform>(simd, self.input, self.input_points);
            self.multiply(simd);
            part.tiling.each(&mut InverseTransform {
                simd,
                convolution: &mut self,
            });
        }
    }
}

/// Transforms the products of each tile back to the output.
struct InverseTransform<'a, 'b, S> {
    simd: S,
    convolution: &'a mut Convolution<'b>,
}

impl<S: Simd> Tiles for InverseTransform<'_, '_, S> {
    #[inline(always)]
    fn tile<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        let (simd, layer) = (self.simd, &mut *self.convolution);
        let tiling = &layer.weights.tiling;
        let all = tiling.cells();
        let cells = tiling.cells_from::<TALL, WIDE>(row, column, 0);
        let places = layer.points.places::<DOWN, RIGHT>(row, column);
        let mut lines = [[simd.zero(); RIGHT]; TALL];
        for vector in 0..layer.biases.len() {
            let bias = simd.load(&layer.biases[vector]);
            for position in 0..layer.points.together {
                let products = &layer.products[vector * layer.points.stride + position..];
                for right in 0..RIGHT {
                    let mut points = [simd.zero(); DOWN];
                    for (value, places) in points.iter_mut().zip(&places) {
                        *value = simd.load(&products[places[right]]);
                    }
                    let values: [S::V; TALL] = inverse_transform_output(simd, points);
                    for (line, value) in lines.iter_mut().zip(values) {
                        line[right] = value;
                    }
                }
                let output = &mut layer.output[layer.points.cells(vector, position)..][..all];
                for (&line, cells) in lines.iter().zip(&cells) {
                    let values: [S::V; WIDE] = inverse_transform_output(simd, line);
                    for (value, &cell) in values.into_iter().zip(cells) {
                        if let Some(to) = output.get_mut(cell) {
                            layer.epilogue.store(simd, simd.add(value, bias), to);
                        }
                    }
                }
            }
        }
    }
}

impl Convolution<'_> {
    #[inline(always)]
    fn multiply<S: Simd>(&mut self, simd: S) {
        let WinogradWeights {
            tiling,
            channels,
            weights,
            ..
        } = self.weights;
        let point_weights = self.biases.len() * channels;
        for down in 0..tiling.rows.points() {
            for right in 0..tiling.columns.points() {
                let (first, count) = self.points.rows(down, right);
                let point = down * tiling.columns.points() + right;
                Gemm {
                    input: &self.input_points[first..],
                    stride: self.points.stride,
                    taps: 1,
                    channels: *channels,
                    weights: &weights[point * point_weights..][..point_weights],
                    biases: &[],
                    output: self.products,
                    output_stride: self.points.stride,
                    first,
                    count,
                    epilogue: Epilogue::default(),
                }
                .multiply(simd);
            }
        }
    }
}
