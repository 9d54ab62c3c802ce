//! Convolutions with fewer multiplications (Winograd 1980; for networks Lavin and
//! Gray 2016): three or four cells of the output along each side at once, from two
//! more of the input.
//!
//! Input, weights and output are carried to where the convolution is a product at
//! each point of a grid, and back. With the points 0, 1, -1, 2 and infinity three
//! cells take five products, and with -2 as well four cells take six; so a board of
//! six by seven takes 110 where its cells have 304 neighbours. Both lengths share
//! the weights. The matrices, by the method of Cook and Toom:
//!
//! ```text
//!       weights              input, of three cells    of four
//!   0    1/4    0    0        4 -2 -4  2  0           4  0 -5  0  1  0
//!   1   -1/6 -1/6 -1/6        0 -6 -3  3  0           0 -4 -4  1  1  0
//!  -1   -1/6  1/6 -1/6        0  2 -3  1  0           0  4 -4 -1  1  0
//!   2   1/24 1/12  1/6        0 -4  0  4  0           0 -2 -1  2  1  0
//!  inf     0    0    1        0  2 -1 -2  1           0  4  0 -5  0  1
//!  -2   1/24 -1/12 1/6                                0  2 -1 -2  1  0
//!
//!       output, of three cells and of four
//!         0  1 -1  2 inf        0  1 -1  2 inf -2
//!         1  1  1  1  0         1  1  1  1  0  1
//!         0  1 -1  2  0         0  1 -1  2  0 -2
//!         0  1  1  4  1         0  1  1  4  0  4
//!                               0  1 -1  8  1 -8
//! ```

use super::kernel::{Finish, InstructionSet, LANES, Lanes};
use super::rows::Rows;
use super::simd::{Kernel, Simd};

/// The points along one side.
const POINTS: usize = 6;
/// Those that three cells have.
const FEW: usize = 5;

/// How the sides of a board are cut.
#[derive(Clone, Debug)]
pub(super) struct Tiling {
    rows: Side,
    columns: Side,
}

/// How one side is cut: into pieces of four cells, and behind them of three, the
/// last of which may reach beyond the edge.
#[derive(Clone, Copy, Debug)]
struct Side {
    cells: usize,
    fours: usize,
    threes: usize,
}

impl Side {
    /// With the fewest points.
    fn new(cells: usize) -> Self {
        let cut = |fours: usize| Self {
            cells,
            fours,
            threes: cells.saturating_sub(4 * fours).div_ceil(3),
        };
        let cuts = (0..=cells.div_ceil(4)).map(cut);
        cuts.min_by_key(Self::all_points).unwrap_or(cut(0))
    }

    /// The points of all pieces.
    const fn all_points(&self) -> usize {
        POINTS * self.fours + FEW * self.threes
    }

    /// The points that some piece has.
    const fn points(&self) -> usize {
        if self.fours > 0 { POINTS } else { FEW }
    }

    const fn pieces(&self) -> usize {
        self.fours + self.threes
    }

    /// How many pieces have a point: the first ones.
    const fn pieces_at(&self, point: usize) -> usize {
        if point < FEW {
            self.pieces()
        } else {
            self.fours
        }
    }

    /// The first cell of a piece.
    const fn start(&self, piece: usize) -> usize {
        if piece < self.fours {
            4 * piece
        } else {
            self.fours + 3 * piece
        }
    }
}

