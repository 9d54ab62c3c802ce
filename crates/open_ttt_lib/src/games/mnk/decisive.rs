use super::{Mnk, Point};
use crate::games::bits::bits;
use crate::games::decisive::{PlayoutBoard, fill_decisively};
use crate::rules::{DecisiveMoves, IndexedMoves, Outcome, Side, TwoPlayerGame};

const SIDE: usize = Mnk::MAX_SIDE as usize;
const MAX_POINTS: usize = SIDE * SIDE;

/// The lines of a board in one direction, each as bits:
///
/// ```text
///                    line          bit
/// along the rows     row           column
/// up                 column        row
/// up to the right    SIDE - 1 + column - row   column
/// up to the left     column + row  column
/// ```
type Lines = [u32; 2 * SIDE - 1];

/// The board as its lines, with the winning points of each side.
struct Board {
    pieces: [[Lines; 4]; 2],
    free: [Lines; 4],
    winning: [PointSet; 2],
    columns: usize,
    in_a_row: u32,
}

/// A bit set of point indices.
type PointSet = [u64; MAX_POINTS.div_ceil(64)];

/// The line and the bit of a point in each direction.
fn lines_through(point: Point) -> [(usize, u8); 4] {
    let (column, row) = (usize::from(point.column), usize::from(point.row));
    [
        (row, point.column),
        (column, point.row),
        (SIDE - 1 + column - row, point.column),
        (column + row, point.column),
    ]
}

/// The point at a bit of a line.
fn point_at(direction: usize, line: usize, bit: u8) -> Point {
    let at = usize::from(bit);
    let (column, row) = match direction {
        0 => (at, line),
        1 => (line, at),
        2 => (at, SIDE - 1 + at - line),
        _ => (at, line - at),
    };
    Point {
        column: column as u8,
        row: row as u8,
    }
}

/// The bits that complete a run of `in_a_row` bits.
fn winning_bits(pieces: u32, in_a_row: u32) -> u32 {
    let mut above = u32::MAX;
    // `count` pieces are below the bit and the rest above it.
    (0..in_a_row).fold(0, |all, count| {
        if count > 0 {
            above &= pieces << count;
        }
        let rest = (1..in_a_row - count).fold(above, |both, step| both & pieces >> step);
        all | rest
    })
}

impl Board {
    fn of(game: &Mnk) -> Self {
        let mut board = Self {
            pieces: [[[0; 2 * SIDE - 1]; 4]; 2],
            free: [[0; 2 * SIDE - 1]; 4],
            winning: [PointSet::default(); 2],
            columns: game.columns.into(),
            in_a_row: game.in_a_row.into(),
        };
        for row in 0..game.row_count {
            let points = |columns: u32| bits(columns).map(move |column| Point { column, row });
            mark(&mut board.free, points(game.free(row)));
            for side in Side::BOTH {
                let pieces = game.rows[side.index()][usize::from(row)];
                mark(&mut board.pieces[side.index()], points(pieces));
            }
        }
        for side in Side::BOTH {
            for direction in 0..4 {
                for line in 0..2 * SIDE - 1 {
                    board.update_line(side, direction, line);
                }
            }
        }
        board
    }

    /// Adds the winning points of a line.
    fn update_line(&mut self, side: Side, direction: usize, line: usize) {
        let pieces = self.pieces[side.index()][direction][line];
        if pieces.count_ones() + 1 < self.in_a_row {
            return;
        }
        let found = winning_bits(pieces, self.in_a_row) & self.free[direction][line];
        for bit in bits(found) {
            let point = point_at(direction, line, bit);
            let number = usize::from(point.row) * self.columns + usize::from(point.column);
            self.winning[side.index()][number / 64] |= 1 << (number % 64);
        }
    }
}

/// Sets the bits of points in all four directions.
fn mark(lines: &mut [Lines; 4], points: impl Iterator<Item = Point>) {
    for point in points {
        for (lines, (line, bit)) in lines.iter_mut().zip(lines_through(point)) {
            lines[line] |= 1 << bit;
        }
    }
}

impl PlayoutBoard for Board {
    fn put(&mut self, side: Side, cell: usize) {
        for set in &mut self.winning {
            set[cell / 64] &= !(1 << (cell % 64));
        }
        let point = Point {
            column: (cell % self.columns) as u8,
            row: (cell / self.columns) as u8,
        };
        for (direction, (line, bit)) in lines_through(point).into_iter().enumerate() {
            self.pieces[side.index()][direction][line] |= 1 << bit;
            self.free[direction][line] &= !(1 << bit);
            self.update_line(side, direction, line);
        }
    }

    fn winning_cells(&self, side: Side) -> impl Iterator<Item = usize> {
        let words = self.winning[side.index()].into_iter().enumerate();
        words.flat_map(|(index, word)| bits(word).map(move |bit| 64 * index + usize::from(bit)))
    }
}

impl DecisiveMoves for Mnk {
    fn play_out_decisively(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let free = self.moves().map(|point| self.move_index(point));
        fill_decisively::<MAX_POINTS>(Board::of(&self), free, self.to_move(), draw)
    }
}
