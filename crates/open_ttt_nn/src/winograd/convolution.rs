use super::super::kernel::{Finish, InstructionSet, LANES, Lanes};
use super::super::rows::Rows;
use super::super::simd::{Kernel, Simd};
use super::points::Points;
use super::tiling::{POINTS, Tiles, Tiling};
use super::transforms::{at_points, back};

/// The weights at each point.
#[derive(Clone, Debug)]
pub(in super::super) struct Tiled {
    tiling: Tiling,
    channels: usize,
    outputs: usize,
    /// For each point, each sixteen outputs and each channel, one number for each of
    /// the outputs.
    weights: Vec<Lanes>,
}

impl Tiled {
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

    /// Takes weights that stand for each sixteen outputs tap by tap, channel by
    /// channel.
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
                let columns = taps.map(at_points);
                for up in 0..POINTS.min(right) {
                    let [a, b, c] = &columns;
                    let points = at_points([&a[up], &b[up], &c[up]]);
                    for (point, &weight) in points.iter().enumerate().take(down) {
                        let at = (point * right + up) * all + vector * channels + channel;
                        self.weights[at] = weight;
                    }
                }
            }
        }
    }

    /// As [`product`](super::super::kernel::product), up to rounding.
    pub(in super::super) fn convolve(
        &self,
        set: InstructionSet,
        (input, output): (&[Lanes], &mut [Lanes]),
        biases: &[Lanes],
        finish: Finish,
        scratch: &mut Vec<Lanes>,
    ) {
        let cells = self.tiling.cells();
        let positions = output.len() / (cells * biases.len());
        let points = Points::new(self.tiling, positions, TOGETHER);
        let vectors = self.channels.div_ceil(LANES);
        let length = points.stride * (vectors + biases.len());
        if scratch.len() < length {
            scratch.resize(length, Lanes::ZERO);
        }
        let (carried, products) = scratch.split_at_mut(points.stride * vectors);
        set.run(Convolution {
            weights: self,
            biases,
            input,
            output,
            finish,
            points,
            carried,
            products,
        });
    }
}

/// So many tiles are multiplied together at most, if they are those of more than one
/// position: the registers hold the sums of twelve.
const TOGETHER: usize = 32;

struct Convolution<'a> {
    weights: &'a Tiled,
    biases: &'a [Lanes],
    input: &'a [Lanes],
    output: &'a mut [Lanes],
    finish: Finish,
    points: Points,
    /// What goes in, and what comes out, at the points.
    carried: &'a mut [Lanes],
    products: &'a mut [Lanes],
}

impl Kernel for Convolution<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        for part in self.points.parts() {
            self.points = part;
            part.carry_input(simd, self.input, self.carried);
            self.multiply(simd);
            part.tiling.each(&mut WayBack {
                simd,
                convolution: &mut self,
            });
        }
    }
}

/// Tiles on their way from the points to the output.
struct WayBack<'a, 'b, S> {
    simd: S,
    convolution: &'a mut Convolution<'b>,
}

impl<S: Simd> Tiles for WayBack<'_, '_, S> {
    #[inline(always)]
    fn tile<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        let Self { simd, convolution } = self;
        convolution.carry_back::<S, TALL, WIDE, DOWN, RIGHT>(*simd, row, column);
    }
}

impl Convolution<'_> {
    #[inline(always)]
    fn multiply<S: Simd>(&mut self, simd: S) {
        let Tiled {
            tiling,
            channels,
            weights,
            ..
        } = self.weights;
        let every = self.biases.len() * channels;
        for down in 0..tiling.rows.points() {
            for right in 0..tiling.columns.points() {
                let (first, count) = self.points.rows(down, right);
                let point = down * tiling.columns.points() + right;
                Rows {
                    input: &self.carried[first..],
                    stride: self.points.stride,
                    taps: 1,
                    channels: *channels,
                    weights: &weights[point * every..][..every],
                    biases: &[],
                    output: self.products,
                    output_stride: self.points.stride,
                    first,
                    count,
                    finish: Finish::default(),
                }
                .multiply(simd);
            }
        }
    }

    /// The products, carried back to the cells of a tile.
    #[inline(always)]
    fn carry_back<
        S: Simd,
        const TALL: usize,
        const WIDE: usize,
        const DOWN: usize,
        const RIGHT: usize,
    >(
        &mut self,
        simd: S,
        row: usize,
        column: usize,
    ) {
        let tiling = &self.weights.tiling;
        let all = tiling.cells();
        let cells = tiling.cells_from::<TALL, WIDE>(row, column, 0);
        let places = self.points.places::<DOWN, RIGHT>(row, column);
        let mut lines = [[simd.zero(); RIGHT]; TALL];
        for vector in 0..self.biases.len() {
            let bias = simd.load(&self.biases[vector]);
            for position in 0..self.points.together {
                let products = &self.products[vector * self.points.stride + position..];
                for right in 0..RIGHT {
                    let mut points = [simd.zero(); DOWN];
                    for (value, places) in points.iter_mut().zip(&places) {
                        *value = simd.load(&products[places[right]]);
                    }
                    let values: [S::V; TALL] = back(simd, points);
                    for (line, value) in lines.iter_mut().zip(values) {
                        line[right] = value;
                    }
                }
                let output = &mut self.output[self.points.cells(vector, position)..][..all];
                for (&line, cells) in lines.iter().zip(&cells) {
                    let values: [S::V; WIDE] = back(simd, line);
                    for (value, &cell) in values.into_iter().zip(cells) {
                        if let Some(to) = output.get_mut(cell) {
                            let mut sum = simd.add(value, bias);
                            if self.finish.add {
                                sum = simd.add(sum, simd.load(to));
                            }
                            if self.finish.rectify {
                                sum = simd.max(simd.zero(), sum);
                            }
                            simd.store(to, sum);
                        }
                    }
                }
            }
        }
    }
}