impl Tiling {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self {
            rows: Side::new(rows),
            columns: Side::new(columns),
        }
    }

    const fn cells(&self) -> usize {
        self.rows.cells * self.columns.cells
    }

    /// The cells of a tile, and those so far around it; for those beyond the edge a
    /// number that no cell has.
    #[inline(always)]
    fn cells_from<const DOWN: usize, const RIGHT: usize>(
        &self,
        row: usize,
        column: usize,
        around: usize,
    ) -> [[usize; RIGHT]; DOWN] {
        let (top, left) = (self.rows.start(row), self.columns.start(column));
        let mut found = [[usize::MAX; RIGHT]; DOWN];
        for (down, found) in found.iter_mut().enumerate() {
            for (right, found) in found.iter_mut().enumerate() {
                // More than the cell's, so that none is negative.
                let (row, column) = (top + down, left + right);
                let beyond_top_left = row < around || column < around;
                let beyond =
                    row >= self.rows.cells + around || column >= self.columns.cells + around;
                if !beyond_top_left && !beyond {
                    *found = (row - around) * self.columns.cells + column - around;
                }
            }
        }
        found
    }

    /// How many tiles there are at the points before this one, each tile once at
    /// each of its points.
    #[inline(always)]
    const fn tiles_before(&self, down: usize, right: usize) -> usize {
        let Self { rows, columns } = self;
        // Only the last point is not one of all pieces.
        down * rows.pieces() * columns.all_points()
            + rows.pieces_at(down) * right * columns.pieces()
    }

    /// Whether this way is the quicker one: the way there and back has to pay.
    pub(super) const fn pays(&self, channels: usize) -> bool {
        let multiplied = self.rows.all_points() * self.columns.all_points();
        let cells = self.rows.cells * self.columns.cells;
        10 * multiplied < 6 * 9 * cells && channels >= LANES / 2
    }
}

/// The weights at each point.
#[derive(Clone, Debug)]
pub(super) struct Tiled {
    tiling: Tiling,
    channels: usize,
    outputs: usize,
    /// For each point, each sixteen outputs and each channel, one number for each of
    /// the outputs.
    weights: Vec<Lanes>,
}

impl Tiled {
    pub(super) fn new(tiling: Tiling, channels: usize, outputs: usize) -> Self {
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
    pub(super) fn set(&mut self, weights: &[Lanes]) {
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

    /// As [`product`](super::kernel::product), up to rounding.
    pub(super) fn convolve(
        &self,
        set: InstructionSet,
        (input, output): (&[Lanes], &mut [Lanes]),
        biases: &[Lanes],
        finish: Finish,
        scratch: &mut Vec<Lanes>,
    ) {
        let Tiling { rows, columns } = &self.tiling;
        let cells = rows.cells * columns.cells;
        let positions = output.len() / (cells * biases.len());
        let together = (ROWS / (rows.pieces() * columns.pieces())).clamp(1, positions.max(1));
        let stride = rows.all_points() * columns.all_points() * together;
        let vectors = self.channels.div_ceil(LANES);
        let length = stride * (vectors + biases.len());
        if scratch.len() < length {
            scratch.resize(length, Lanes::ZERO);
        }
        let (points, products) = scratch.split_at_mut(stride * vectors);
        set.run(Convolution {
            weights: self,
            biases,
            input,
            output,
            finish,
            points,
            products,
            stride,
            positions,
            first: 0,
            together,
        });
    }
}

/// So many tiles are multiplied together at most, if they are those of more than one
/// position: the registers hold the sums of twelve.
const ROWS: usize = 32;

/// The weights' matrix times three numbers.
fn at_points([a, b, c]: [&Lanes; 3]) -> [Lanes; POINTS] {
    let mut points = [Lanes::ZERO; POINTS];
    for lane in 0..LANES {
        let (a, b, c) = (a.0[lane], b.0[lane], c.0[lane]);
        let (outer, far) = ((a + c) * (-1.0 / 6.0), (a + 4.0 * c) * (1.0 / 24.0));
        let (middle, near) = (b * (1.0 / 6.0), b * (1.0 / 12.0));
        points[0].0[lane] = 0.25 * a;
        points[1].0[lane] = outer - middle;
        points[2].0[lane] = outer + middle;
        points[3].0[lane] = far + near;
        points[4].0[lane] = c;
        points[5].0[lane] = far - near;
    }
    points
}

struct Convolution<'a> {
    weights: &'a Tiled,
    biases: &'a [Lanes],
    input: &'a [Lanes],
    output: &'a mut [Lanes],
    finish: Finish,
    /// For each sixteen channels, each point and each tile, what the positions have
    /// there.
    points: &'a mut [Lanes],
    /// The same for each sixteen outputs: what comes out.
    products: &'a mut [Lanes],
    /// How far the sixteens are apart.
    stride: usize,
    positions: usize,
    /// The first of the positions that are computed now, and how many they are.
    first: usize,
    together: usize,
}

impl Kernel for Convolution<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let Tiling { rows, columns } = self.weights.tiling;
        let most = self.together;
        while self.first < self.positions {
            self.together = most.min(self.positions - self.first);
            for row in 0..rows.pieces() {
                for column in 0..columns.pieces() {
                    match (row < rows.fours, column < columns.fours) {
                        (false, false) => self.carry_there::<S, 5, 5>(simd, row, column),
                        (false, true) => self.carry_there::<S, 5, 6>(simd, row, column),
                        (true, false) => self.carry_there::<S, 6, 5>(simd, row, column),
                        (true, true) => self.carry_there::<S, 6, 6>(simd, row, column),
                    }
                }
            }
            self.multiply(simd);
            for row in 0..rows.pieces() {
                for column in 0..columns.pieces() {
                    match (row < rows.fours, column < columns.fours) {
                        (false, false) => self.carry_back::<S, 5, 5, 3, 3>(simd, row, column),
                        (false, true) => self.carry_back::<S, 5, 6, 3, 4>(simd, row, column),
                        (true, false) => self.carry_back::<S, 6, 5, 4, 3>(simd, row, column),
                        (true, true) => self.carry_back::<S, 6, 6, 4, 4>(simd, row, column),
                    }
                }
            }
            self.first += self.together;
        }
    }
}

