//! The kernels against naive sums in 64-bit numbers.

use std::sync::Arc;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::Encoding;
use open_ttt_nn::kernel::{
    ConvShape, Epilogue, InstructionSet, LANES, Lanes, PackedWeights, conv_forward, flatten, pack,
    unflatten_add, weight_gradient,
};

use super::randomized::unit;

/// The numbers of some positions: cell by cell, channel by channel.
#[derive(Clone, Debug)]
struct Numbers {
    positions: usize,
    cells: usize,
    channels: usize,
    all: Vec<f32>,
}

impl Numbers {
    fn random(rng: &mut Rng, positions: usize, cells: usize, channels: usize) -> Self {
        let numbers = (0..positions * cells * channels).map(|_| unit(rng));
        Self {
            positions,
            cells,
            channels,
            all: numbers.collect(),
        }
    }

    fn at(&self, position: usize, cell: usize, channel: usize) -> f64 {
        f64::from(self.all[(position * self.cells + cell) * self.channels + channel])
    }

    /// As the kernels read them; the padding does not matter.
    fn batch(&self) -> Vec<Lanes> {
        let length = self.channels.div_ceil(LANES) * self.positions * self.cells;
        let mut batch = vec![Lanes([1e3; LANES]); length];
        for (at, &number) in self.all.iter().enumerate() {
            let (cell, channel) = (at / self.channels, at % self.channels);
            let rows = self.positions * self.cells;
            batch[channel / LANES * rows + cell].0[channel % LANES] = number;
        }
        batch
    }

    /// The same shape, read from a batch.
    fn read(&self, batch: &[Lanes]) -> Self {
        let rows = self.positions * self.cells;
        let read = (0..self.all.len()).map(|at| {
            let (cell, channel) = (at / self.channels, at % self.channels);
            batch[channel / LANES * rows + cell].0[channel % LANES]
        });
        Self {
            all: read.collect(),
            ..*self
        }
    }

    fn dot(&self, other: &Self) -> f64 {
        let pairs = self.all.iter().zip(&other.all);
        pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    }
}

/// Which input cells and taps an output cell of a three by three convolution has.
fn neighbours(cell: usize, rows: usize, columns: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for other in 0..rows * columns {
        let down = (other / columns) as i32 - (cell / columns) as i32;
        let right = (other % columns) as i32 - (cell % columns) as i32;
        if down.abs() <= 1 && right.abs() <= 1 {
            found.push((other, (3 * (down + 1) + right + 1) as usize));
        }
    }
    found
}

struct Shape {
    rows: usize,
    columns: usize,
    channels: usize,
    outputs: usize,
    positions: usize,
    convolution: bool,
}

const SHAPES: [Shape; 11] = [
    shape(3, 4, 5, 7, 1, true),
    shape(2, 3, 8, 16, 2, true),
    shape(1, 5, 3, 9, 2, true),
    // Sides of pieces of three, of four and of both; and those cut short.
    shape(6, 7, 17, 33, 9, true),
    shape(4, 8, 16, 40, 3, true),
    shape(5, 9, 12, 18, 2, true),
    shape(10, 11, 8, 3, 1, true),
    shape(10, 11, 9, 8, 2, true),
    shape(2, 2, 13, 4, 1, false),
    shape(1, 1, 30, 17, 29, false),
    shape(6, 7, 32, 36, 5, false),
];

const fn shape(
    rows: usize,
    columns: usize,
    channels: usize,
    outputs: usize,
    positions: usize,
    convolution: bool,
) -> Shape {
    Shape {
        rows,
        columns,
        channels,
        outputs,
        positions,
        convolution,
    }
}

/// The shapes, or in Miri those few that it can compute in minutes.
fn shapes() -> impl Iterator<Item = &'static Shape> {
    let is_small = |shape: &&Shape| shape.multiplications() <= 30_000;
    SHAPES
        .iter()
        .filter(move |shape| !cfg!(miri) || is_small(shape))
}

impl Shape {
    fn multiplications(&self) -> usize {
        let outputs = self.positions * self.cells() * self.outputs;
        outputs * self.channels * self.kernel()
    }

    fn conv_shape(&self) -> Arc<ConvShape> {
        Arc::new(if self.convolution {
            ConvShape::three_by_three(self.rows, self.columns)
        } else {
            ConvShape::pointwise(self.cells())
        })
    }

    fn cells(&self) -> usize {
        self.rows * self.columns
    }

