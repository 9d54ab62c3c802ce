/// A set of cells for each property: sixteen bits for each board, row by row from the bottom.
/// What is asked of the boards is computed for all four at once, without a loop over lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FourBoards(u64);

/// The first cell of each board.
const FIRST: u64 = 0x0001_0001_0001_0001;
/// The first column.
const COLUMN: u64 = 0x1111 * FIRST;
/// The lowest row.
const ROW: u64 = 0x000F * FIRST;
const RISING: u64 = 0x8421 * FIRST;
const FALLING: u64 = 0x1248 * FIRST;

impl FourBoards {
    pub(super) const fn new(boards: [u16; 4]) -> Self {
        let [a, b, c, d] = boards;
        Self(a as u64 | (b as u64) << 16 | (c as u64) << 32 | (d as u64) << 48)
    }

    /// The same cells on each board.
    pub(super) const fn same(cells: u16) -> Self {
        Self(cells as u64 * FIRST)
    }

    /// All cells of the boards whose bit is set, none of the others.
    pub(super) const fn whole(boards: u8) -> Self {
        let first = boards as u64 & 1
            | (boards as u64 & 2) << 15
            | (boards as u64 & 4) << 30
            | (boards as u64 & 8) << 45;
        Self(first * 0xFFFF)
    }

    /// The cells that are in one of both, not in the other.
    pub(super) const fn differing(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    /// The cells that aren't in the other.
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The cells of all boards together.
    pub(super) const fn united(self) -> u16 {
        let pairs = self.0 | self.0 >> 32;
        (pairs | pairs >> 16) as u16
    }

    /// The boards with any cell, a bit each.
    pub(super) const fn any(self) -> u8 {
        let boards = self.0;
        (boards & 0xFFFF != 0) as u8
            | ((boards >> 16 & 0xFFFF != 0) as u8) << 1
            | ((boards >> 32 & 0xFFFF != 0) as u8) << 2
            | ((boards >> 48 != 0) as u8) << 3
    }

    /// The cells whose line, of any direction, has its three other cells in the set.
    pub(super) const fn completions(self) -> Self {
        let cells = self.0;
        let diagonals =
            fourths(onto_lowest_row(cells & RISING) | onto_lowest_row(cells & FALLING) << 4);
        let rising = in_each_row(diagonals & ROW) & RISING;
        let falling = in_each_row(diagonals >> 4 & ROW) & FALLING;
        Self(fourths(cells) | fourths_of_columns(cells) | rising | falling)
    }
}

/// The cells whose three others of the row are in the set: a row rotated by one, two and three
/// cells has them in place of the fourth. The first two rotations are one of the pairs of cells.
const fn fourths(cells: u64) -> u64 {
    let pairs = cells & rotated(cells);
    rotated(pairs) & (cells >> 1 & !(COLUMN << 3) | (cells & COLUMN) << 3)
}

/// Each row moved to the right by a cell, the last one to the first.
const fn rotated(cells: u64) -> u64 {
    (cells & !(COLUMN << 3)) << 1 | cells >> 3 & COLUMN
}

/// The same for columns.
const fn fourths_of_columns(cells: u64) -> u64 {
    let pairs = cells & raised(cells);
    raised(pairs) & (cells >> 4 & !(ROW << 12) | (cells & ROW) << 12)
}

/// Each column moved up by a cell, the topmost one to the lowest.
const fn raised(cells: u64) -> u64 {
    (cells & !(ROW << 12)) << 4 | cells >> 12 & ROW
}

/// The cells of a diagonal, each moved down its column.
const fn onto_lowest_row(diagonal: u64) -> u64 {
    let halves = diagonal | diagonal >> 8;
    (halves | halves >> 4) & ROW
}

/// The cells of the lowest row, in each row.
const fn in_each_row(cells: u64) -> u64 {
    cells * 0x1111
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells that complete a line, line by line.
    fn by_lines(cells: u16) -> u16 {
        super::super::LINES
            .into_iter()
            .map(|line| line & !cells)
            .filter(|missing| missing.is_power_of_two())
            .fold(0, |all, cell| all | cell)
    }

    #[test]
    fn every_board_is_completed_as_line_by_line() {
        for cells in 0..=u16::MAX {
            let boards = [
                cells,
                !cells,
                cells.rotate_left(5),
                cells.wrapping_mul(0x9E37),
            ];
            let found = FourBoards::new(boards).completions();
            let free = found.without(FourBoards::new(boards));
            assert_eq!(free, FourBoards::new(boards.map(by_lines)));
        }
    }

    #[test]
    fn boards_are_chosen_united_and_told_apart() {
        for chosen in 0..16 {
            let boards = [1, 2, 4, 8].map(|bit| if chosen & bit == 0 { 0 } else { u16::MAX });
            assert_eq!(FourBoards::whole(chosen), FourBoards::new(boards));
            assert_eq!(
                FourBoards::new(boards.map(|board| board & 0x0180)).any(),
                chosen
            );
        }
        assert_eq!(
            FourBoards::new([0x8001, 0x0010, 0x0200, 0]).united(),
            0x8211
        );
        let same = FourBoards::same(0x0F0F);
        assert_eq!(
            same.differing(FourBoards::same(0x00FF)),
            FourBoards::same(0x0FF0)
        );
    }
}
