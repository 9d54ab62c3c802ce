use super::shape::Coordinates;
use super::{Lines, LinesMove, LinesOptions, Mark, WORDS, mark_hash};
use crate::games::bits::bits;
use crate::rules::Symmetry;

/// A symmetry of a board of [`Lines`]: mirroring along any of its dimensions, and the
/// exchange of columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinesTransform {
    /// The dimensions that are mirrored, as bits.
    mirrored: u8,
    /// Whether columns and rows are exchanged afterwards.
    transposed: bool,
}

/// The mirror images; so many first ones mirror only the first dimensions.
static MIRRORED: [LinesTransform; 16] = transforms(4);
static SQUARE: [LinesTransform; 8] = transforms(2);
static SQUARE_LAYERS: [LinesTransform; 16] = transforms(3);
static SQUARE_BLOCKS: [LinesTransform; 32] = transforms(4);

/// The mirror images in so many dimensions, then, if there is room, the same
/// transposed.
const fn transforms<const COUNT: usize>(dimensions: u8) -> [LinesTransform; COUNT] {
    let mut all = [LinesTransform {
        mirrored: 0,
        transposed: false,
    }; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = LinesTransform {
            mirrored: (index % (1 << dimensions)) as u8,
            transposed: index >> dimensions != 0,
        };
        index += 1;
    }
    all
}

impl Lines {
    fn image_of(&self, at: Coordinates, transform: LinesTransform) -> Coordinates {
        let mut image = at;
        for (axis, extent) in self.shape().extents().into_iter().enumerate() {
            if transform.mirrored >> axis & 1 == 1 {
                image[axis] = extent - 1 - at[axis];
            }
        }
        if transform.transposed {
            image.swap(0, 1);
        }
        image
    }

    fn cell_image(&self, cell: u16, transform: LinesTransform) -> u16 {
        let shape = self.shape();
        shape.cell(self.image_of(shape.coordinates(cell), transform))
    }
}

impl Symmetry for Lines {
    type Transform = LinesTransform;

    /// The direction in which marks fall isn't mirrored, nor are those after it.
    fn symmetries(&self) -> &'static [LinesTransform] {
        let LinesOptions {
            columns,
            rows,
            gravity,
            wrap,
            ..
        } = self.options;
        let dimensions = self.options.dimensions();
        let mirrored = match (gravity, dimensions) {
            (true, 2) => 1,
            (true, _) => 2,
            (false, all) => all,
        };
        // The exchange needs equal edges; those of a cylinder differ.
        match mirrored {
            _ if columns != rows || wrap == 1 || mirrored < 2 => &MIRRORED[..1 << mirrored],
            2 => &SQUARE,
            3 => &SQUARE_LAYERS,
            _ => &SQUARE_BLOCKS,
        }
    }

    fn image(&self, transform: LinesTransform) -> Self {
        let mut image = Self {
            boards: [[0; WORDS]; 2],
            hash: 0,
            ..*self
        };
        for mark in [Mark::X, Mark::O] {
            for (word, marks) in (0_u16..).zip(self.boards[mark as usize]) {
                for bit in bits(marks) {
                    let cell = self.cell_image(word * 64 + u16::from(bit), transform);
                    image.boards[mark as usize][cell as usize / 64] |= 1 << (cell % 64);
                    image.hash ^= mark_hash(mark, cell);
                }
            }
        }
        image
    }

    fn move_image(&self, m: LinesMove, transform: LinesTransform) -> LinesMove {
        LinesMove {
            cell: self.cell_image(m.cell, transform),
            ..m
        }
    }
}
