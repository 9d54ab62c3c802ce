//! Convolutions with fewer multiplications (Winograd 1980; for networks Lavin and
//! Gray 2016): three by three cells of the output at once, from five by five of
//! the input.
//!
//! Input, weights and output are carried to where the convolution is a product at
//! each of 25 points, and back. With the points 0, 1, -1, 2 and infinity, nine
//! multiplications for each cell become under three, and rounding errors stay those
//! of ordinary sums. The matrices, by the method of Cook and Toom:
//!
//! ```text
//!  input                  weights              output
//!   2 -1 -2  1  0          1/2   0    0         1  1  1  1  0
//!   0 -2 -1  1  0         -1/2 -1/2 -1/2        0  1 -1  2  0
//!   0  2 -3  1  0         -1/6  1/6 -1/6        0  1  1  4  1
//!   0 -1  0  1  0          1/6  1/3  2/3
//!   0  2 -1 -2  1           0    0    1
//! ```

use super::kernel::{BLOCK, Finish, InstructionSet, Lanes, accumulate};
use super::simd::{Kernel, Simd};

/// Cells along the side of a tile of the output, and of the input it is made of.
const TILE: usize = 3;
const PATCH: usize = TILE + 2;
const POINTS: usize = PATCH * PATCH;
/// What lies between one point's numbers and the next one's: without it they would
/// often be a power of two apart, and a cache keeps few such.
const GAP: usize = 1;

/// The weights at each point, in the order in which they are read.
#[derive(Clone, Debug)]
pub(super) struct Tiled {
    rows: usize,
    columns: usize,
    outputs: usize,
    channels: usize,
    /// For each eight outputs, each point and each channel, one number for each of
    /// the outputs.
    weights: Vec<[f32; BLOCK]>,
    biases: Vec<f32>,
}

impl Tiled {
    /// Whether this way is the quicker one: the way there and back has to pay.
    pub(super) const fn pays(rows: usize, columns: usize, channels: usize) -> bool {
        let multiplied = rows.div_ceil(TILE) * columns.div_ceil(TILE) * POINTS;
        let neighbours = (3 * rows - 2) * (3 * columns - 2);
        10 * multiplied < 7 * neighbours && channels >= BLOCK
    }

    /// Takes weights that stand output by output, channel by channel, tap by tap.
    pub(super) fn new(
        (rows, columns): (usize, usize),
        channels: usize,
        weights: &[f32],
        biases: &[f32],
    ) -> Self {
        const THERE: [[f64; 3]; PATCH] = [
            [0.5, 0.0, 0.0],
            [-0.5, -0.5, -0.5],
            [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
            [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
            [0.0, 0.0, 1.0],
        ];
        let outputs = biases.len();
        let blocks = outputs.div_ceil(BLOCK);
        let mut there = vec![[0.0; BLOCK]; POINTS * blocks * channels];
        for (pair, taps) in weights.chunks_exact(9).enumerate() {
            let (output, channel) = (pair / channels, pair % channels);
            for point in 0..POINTS {
                let (up, right) = (THERE[point / PATCH], THERE[point % PATCH]);
                let mut sum = 0.0;
                for (tap, &weight) in taps.iter().enumerate() {
                    sum += up[tap / 3] * right[tap % 3] * f64::from(weight);
                }
                let at = (output / BLOCK * POINTS + point) * channels + channel;
                there[at][output % BLOCK] = sum as f32;
            }
        }
        Self {
            rows,
            columns,
            outputs,
            channels,
            weights: there,
            biases: biases.to_vec(),
        }
    }
}

/// As [`product`](super::kernel::product), up to rounding. `scratch` is memory to
/// be used again.
pub(super) fn convolve(
    set: InstructionSet,
    weights: &Tiled,
    input: &[Lanes],
    output: &mut [Lanes],
    finish: Finish,
    scratch: &mut Vec<Lanes>,
) {
    let width = output.len() / (weights.rows * weights.columns * weights.outputs);
    let stride = |numbers| numbers * width + GAP;
    let around = weights.channels * width;
    let length = around + POINTS * (stride(weights.channels) + stride(BLOCK));
    if scratch.len() < length {
        scratch.resize(length, Lanes::ZERO);
    }
    let (zeros, rest) = scratch.split_at_mut(around);
    zeros.fill(Lanes::ZERO);
    let (points, products) = rest.split_at_mut(POINTS * stride(weights.channels));
    set.run(Convolution {
        weights,
        input,
        output,
        finish,
        zeros,
        points,
        products,
        width,
    });
}

struct Convolution<'a> {
    weights: &'a Tiled,
    input: &'a [Lanes],
    output: &'a mut [Lanes],
    finish: Finish,
    /// What every channel is beyond the edge.
    zeros: &'a [Lanes],
    /// What a tile reads, at each point, for each channel.
    points: &'a mut [Lanes],
    /// What comes out of eight outputs, at each point: little, so that it stays near.
    products: &'a mut [Lanes],
    width: usize,
}

impl Kernel for Convolution<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        for row in (0..self.weights.rows).step_by(TILE) {
            for column in (0..self.weights.columns).step_by(TILE) {
                self.carry_there(simd, row, column);
                for first in (0..self.weights.outputs).step_by(BLOCK) {
                    match (S::MANY_REGISTERS, self.width) {
                        (true, 2) => self.multiply::<S, 8, 2, 2>(simd, first),
                        (true, _) => self.multiply::<S, 8, 1, 1>(simd, first),
                        (false, 2) => self.multiply::<S, 4, 1, 2>(simd, first),
                        (false, _) => self.multiply::<S, 4, 1, 1>(simd, first),
                    }
                    self.carry_back(simd, first, row, column);
                }
            }
        }
    }
}