impl Convolution<'_> {
    /// Where a tile stands at each point.
    #[inline(always)]
    fn places<const DOWN: usize, const RIGHT: usize>(
        &self,
        row: usize,
        column: usize,
    ) -> [[usize; RIGHT]; DOWN] {
        let mut places = [[0; RIGHT]; DOWN];
        for (down, places) in places.iter_mut().enumerate() {
            for (right, place) in places.iter_mut().enumerate() {
                let tiles = self.weights.tiling.tiles_before(down, right)
                    + row * self.weights.tiling.columns.pieces_at(right)
                    + column;
                *place = tiles * self.together;
            }
        }
        places
    }

    /// The cells around a tile, carried to the points.
    #[inline(always)]
    fn carry_there<S: Simd, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        simd: S,
        row: usize,
        column: usize,
    ) {
        let tiling = &self.weights.tiling;
        let all = tiling.cells();
        let around = tiling.cells_from::<DOWN, RIGHT>(row, column, 1);
        let places = self.places::<DOWN, RIGHT>(row, column);
        // Loops, where closures would read better: in those the compiler does not use
        // the instructions.
        let mut lines = [[simd.zero(); RIGHT]; DOWN];
        for vector in 0..self.weights.channels.div_ceil(LANES) {
            for position in 0..self.together {
                let at = (vector * self.positions + self.first + position) * all;
                let input = &self.input[at..][..all];
                for right in 0..RIGHT {
                    let mut patch = [simd.zero(); DOWN];
                    for (value, cells) in patch.iter_mut().zip(&around) {
                        if let Some(cell) = input.get(cells[right]) {
                            *value = simd.load(cell);
                        }
                    }
                    for (line, value) in lines.iter_mut().zip(there(simd, patch)) {
                        line[right] = value;
                    }
                }
                let points = &mut self.points[vector * self.stride + position..];
                for (&line, places) in lines.iter().zip(&places) {
                    for (value, &place) in there(simd, line).into_iter().zip(places) {
                        simd.store(&mut points[place], value);
                    }
                }
            }
        }
    }

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
                let first = tiling.tiles_before(down, right) * self.together;
                let tiles = tiling.rows.pieces_at(down) * tiling.columns.pieces_at(right);
                let point = down * tiling.columns.points() + right;
                Rows {
                    input: &self.points[first..],
                    stride: self.stride,
                    taps: 1,
                    channels: *channels,
                    weights: &weights[point * every..][..every],
                    biases: &[],
                    output: self.products,
                    output_stride: self.stride,
                    first,
                    count: tiles * self.together,
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
        const DOWN: usize,
        const RIGHT: usize,
        const TALL: usize,
        const WIDE: usize,
    >(
        &mut self,
        simd: S,
        row: usize,
        column: usize,
    ) {
        let tiling = &self.weights.tiling;
        let all = tiling.cells();
        let cells = tiling.cells_from::<TALL, WIDE>(row, column, 0);
        let places = self.places::<DOWN, RIGHT>(row, column);
        let mut lines = [[simd.zero(); RIGHT]; TALL];
        for vector in 0..self.biases.len() {
            let bias = simd.load(&self.biases[vector]);
            for position in 0..self.together {
                let products = &self.products[vector * self.stride + position..];
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
                let at = (vector * self.positions + self.first + position) * all;
                let output = &mut self.output[at..][..all];
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

/// The input's matrix times five or six numbers.
#[inline(always)]
fn there<S: Simd, const POINTS: usize>(simd: S, x: [S::V; POINTS]) -> [S::V; POINTS] {
    let (two, four) = (simd.splat(2.0), simd.splat(4.0));
    let mut to = x;
    if POINTS == FEW {
        let odd = simd.sub(x[3], x[1]);
        let twice = simd.add(odd, odd);
        let three = simd.splat(3.0);
        let even = simd.sub(odd, simd.add(x[1], x[2]));
        to[0] = simd.mul_add(four, simd.sub(x[0], x[2]), twice);
        to[1] = simd.mul(three, even);
        to[2] = simd.mul_add(two, x[1], simd.sub(x[3], simd.mul(three, x[2])));
        to[3] = simd.add(twice, twice);
        to[4] = simd.sub(simd.sub(x[4], x[2]), twice);
    } else {
        let minus_four = simd.splat(-4.0);
        let minus_five = simd.splat(-5.0);
        let (even, odd) = (
            simd.mul_add(minus_four, x[2], x[4]),
            simd.mul_add(minus_four, x[1], x[3]),
        );
        let (far, near) = (simd.sub(x[4], x[2]), simd.sub(x[3], x[1]));
        to[0] = simd.mul_add(four, x[0], simd.mul_add(minus_five, x[2], x[4]));
        to[1] = simd.add(even, odd);
        to[2] = simd.sub(even, odd);
        to[3] = simd.mul_add(two, near, far);
        to[4] = simd.mul_add(four, x[1], simd.mul_add(minus_five, x[3], x[5]));
        to[5] = simd.sub(far, simd.add(near, near));
    }
    to
}

/// The output's matrix times five or six numbers.
#[inline(always)]
fn back<S: Simd, const POINTS: usize, const CELLS: usize>(
    simd: S,
    x: [S::V; POINTS],
) -> [S::V; CELLS] {
    let (two, four) = (simd.splat(2.0), simd.splat(4.0));
    let (even, odd) = (simd.add(x[1], x[2]), simd.sub(x[1], x[2]));
    let mut to = [simd.zero(); CELLS];
    let first = simd.add(x[0], even);
    if POINTS == FEW {
        to[0] = simd.add(first, x[3]);
        to[1] = simd.mul_add(two, x[3], odd);
        to[2] = simd.add(simd.mul_add(four, x[3], even), x[4]);
    } else {
        let (far, near) = (simd.add(x[3], x[5]), simd.sub(x[3], x[5]));
        let eight = simd.splat(8.0);
        to[0] = simd.add(first, far);
        to[1] = simd.mul_add(two, near, odd);
        to[2] = simd.mul_add(four, far, even);
        to[3] = simd.add(simd.mul_add(eight, near, odd), x[4]);
    }
    to
}
