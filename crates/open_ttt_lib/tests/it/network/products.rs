//! The two products, against sums over everything in 64-bit numbers.

use open_ttt_lib::network::kernel::{
    Finish, InstructionSet, LANES, Lanes, Packed, Reach, correlate, product,
};
use open_ttt_lib::random::Rng;

use super::naive::unit;

fn random_group(rng: &mut Rng, length: usize) -> Vec<Lanes> {
    (0..length)
        .map(|_| Lanes(core::array::from_fn(|_| unit(rng))))
        .collect()
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
    width: usize,
    convolution: bool,
}

const SHAPES: [Shape; 5] = [
    shape(3, 4, 5, 7, 1, true),
    shape(2, 3, 8, 16, 2, true),
    shape(1, 5, 3, 9, 2, true),
    shape(2, 2, 13, 4, 1, false),
    shape(1, 1, 30, 17, 2, false),
];

const fn shape(
    rows: usize,
    columns: usize,
    channels: usize,
    outputs: usize,
    width: usize,
    convolution: bool,
) -> Shape {
    Shape {
        rows,
        columns,
        channels,
        outputs,
        width,
        convolution,
    }
}

impl Shape {
    fn reach(&self) -> Reach {
        if self.convolution {
            Reach::neighbours(self.rows, self.columns)
        } else {
            Reach::itself(self.cells())
        }
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
}

#[track_caller]
fn close(told: f32, expected: f64) {
    let difference = (f64::from(told) - expected).abs();
    assert!(
        difference < 1e-4 * (1.0 + expected.abs()),
        "{told} is {expected}"
    );
}

#[test]
fn products_are_sums_over_neighbours_and_channels() {
    let mut rng = Rng::new(1);
    for shape in &SHAPES {
        let Shape {
            channels,
            outputs,
            width,
            ..
        } = *shape;
        let kernel = shape.kernel();
        let weights: Vec<f32> = (0..outputs * channels * kernel)
            .map(|_| unit(&mut rng))
            .collect();
        let biases: Vec<f32> = (0..outputs).map(|_| unit(&mut rng)).collect();
        let input = random_group(&mut rng, shape.cells() * channels * width);
        let before = random_group(&mut rng, shape.cells() * outputs * width);
        let mut packed = Packed::default();
        packed.pack(&weights, &biases, channels, kernel);
        for set in InstructionSet::ALL {
            for (add, rectify) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut output = before.clone();
                let finish = Finish { add, rectify };
                product(set, &shape.reach(), &packed, &input, &mut output, finish);
                for (at, told) in output.iter().enumerate() {
                    let (cell, channel) = (at / width / outputs, at / width % outputs);
                    for lane in 0..LANES {
                        let mut sum = f64::from(biases[channel]);
                        for (from, tap) in shape.taps(cell) {
                            for i in 0..channels {
                                let weight = weights[(channel * channels + i) * kernel + tap];
                                let number = input[(from * channels + i) * width + at % width];
                                sum += f64::from(weight) * f64::from(number.0[lane]);
                            }
                        }
                        if add {
                            sum += f64::from(before[at].0[lane]);
                        }
                        close(told.0[lane], if rectify { sum.max(0.0) } else { sum });
                    }
                }
            }
        }
    }
}

/// Going back is the transposed map: for all x and y, y · (W x) = (Wᵀ y) · x.
#[test]
fn the_way_back_is_the_way_there_transposed() {
    let mut rng = Rng::new(2);
    let dot = |one: &[Lanes], other: &[Lanes]| -> f64 {
        let pairs = one.iter().zip(other);
        pairs
            .flat_map(|(a, b)| a.0.into_iter().zip(b.0))
            .map(|(a, b)| f64::from(a) * f64::from(b))
            .sum()
    };
    for shape in &SHAPES {
        let Shape {
            channels,
            outputs,
            width,
            ..
        } = *shape;
        let kernel = shape.kernel();
        let weights: Vec<f32> = (0..outputs * channels * kernel)
            .map(|_| unit(&mut rng))
            .collect();
        let x = random_group(&mut rng, shape.cells() * channels * width);
        let y = random_group(&mut rng, shape.cells() * outputs * width);
        let (mut there, mut back) = (Packed::default(), Packed::default());
        there.pack(&weights, &vec![0.0; outputs], channels, kernel);
        back.pack_back(&weights, outputs, channels, kernel);
        for set in InstructionSet::ALL {
            let mut wx = y.clone();
            let mut wy = x.clone();
            let reach = shape.reach();
            product(set, &reach, &there, &x, &mut wx, Finish::default());
            product(
                set,
                &reach.reversed(),
                &back,
                &y,
                &mut wy,
                Finish::default(),
            );
            let (one, other) = (dot(&y, &wx), dot(&wy, &x));
            assert!(
                (one - other).abs() < 1e-3 * (1.0 + one.abs()),
                "{one} is {other}"
            );
        }
    }
}

#[test]
fn correlations_are_sums_over_positions_and_cells() {
    let mut rng = Rng::new(3);
    for shape in &SHAPES {
        let Shape {
            channels,
            outputs,
            width,
            ..
        } = *shape;
        let kernel = shape.kernel();
        let input = random_group(&mut rng, shape.cells() * channels * width);
        let output = random_group(&mut rng, shape.cells() * outputs * width);
        let before: Vec<f32> = (0..outputs * channels * kernel)
            .map(|_| unit(&mut rng))
            .collect();
        let mut expected: Vec<f64> = before.iter().copied().map(f64::from).collect();
        for cell in 0..shape.cells() {
            for (from, tap) in shape.taps(cell) {
                for o in 0..outputs {
                    for i in 0..channels {
                        for at in 0..width {
                            let out = output[(cell * outputs + o) * width + at].0;
                            let inside = input[(from * channels + i) * width + at].0;
                            let products = out.into_iter().zip(inside);
                            let products = products.map(|(a, b)| f64::from(a) * f64::from(b));
                            expected[(o * channels + i) * kernel + tap] += products.sum::<f64>();
                        }
                    }
                }
            }
        }
        let mut fused: Option<Vec<f32>> = None;
        for set in InstructionSet::ALL {
            let mut told = before.clone();
            correlate(set, &shape.reach(), &input, &output, outputs, &mut told);
            for (&told, &expected) in told.iter().zip(&expected) {
                close(told, expected);
            }
            if set != InstructionSet::Plain && set.is_available() {
                let one = fused.get_or_insert_with(|| told.clone());
                assert_eq!(*one, told, "{set:?} gives the same bits");
            }
        }
    }
}
