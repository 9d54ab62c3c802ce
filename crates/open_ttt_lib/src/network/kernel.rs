//! The two products that all layers and their gradients are made of.
//!
//! Numbers of sixteen positions stand side by side ([`Lanes`]), so every number of
//! a position is computed by itself, in an order that depends on nothing else:
//! a position's results are the same in any batch. A *group* is one or two
//! [`Lanes`] wide, and holds for each cell each channel:
//!
//! ```text
//!  cell 0                                       cell 1
//!  channel 0        channel 1        ...        channel 0 ...
//!  [16] [16]        [16] [16]                   [16] [16]
//! ```
//!
//! There is no gathering: a cell reads its neighbours where they stand, and those
//! beyond the edge are no work.

pub use super::simd::{InstructionSet, LANES, Lanes};
use super::simd::{Kernel, Simd};

/// How many outputs are computed together, and so stand together in [`Packed`].
pub(super) const BLOCK: usize = 8;

/// Which cells of the input each cell of the output is made of, and by which of
/// the kernel's weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Where the taps of each output cell begin, and where the last ones end.
    starts: Vec<usize>,
    /// (input cell, number of the weight)
    taps: Vec<(usize, usize)>,
    /// How many weights the kernel has for each pair of channels.
    kernel: usize,
    inputs: usize,
}

impl Reach {
    /// Each cell is made of itself and its eight neighbours, as far as they are on
    /// the board. The weights are numbered row by row.
    pub fn neighbours(rows: usize, columns: usize) -> Self {
        let mut starts = vec![0];
        let mut taps = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                for tap in 0..9 {
                    // One more than the neighbour's, so that none is negative.
                    let (below, left) = (row + tap / 3, column + tap % 3);
                    if (1..=rows).contains(&below) && (1..=columns).contains(&left) {
                        taps.push(((below - 1) * columns + left - 1, tap));
                    }
                }
                starts.push(taps.len());
            }
        }
        Self {
            starts,
            taps,
            kernel: 9,
            inputs: rows * columns,
        }
    }

    /// Each cell is made of itself. With one cell: everything of everything.
    pub fn itself(cells: usize) -> Self {
        Self {
            starts: (0..=cells).collect(),
            taps: (0..cells).map(|cell| (cell, 0)).collect(),
            kernel: 1,
            inputs: cells,
        }
    }

    /// The way back: which outputs each input cell went into.
    pub fn reversed(&self) -> Self {
        let mut back = vec![Vec::new(); self.inputs];
        for cell in 0..self.cells() {
            for &(input, tap) in self.of(cell) {
                back[input].push((cell, tap));
            }
        }
        let mut starts = vec![0];
        let mut taps = Vec::new();
        for own in back {
            taps.extend(own);
            starts.push(taps.len());
        }
        Self {
            starts,
            taps,
            kernel: self.kernel,
            inputs: self.cells(),
        }
    }

    /// How many cells the output has.
    pub fn cells(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many cells the input has.
    pub const fn input_cells(&self) -> usize {
        self.inputs
    }

    /// How many weights there are for each pair of channels.
    pub const fn kernel(&self) -> usize {
        self.kernel
    }

    fn of(&self, cell: usize) -> &[(usize, usize)] {
        &self.taps[self.starts[cell]..self.starts[cell + 1]]
    }
}

/// Weights in the order in which a product reads them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    /// For each eight outputs, each tap and each channel, one number for each of
    /// the outputs; zeros for those beyond the last.
    weights: Vec<[f32; BLOCK]>,
    biases: Vec<[f32; BLOCK]>,
    outputs: usize,
    channels: usize,
    kernel: usize,
}

impl Packed {
    /// Takes weights that stand output by output, channel by channel, tap by tap,
    /// and a bias for each output.
    ///
    /// # Panics
    ///
    /// Unless there are as many weights as outputs times channels times taps.
    pub fn pack(&mut self, weights: &[f32], biases: &[f32], channels: usize, kernel: usize) {
        let outputs = biases.len();
        self.shape(outputs, channels, kernel);
        assert_eq!(weights.len(), outputs * channels * kernel);
        for (output, (weights, &bias)) in weights
            .chunks_exact((channels * kernel).max(1))
            .zip(biases)
            .enumerate()
        {
            let (block, row) = (output / BLOCK, output % BLOCK);
            self.biases[block][row] = bias;
            for channel in 0..channels {
                for tap in 0..kernel {
                    let at = (block * kernel + tap) * channels + channel;
                    self.weights[at][row] = weights[channel * kernel + tap];
                }
            }
        }
    }

    /// The same weights for the way back: what was a channel is an output. There
    /// are no biases.
    ///
    /// # Panics
    ///
    /// As [`pack`](Self::pack).
    pub fn pack_back(&mut self, weights: &[f32], outputs: usize, channels: usize, kernel: usize) {
        self.shape(channels, outputs, kernel);
        assert_eq!(weights.len(), outputs * channels * kernel);
        for output in 0..outputs {
            for channel in 0..channels {
                let (block, row) = (channel / BLOCK, channel % BLOCK);
                for tap in 0..kernel {
                    let at = (block * kernel + tap) * outputs + output;
                    let from = (output * channels + channel) * kernel + tap;
                    self.weights[at][row] = weights[from];
                }
            }
        }
    }