    fn taps(&self, cell: usize) -> Vec<(usize, usize)> {
        if self.convolution {
            neighbours(cell, self.rows, self.columns)
        } else {
            vec![(cell, 0)]
        }
    }

    fn kernel(&self) -> usize {
        if self.convolution { 9 } else { 1 }
    }

    fn input(&self, rng: &mut Rng) -> Numbers {
        Numbers::random(rng, self.positions, self.cells(), self.channels)
    }

    fn output(&self, rng: &mut Rng) -> Numbers {
        Numbers::random(rng, self.positions, self.cells(), self.outputs)
    }

    fn weights(&self, rng: &mut Rng) -> Vec<f32> {
        let count = self.outputs * self.channels * self.kernel();
        (0..count).map(|_| unit(rng)).collect()
    }

    /// The expected output, by cell and output channel, without bias.
    fn products(&self, weights: &[f32], input: &Numbers) -> Vec<f64> {
        let mut sums = Vec::new();
        for position in 0..self.positions {
            for cell in 0..self.cells() {
                let taps = self.taps(cell);
                for output in 0..self.outputs {
                    let mut sum = 0.0;
                    for &(from, tap) in &taps {
                        for channel in 0..self.channels {
                            let pair = output * self.channels + channel;
                            let weight = f64::from(weights[pair * self.kernel() + tap]);
                            sum += weight * input.at(position, from, channel);
                        }
                    }
                    sums.push(sum);
                }
            }
        }
        sums
    }
}

#[track_caller]
fn close(found: f32, expected: f64) {
    let difference = (f64::from(found) - expected).abs();
    assert!(
        difference < 1e-4 * (1.0 + expected.abs()),
        "{found} is {expected}"
    );
}

#[test]
fn the_forward_pass_sums_over_taps_and_channels() {
    let mut rng = Rng::new(1);
    for shape in shapes() {
        let weights = shape.weights(&mut rng);
        let biases: Vec<f32> = (0..shape.outputs).map(|_| unit(&mut rng)).collect();
        let (input, before) = (shape.input(&mut rng), shape.output(&mut rng));
        let sums = shape.products(&weights, &input);
        let mut packed = PackedWeights::new(&shape.conv_shape(), shape.channels, shape.outputs);
        packed.set(&weights, &biases);
        let mut scratch = vec![Lanes([f32::NAN; LANES]); 3];
        for set in InstructionSet::ALL {
            for (add, relu) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut output = before.batch();
                let epilogue = Epilogue {
                    accumulate: add,
                    relu,
                };
                let batch = input.batch();
                conv_forward(set, &packed, &batch, &mut output, epilogue, &mut scratch);
                let found = before.read(&output);
                for (at, (&found, sum)) in found.all.iter().zip(&sums).enumerate() {
                    let mut sum = sum + f64::from(biases[at % shape.outputs]);
                    if add {
                        sum += f64::from(before.all[at]);
                    }
                    close(found, if relu { sum.max(0.0) } else { sum });
                }
            }
        }
    }
}

#[test]
fn nan_stays_nan() {
    let mut rng = Rng::new(4);
    for shape in shapes() {
        let mut input = shape.input(&mut rng);
        input.all[0] = f32::NAN;
        let mut packed = PackedWeights::new(&shape.conv_shape(), shape.channels, shape.outputs);
        packed.set(&shape.weights(&mut rng), &vec![0.0; shape.outputs]);
        for set in InstructionSet::ALL {
            let output = shape.output(&mut rng);
            let mut batch = output.batch();
            let epilogue = Epilogue {
                accumulate: false,
                relu: true,
            };
            let scratch = &mut Vec::new();
            conv_forward(set, &packed, &input.batch(), &mut batch, epilogue, scratch);
            let found = output.read(&batch).all;
            assert!(found[..shape.outputs].iter().all(|found| found.is_nan()));
            let one = shape.cells() * shape.outputs;
            assert!(
                found[one..].iter().all(|found| !found.is_nan()),
                "other positions"
            );
        }
    }
}

