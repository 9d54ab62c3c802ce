use super::{CELLS, Quarto, QuartoMove, SIDE};
use crate::games::bits::bits;
use crate::rules::Symmetry;

/// A permutation of the cells that maps lines to lines: one of the eight symmetries
/// of the square, combined with one of four permutations of the columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuartoTransform(u8);

/// The permutations of the columns, and likewise of the rows, that map both
/// diagonals to diagonals, up to reflection.
const PERMUTATIONS: [[u8; SIDE as usize]; 4] =
    [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]];

const TRANSFORM_COUNT: usize = 32;

static TRANSFORMS: [QuartoTransform; TRANSFORM_COUNT] = {
    let mut all = [QuartoTransform(0); TRANSFORM_COUNT];
    let mut index = 0;
    while index < TRANSFORM_COUNT {
        all[index] = QuartoTransform(index as u8);
        index += 1;
    }
    all
};

/// The image of each cell under each transform; the first is the identity.
static IMAGES: [[u8; CELLS as usize]; TRANSFORM_COUNT] = {
    let mut images = [[0; CELLS as usize]; TRANSFORM_COUNT];
    let mut index = 0;
    while index < TRANSFORM_COUNT {
        let permutation = PERMUTATIONS[index % 4];
        let mut cell = 0;
        while cell < CELLS {
            let mut column = permutation[(cell % SIDE) as usize];
            let mut row = permutation[(cell / SIDE) as usize];
            if index & 4 != 0 {
                column = SIDE - 1 - column;
            }
            if index & 8 != 0 {
                row = SIDE - 1 - row;
            }
            if index & 16 != 0 {
                (column, row) = (row, column);
            }
            images[index][cell as usize] = row * SIDE + column;
            cell += 1;
        }
        index += 1;
    }
    images
};

impl Symmetry for Quarto {
    type Transform = QuartoTransform;

    fn symmetries(&self) -> &'static [QuartoTransform] {
        &TRANSFORMS
    }

    fn image(&self, transform: QuartoTransform) -> Self {
        let images = &IMAGES[transform.0 as usize];
        let map = |cells: u16| bits(cells).fold(0, |all, cell| all | 1 << images[cell as usize]);
        Self {
            occupied: map(self.occupied),
            second_values: self.second_values.map(map),
            ..*self
        }
    }

    fn move_image(&self, m: QuartoMove, transform: QuartoTransform) -> QuartoMove {
        let images = &IMAGES[transform.0 as usize];
        QuartoMove {
            cell: m.cell.map(|cell| images[cell as usize]),
            ..m
        }
    }
}