    fn shape(&mut self, outputs: usize, channels: usize, kernel: usize) {
        let blocks = outputs.div_ceil(BLOCK);
        self.weights.clear();
        self.weights
            .resize(blocks * channels * kernel, [0.0; BLOCK]);
        self.biases.clear();
        self.biases.resize(blocks, [0.0; BLOCK]);
        self.outputs = outputs;
        self.channels = channels;
        self.kernel = kernel;
    }
}

/// What a product does besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// Adds to what the output held before.
    pub add: bool,
    /// Replaces what is negative by zero (rectified linear unit). What is no number
    /// stays so.
    pub rectify: bool,
}

/// Multiplies a group by weights: every layer of a network, and the way of a
/// gradient back through it.
///
/// Each number is the bias, plus the products in the order of the taps and of the
/// channels, plus what was there before.
///
/// # Panics
///
/// Unless input and output are groups of one width, one or two, of the shape the
/// reach and the weights say.
pub fn product(
    set: InstructionSet,
    reach: &Reach,
    weights: &Packed,
    input: &[Lanes],
    output: &mut [Lanes],
    finish: Finish,
) {
    let width = output.len() / (reach.cells() * weights.outputs);
    assert!(width == 1 || width == 2, "a group is one or two wide");
    assert_eq!(output.len(), reach.cells() * weights.outputs * width);
    assert_eq!(input.len(), reach.input_cells() * weights.channels * width);
    assert_eq!(reach.kernel, weights.kernel);
    set.run(Product {
        reach,
        weights,
        input,
        output,
        finish,
        width,
    });
}

struct Product<'a> {
    reach: &'a Reach,
    weights: &'a Packed,
    input: &'a [Lanes],
    output: &'a mut [Lanes],
    finish: Finish,
    width: usize,
}

impl Kernel for Product<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        match (S::MANY_REGISTERS, self.width) {
            (true, 2) => self.blocks::<S, 8, 2, 2>(simd),
            (true, _) => self.blocks::<S, 8, 1, 1>(simd),
            (false, 2) => self.blocks::<S, 4, 1, 2>(simd),
            (false, _) => self.blocks::<S, 4, 1, 1>(simd),
        }
    }
}

impl Product<'_> {
    /// All outputs, `ROWS` of them and `TOGETHER` of a group's `WIDTH` at a time:
    /// so many sums are kept in registers.
    #[inline(always)]
    fn blocks<S: Simd, const ROWS: usize, const TOGETHER: usize, const WIDTH: usize>(
        &mut self,
        simd: S,
    ) {
        let Packed {
            outputs,
            channels,
            kernel,
            ..
        } = *self.weights;
        let (input, _) = self.input.as_chunks::<WIDTH>();
        for first in (0..outputs).step_by(ROWS) {
            let (block, row) = (first / BLOCK, first % BLOCK);
            let rows = ROWS.min(outputs - first);
            let panel = &self.weights.weights[block * kernel * channels..][..kernel * channels];
            for cell in 0..self.reach.cells() {
                for lane in (0..WIDTH).step_by(TOGETHER) {
                    let mut sums = [[simd.zero(); TOGETHER]; ROWS];
                    for (sums, &bias) in sums.iter_mut().zip(&self.weights.biases[block][row..]) {
                        *sums = [simd.splat(bias); TOGETHER];
                    }
                    for &(from, tap) in self.reach.of(cell) {
                        let weights = &panel[tap * channels..][..channels];
                        let numbers = &input[from * channels..][..channels];
                        accumulate(simd, &mut sums, weights, row, numbers, lane);
                    }
                    for (at, sums) in sums.iter().enumerate().take(rows) {
                        let to = (cell * outputs + first + at) * WIDTH + lane;
                        for (to, &sum) in self.output[to..].iter_mut().zip(sums) {
                            let sum = if self.finish.add {
                                simd.add(sum, simd.load(to))
                            } else {
                                sum
                            };
                            let sum = if self.finish.rectify {
                                simd.max(simd.zero(), sum)
                            } else {
                                sum
                            };
                            simd.store(to, sum);
                        }
                    }
                }
            }
        }
    }
}

/// Adds the products of weights and numbers, channel by channel, to the sums of
/// `ROWS` outputs from one of a block on, and of `TOGETHER` of a group's `WIDTH`
/// from one lane on.
#[inline(always)]
pub(super) fn accumulate<S: Simd, const ROWS: usize, const TOGETHER: usize, const WIDTH: usize>(
    simd: S,
    sums: &mut [[S::V; TOGETHER]; ROWS],
    weights: &[[f32; BLOCK]],
    row: usize,
    numbers: &[[Lanes; WIDTH]],
    lane: usize,
) {
    for (weights, numbers) in weights.iter().zip(numbers) {
        let mut loaded = [simd.zero(); TOGETHER];
        for (at, loaded) in loaded.iter_mut().enumerate() {
            *loaded = simd.load(&numbers[lane + at]);
        }
        for (at, sums) in sums.iter_mut().enumerate() {
            let weight = simd.splat(weights[row + at]);
            for (sum, &number) in sums.iter_mut().zip(&loaded) {
                *sum = simd.mul_add(weight, number, *sum);
            }
        }
    }
}

