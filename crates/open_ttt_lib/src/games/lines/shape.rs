use super::LinesOptions;
use crate::games::bits::bits;

/// The coordinates of a cell: column, row, layer, block or board.
pub(super) type Coordinates = [u8; 4];

/// A step from a cell to a neighbour.
pub(super) type Direction = [i8; 4];

/// The directions of lines in four dimensions, one of each opposite pair: the first
/// step that isn't 0 leads to a higher coordinate.
pub(super) const DIRECTIONS: [Direction; 40] = {
    let mut directions = [[0; 4]; 40];
    // In base 3 the numbers above 40, that of no step at all, are the opposites of
    // those below.
    let mut number = 0;
    while number < 40 {
        let mut rest = 41 + number as i32;
        let mut axis = 0;
        while axis < 4 {
            directions[number][axis] = (rest % 3 - 1) as i8;
            rest /= 3;
            axis += 1;
        }
        number += 1;
    }
    directions
};

/// The extents of a board and which of its edges meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    extents: Coordinates,
    wrap: u8,
    /// The number of dimensions in which lines run.
    dimensions: u8,
}

impl Shape {
    pub(super) const fn of(options: &LinesOptions) -> Self {
        Self {
            extents: [
                options.columns,
                options.rows,
                options.layers,
                options.blocks * options.boards,
            ],
            wrap: options.wrap,
            dimensions: options.dimensions(),
        }
    }

    pub(super) const fn extents(&self) -> Coordinates {
        self.extents
    }

    pub(super) fn coordinates(&self, cell: u16) -> Coordinates {
        let mut rest = cell;
        self.extents.map(|extent| {
            let coordinate = rest % u16::from(extent);
            rest /= u16::from(extent);
            coordinate as u8
        })
    }

    pub(super) fn cell(&self, at: Coordinates) -> u16 {
        let axes = self.extents.into_iter().zip(at).rev();
        axes.fold(0, |cell, (extent, coordinate)| {
            cell * u16::from(extent) + u16::from(coordinate)
        })
    }

    /// The numbers in [`DIRECTIONS`] of those in which a line of more than one cell can
    /// run, as bits.
    pub(super) fn directions(&self) -> u64 {
        let fits = |direction: &Direction| {
            let mut axes = direction.iter().zip(self.extents).enumerate();
            axes.all(|(axis, (&step, extent))| {
                step == 0 || extent > 1 && axis < self.dimensions as usize
            })
        };
        let numbered = DIRECTIONS.iter().enumerate();
        numbered.fold(0, |all, (number, direction)| {
            all | u64::from(fits(direction)) << number
        })
    }

    /// The cells next to a cell in a direction, one after the other, without end if the
    /// line comes back to the cell.
    pub(super) fn along(self, from: Coordinates, direction: Direction) -> Along {
        let mut along = Along {
            shape: self,
            direction,
            at: from,
            wraps: self.wraps(direction),
            cell: self.cell(from),
            offset: 0,
            left: u8::MAX,
        };
        let mut stride = 1;
        for (axis, &step) in direction.iter().enumerate() {
            let extent = self.extents[axis];
            along.offset += stride * i16::from(step);
            stride *= i16::from(extent);
            let room = match step {
                1 => extent - 1 - from[axis],
                -1 => from[axis],
                _ => continue,
            };
            along.left = along.left.min(room);
        }
        along
    }

    /// The edges of the board next to a cell, as bits: two for each dimension, the lower
    /// edge first. Edges that meet don't count.
    pub(super) fn edges(&self, at: Coordinates) -> u8 {
        (self.wrap as usize..4).fold(0, |edges, axis| {
            let low = u8::from(at[axis] == 0);
            let high = u8::from(at[axis] + 1 == self.extents[axis]);
            edges | (low | high << 1) << (2 * axis)
        })
    }

    /// Whether edges meet in a direction.
    pub(super) fn wraps(&self, direction: Direction) -> bool {
        direction[..self.wrap as usize]
            .iter()
            .any(|&step| step != 0)
    }

    /// The neighbour of a cell with these edges in a direction in which no edges meet.
    pub(super) fn neighbour(&self, cell: u16, edges: u8, direction: Direction) -> Option<u16> {
        let mut offset = 0;
        let mut crossed = 0;
        let mut stride = 1;
        for (axis, &step) in direction.iter().enumerate() {
            crossed |= [1, 0, 2][(step + 1) as usize] << (2 * axis);
            offset += stride * i16::from(step);
            stride *= i16::from(self.extents[axis]);
        }
        (edges & crossed == 0).then(|| cell.wrapping_add_signed(offset))
    }

    /// The neighbour of a cell, if it has one there.
    pub(super) fn step(&self, from: Coordinates, direction: Direction) -> Option<Coordinates> {
        let mut to = from;
        for (axis, coordinate) in to.iter_mut().enumerate() {
            let extent = self.extents[axis];
            let next = coordinate.wrapping_add_signed(direction[axis]);
            *coordinate = match next {
                _ if next < extent => next,
                _ if axis >= self.wrap as usize => return None,
                _ if direction[axis] < 0 => extent - 1,
                _ => 0,
            };
        }
        Some(to)
    }
}

/// The cells of [`Shape::along`].
pub(super) struct Along {
    shape: Shape,
    direction: Direction,
    /// The coordinates of the last cell, if edges meet in the direction.
    at: Coordinates,
    wraps: bool,
    /// Otherwise the last cell, how much the next one is further, and how many are left.
    cell: u16,
    offset: i16,
    left: u8,
}

impl Iterator for Along {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if self.wraps {
            self.at = self.shape.step(self.at, self.direction)?;
            return Some(self.shape.cell(self.at));
        }
        self.left = self.left.checked_sub(1)?;
        self.cell = self.cell.wrapping_add_signed(self.offset);
        Some(self.cell)
    }
}

/// The direction back.
pub(super) fn opposite(direction: Direction) -> Direction {
    direction.map(|step| -step)
}

/// The number of cells of the longest line, which is at least one.
pub(super) fn longest_line(shape: &Shape) -> u32 {
    let length = |direction: Direction| {
        let axes = || (0..4).filter(|&axis| direction[axis] != 0);
        let extent = |axis: usize| u32::from(shape.extents[axis]);
        let bounded = axes()
            .filter(|&axis| axis >= shape.wrap as usize)
            .map(extent);
        // Where no edge ends it, a line comes back to its start.
        let cycle = || axes().map(extent).fold(1, least_common_multiple);
        bounded.min().unwrap_or_else(cycle)
    };
    let directions = bits(shape.directions()).map(|number| DIRECTIONS[number as usize]);
    directions.map(length).max().unwrap_or(1)
}

fn least_common_multiple(a: u32, b: u32) -> u32 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor * b
}