impl Convolution<'_> {
    /// The cells around a tile, carried to the points.
    #[inline(always)]
    fn carry_there<S: Simd>(&mut self, simd: S, row: usize, column: usize) {
        let Tiled {
            rows,
            columns,
            channels,
            ..
        } = *self.weights;
        let stride = channels * self.width;
        // Beyond the edge are zeros.
        let mut around: [&[Lanes]; POINTS] = [self.zeros; POINTS];
        for (number, cell) in around.iter_mut().enumerate() {
            // One more than the cell's, so that none is negative.
            let (row, column) = (row + number / PATCH, column + number % PATCH);
            if (1..=rows).contains(&row) && (1..=columns).contains(&column) {
                let at = (row - 1) * columns + column - 1;
                *cell = &self.input[at * stride..][..stride];
            }
        }
        for number in 0..stride {
            // Loops, where closures would read better: in those the compiler does not
            // use the instructions.
            let mut patch = [[simd.zero(); PATCH]; PATCH];
            for (point, cells) in around.iter().enumerate() {
                patch[point % PATCH][point / PATCH] = simd.load(&cells[number]);
            }
            let mut lines = [[simd.zero(); PATCH]; PATCH];
            for (right, &column) in patch.iter().enumerate() {
                for (up, &value) in there(simd, column).iter().enumerate() {
                    lines[up][right] = value;
                }
            }
            for (up, &line) in lines.iter().enumerate() {
                for (right, &value) in there(simd, line).iter().enumerate() {
                    let point = up * PATCH + right;
                    simd.store(&mut self.points[point * (stride + GAP) + number], value);
                }
            }
        }
    }

    /// The products of eight outputs from this one on.
    #[inline(always)]
    fn multiply<S: Simd, const ROWS: usize, const TOGETHER: usize, const WIDTH: usize>(
        &mut self,
        simd: S,
        first: usize,
    ) {
        let channels = self.weights.channels;
        let panels = &self.weights.weights[first / BLOCK * POINTS * channels..];
        for point in 0..POINTS {
            let numbers = &self.points[point * (channels * WIDTH + GAP)..][..channels * WIDTH];
            let (numbers, _) = numbers.as_chunks::<WIDTH>();
            let panel = &panels[point * channels..][..channels];
            let products = &mut self.products[point * (BLOCK * WIDTH + GAP)..][..BLOCK * WIDTH];
            for row in (0..BLOCK).step_by(ROWS) {
                for lane in (0..WIDTH).step_by(TOGETHER) {
                    let mut sums = [[simd.zero(); TOGETHER]; ROWS];
                    accumulate(simd, &mut sums, panel, row, numbers, lane);
                    for (at, sums) in sums.iter().enumerate() {
                        let to = &mut products[(row + at) * WIDTH + lane..];
                        for (to, &sum) in to.iter_mut().zip(sums) {
                            simd.store(to, sum);
                        }
                    }
                }
            }
        }
    }

    /// The products, carried back to the cells of the tile.
    #[inline(always)]
    fn carry_back<S: Simd>(&mut self, simd: S, first: usize, row: usize, column: usize) {
        let Tiled {
            rows,
            columns,
            outputs,
            ..
        } = *self.weights;
        let stride = outputs * self.width;
        let here = BLOCK.min(outputs - first) * self.width;
        for number in 0..here {
            // Of each column of points, the three cells.
            let mut columns_of_three = [[simd.zero(); TILE]; PATCH];
            for (right, three) in columns_of_three.iter_mut().enumerate() {
                let mut line = [simd.zero(); PATCH];
                for (up, value) in line.iter_mut().enumerate() {
                    let point = up * PATCH + right;
                    *value = simd.load(&self.products[point * (BLOCK * self.width + GAP) + number]);
                }
                *three = back(simd, line);
            }
            let bias = simd.splat(self.weights.biases[first + number / self.width]);
            for up in 0..TILE.min(rows - row) {
                let mut line = [simd.zero(); PATCH];
                for (value, three) in line.iter_mut().zip(&columns_of_three) {
                    *value = three[up];
                }
                let cells = back(simd, line);
                for (right, &cell) in cells.iter().enumerate().take(columns - column) {
                    let at = (row + up) * columns + column + right;
                    let to = &mut self.output[at * stride + first * self.width + number];
                    let mut sum = simd.add(cell, bias);
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

/// The input's matrix times five numbers.
#[inline(always)]
fn there<S: Simd>(simd: S, x: [S::V; PATCH]) -> [S::V; PATCH] {
    let (two, three) = (simd.splat(2.0), simd.splat(3.0));
    let odd = simd.sub(x[3], x[1]);
    let even = simd.sub(x[3], x[2]);
    let lower = simd.sub(x[3], simd.mul(three, x[2]));
    [
        simd.mul_add(two, simd.sub(x[0], x[2]), odd),
        simd.sub(even, simd.add(x[1], x[1])),
        simd.mul_add(two, x[1], lower),
        odd,
        simd.sub(simd.sub(x[4], x[2]), simd.mul(two, odd)),
    ]
}

/// The output's matrix times five numbers.
#[inline(always)]
fn back<S: Simd>(simd: S, x: [S::V; PATCH]) -> [S::V; TILE] {
    let both = simd.add(x[1], x[2]);
    [
        simd.add(simd.add(x[0], both), x[3]),
        simd.mul_add(simd.splat(2.0), x[3], simd.sub(x[1], x[2])),
        simd.mul_add(simd.splat(4.0), x[3], simd.add(both, x[4])),
    ]
}