/// Adds to the gradient of each weight what a group tells about it: the products
/// of what went in and the gradient of what came out, over all positions and
/// cells. `gradient` stands as the weights do in [`Packed::pack`].
///
/// The sum is the same on AVX2 and AVX-512: over the cells, lane by lane, then
/// over the lanes.
///
/// # Panics
///
/// Unless the slices are groups of one width, and the gradient of the shape of
/// the weights.
pub fn correlate(
    set: InstructionSet,
    reach: &Reach,
    input: &[Lanes],
    output_gradient: &[Lanes],
    outputs: usize,
    gradient: &mut [f32],
) {
    let channels = gradient.len() / (outputs * reach.kernel);
    let width = output_gradient.len() / (reach.cells() * outputs);
    assert_eq!(gradient.len(), outputs * channels * reach.kernel);
    assert_eq!(output_gradient.len(), reach.cells() * outputs * width);
    assert_eq!(input.len(), reach.input_cells() * channels * width);
    // The pairs of cells by tap, so that a sum can stay in its register.
    let mut pairs = vec![Vec::new(); reach.kernel];
    for cell in 0..reach.cells() {
        for &(from, tap) in reach.of(cell) {
            pairs[tap].push((from, cell));
        }
    }
    set.run(Correlate {
        pairs: &pairs,
        input,
        output_gradient,
        outputs,
        channels,
        width,
        gradient,
    });
}

struct Correlate<'a> {
    /// For each tap, (input cell, output cell).
    pairs: &'a [Vec<(usize, usize)>],
    input: &'a [Lanes],
    output_gradient: &'a [Lanes],
    outputs: usize,
    channels: usize,
    width: usize,
    gradient: &'a mut [f32],
}

impl Kernel for Correlate<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        match (S::MANY_REGISTERS, self.width) {
            (true, 2) => self.blocks::<S, 4, 4, 2>(simd),
            (true, _) => self.blocks::<S, 4, 4, 1>(simd),
            (false, 2) => self.blocks::<S, 2, 2, 2>(simd),
            (false, _) => self.blocks::<S, 2, 2, 1>(simd),
        }
    }
}

impl Correlate<'_> {
    /// All weights, `ROWS` outputs by `COLUMNS` channels at a time, and those
    /// that are left one by one.
    #[inline(always)]
    fn blocks<S: Simd, const ROWS: usize, const COLUMNS: usize, const WIDTH: usize>(
        &mut self,
        simd: S,
    ) {
        let whole_outputs = self.outputs - self.outputs % ROWS;
        let whole_channels = self.channels - self.channels % COLUMNS;
        for tap in 0..self.pairs.len() {
            for output in (0..whole_outputs).step_by(ROWS) {
                for channel in (0..whole_channels).step_by(COLUMNS) {
                    self.block::<S, ROWS, COLUMNS, WIDTH>(simd, tap, output, channel);
                }
                for output in output..output + ROWS {
                    for channel in whole_channels..self.channels {
                        self.block::<S, 1, 1, WIDTH>(simd, tap, output, channel);
                    }
                }
            }
            for output in whole_outputs..self.outputs {
                for channel in 0..self.channels {
                    self.block::<S, 1, 1, WIDTH>(simd, tap, output, channel);
                }
            }
        }
    }

    #[inline(always)]
    fn block<S: Simd, const ROWS: usize, const COLUMNS: usize, const WIDTH: usize>(
        &mut self,
        simd: S,
        tap: usize,
        output: usize,
        channel: usize,
    ) {
        let (input, _) = self.input.as_chunks::<WIDTH>();
        let (output_gradient, _) = self.output_gradient.as_chunks::<WIDTH>();
        let mut sums = [[simd.zero(); COLUMNS]; ROWS];
        for &(from, to) in &self.pairs[tap] {
            let numbers = input[from * self.channels + channel..].first_chunk::<COLUMNS>();
            let gradients = output_gradient[to * self.outputs + output..].first_chunk::<ROWS>();
            let (Some(numbers), Some(gradients)) = (numbers, gradients) else {
                continue;
            };
            for lane in 0..WIDTH {
                let mut loaded = [simd.zero(); COLUMNS];
                for (loaded, number) in loaded.iter_mut().zip(numbers) {
                    *loaded = simd.load(&number[lane]);
                }
                for (sums, gradient) in sums.iter_mut().zip(gradients) {
                    let gradient = simd.load(&gradient[lane]);
                    for (sum, &number) in sums.iter_mut().zip(&loaded) {
                        *sum = simd.mul_add(gradient, number, *sum);
                    }
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (column, &sum) in sums.iter().enumerate() {
                let weight = (output + row) * self.channels + channel + column;
                self.gradient[weight * self.pairs.len() + tap] += simd.sum(sum);
            }
        }
    }
}