/// The backward pass is the transposed map: for all x and y, y · (W x) = (Wᵀ y) · x.
#[test]
fn the_backward_pass_is_the_transposed_forward_pass() {
    let mut rng = Rng::new(2);
    for shape in shapes() {
        let weights = shape.weights(&mut rng);
        let (x, y) = (shape.input(&mut rng), shape.output(&mut rng));
        let mut forward = PackedWeights::new(&shape.conv_shape(), shape.channels, shape.outputs);
        let mut backward = PackedWeights::new(&shape.conv_shape(), shape.outputs, shape.channels);
        forward.set(&weights, &vec![0.0; shape.outputs]);
        backward.set_transposed(&weights);
        let mut scratch = Vec::new();
        for set in InstructionSet::ALL {
            let (mut wx, mut wy) = (y.batch(), x.batch());
            let epilogue = Epilogue::default();
            conv_forward(set, &forward, &x.batch(), &mut wx, epilogue, &mut scratch);
            conv_forward(set, &backward, &y.batch(), &mut wy, epilogue, &mut scratch);
            let (one, other) = (y.dot(&y.read(&wx)), x.read(&wy).dot(&x));
            assert!(
                (one - other).abs() < 1e-3 * (1.0 + one.abs()),
                "{one} is {other}"
            );
        }
    }
}

#[test]
fn weight_gradients_are_sums_over_positions_and_cells() {
    let mut rng = Rng::new(3);
    for shape in shapes() {
        let (channels, outputs, kernel) = (shape.channels, shape.outputs, shape.kernel());
        let (input, output) = (shape.input(&mut rng), shape.output(&mut rng));
        let before = shape.weights(&mut rng);
        let biases_before: Vec<f32> = (0..outputs).map(|_| unit(&mut rng)).collect();
        let wide = |numbers: &[f32]| numbers.iter().copied().map(f64::from).collect();
        let mut expected: Vec<f64> = wide(&before);
        let mut expected_biases: Vec<f64> = wide(&biases_before);
        for position in 0..shape.positions {
            for cell in 0..shape.cells() {
                for (o, bias) in expected_biases.iter_mut().enumerate() {
                    let gradient = output.at(position, cell, o);
                    *bias += gradient;
                    for (from, tap) in shape.taps(cell) {
                        for i in 0..channels {
                            expected[(o * channels + i) * kernel + tap] +=
                                gradient * input.at(position, from, i);
                        }
                    }
                }
            }
        }
        let mut fused: Option<[Vec<f32>; 2]> = None;
        let mut scratch = Vec::new();
        for set in InstructionSet::ALL {
            let (mut found, mut biases) = (before.clone(), biases_before.clone());
            let gradients = (&mut found[..], &mut biases[..]);
            let (x, y) = (input.batch(), output.batch());
            weight_gradient(set, &shape.conv_shape(), &x, &y, gradients, &mut scratch);
            for (&found, &expected) in found.iter().zip(&expected) {
                close(found, expected);
            }
            for (&found, &expected) in biases.iter().zip(&expected_biases) {
                close(found, expected);
            }
            if set != InstructionSet::Plain && set.is_available() {
                let found = [found, biases];
                let one = fused.get_or_insert_with(|| found.clone());
                assert_eq!(*one, found, "{set:?} gives the same bits");
            }
        }
    }
}

#[test]
fn batches_are_ordered_by_cell_or_flattened() {
    let mut rng = Rng::new(5);
    for (planes, rows, columns) in [(2, 3, 3), (17, 2, 5), (33, 1, 1), (16, 4, 4), (9, 1, 7)] {
        let encoding = Encoding {
            version: 1,
            planes,
            rows,
            columns,
            moves: 1,
        };
        let cells = rows * columns;
        // Four positions, plane by plane.
        let numbers: Vec<f32> = (0..4 * planes * cells).map(|_| unit(&mut rng)).collect();
        let (mut batch, mut one, mut flat) = (Vec::new(), Vec::new(), Vec::new());
        pack(&numbers, &encoding, false, &mut batch);
        pack(&numbers, &encoding, true, &mut one);
        flatten(&batch, planes, 4, &mut flat);
        assert_eq!(flat, one);
        for (at, number) in numbers.iter().enumerate() {
            let (position, plane, cell) = (at / cells / planes, at / cells % planes, at % cells);
            let together = cell * planes + plane;
            let found = [
                batch[(plane / LANES * 4 + position) * cells + cell].0[plane % LANES],
                one[together / LANES * 4 + position].0[together % LANES],
            ];
            assert_eq!(found.map(f32::to_bits), [number.to_bits(); 2]);
        }
        let mut twice = batch.clone();
        unflatten_add(&flat, planes, 4, &mut twice);
        let expected = batch
            .iter()
            .map(|once| Lanes(once.0.map(|number| 2.0 * number)));
        assert_eq!(twice, expected.collect::<Vec<_>>());
    }
}
