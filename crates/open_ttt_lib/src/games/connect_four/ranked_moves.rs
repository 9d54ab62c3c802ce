use super::{BOARD, COLUMNS, Column, STRIDE};

/// Moves that are ordered by the threats that they make, for all columns at once.
///
/// A move below an own threat comes last, because the opponent answers it in the cell of
/// the threat. The others are in descending order of the number of new threats, and
/// columns with more lines through them come first.
pub(super) struct RankedMoves {
    /// The cells of the moves.
    cells: u64,
    /// The cells that come last.
    last: u64,
    /// For each cell the number of new threats, up to 7, with one binary digit in each
    /// word, the lowest first.
    counts: [u64; 3],
}

impl RankedMoves {
    /// The moves to these cells of a side with these pieces and winning cells, where
    /// `free` are the empty cells.
    #[inline]
    pub(super) fn new(cells: u64, own: u64, wins: u64, free: u64) -> Self {
        let mut moves = Self {
            cells,
            last: wins >> 1,
            counts: [0; 3],
        };
        if cells & cells.wrapping_sub(1) != 0 {
            let new = free & !wins;
            let [ones, twos, fours] = &mut moves.counts;
            *ones = completes_above(own) & new >> 1;
            for &cells in Completions::new(own).by(new).as_flattened() {
                let carry = *ones & cells;
                *ones ^= cells;
                *fours |= *twos & carry;
                *twos ^= carry;
            }
        }
        moves
    }
}

impl Iterator for RankedMoves {
    type Item = Column;

    #[inline]
    fn next(&mut self) -> Option<Column> {
        let mut best = self.cells;
        let [ones, twos, fours] = self.counts;
        for preferred in [!self.last, fours, twos, ones] {
            if best & preferred != 0 {
                best &= preferred;
            }
        }
        let mut columns = CENTRE_FIRST.into_iter();
        let column = columns.find(|column| best & column.cells() != 0)?;
        self.cells &= !column.cells();
        Some(column)
    }
}

/// The columns, those with more lines through them first.
const CENTRE_FIRST: [Column; COLUMNS as usize] = [
    Column(3),
    Column(2),
    Column(4),
    Column(1),
    Column(5),
    Column(0),
    Column(6),
];

/// The cells where a third piece in its column makes the next cell winning.
#[inline]
pub(super) const fn completes_above(own: u64) -> u64 {
    const HAS_CELL_ABOVE: u64 = BOARD & BOARD >> 1;
    own << 1 & own << 2 & HAS_CELL_ABOVE
}

/// Distances along the lines that leave a column: down-right, right, up-right.
pub(super) const SIDEWAYS: [u8; 3] = [STRIDE - 1, STRIDE, STRIDE + 1];

/// For each direction and offset the cells where one more piece makes three of a line
/// of four, so that the cell at that offset completes the line.
///
/// ```text
///   b3 b2 b1  c a1 a2 a3     own pieces behind and ahead of a cell c
///
///       x  x  c  *           the cell at offset 1 completes a line
///          x  c  *  x
///             c  *  x  x
///          x  c  x  *        the cell at offset 2
///             c  x  *  x
///             c  x  x  *     the cell at offset 3; behind c it is the same reversed
/// ```
pub(super) struct Completions([[u64; 6]; 3]);

/// The indices of offsets in [`Completions`]: 1, 2, 3 are followed by -1, -2, -3.
pub(super) const AHEAD: usize = 0;
pub(super) const BEHIND: usize = 3;

impl Completions {
    #[inline]
    pub(super) fn new(own: u64) -> Self {
        let [down, level, up] = SIDEWAYS;
        Self([
            Self::along(own, down),
            Self::along(own, level),
            Self::along(own, up),
        ])
    }

    #[inline]
    fn along(own: u64, d: u8) -> [u64; 6] {
        let (b1, b2, b3) = (own << d, own << (2 * d), own << (3 * d));
        let (a1, a2, a3) = (own >> d, own >> (2 * d), own >> (3 * d));
        [
            b1 & (b2 | a2) | a2 & a3,
            a1 & (b1 | a3),
            a1 & a2,
            a1 & (a2 | b2) | b2 & b3,
            b1 & (a1 | b3),
            b1 & b2,
        ]
    }

    /// By direction and offset; offsets may lead off the board.
    pub(super) const fn all(&self) -> &[[u64; 6]; 3] {
        &self.0
    }

    /// The same, where one of these cells completes the line.
    #[inline]
    pub(super) fn by(&self, cells: u64) -> [[u64; 6]; 3] {
        let mut completed = self.0;
        for (completed, d) in completed.iter_mut().zip(SIDEWAYS) {
            completed[AHEAD] &= cells >> d;
            completed[AHEAD + 1] &= cells >> (2 * d);
            completed[AHEAD + 2] &= cells >> (3 * d);
            completed[BEHIND] &= cells << d;
            completed[BEHIND + 1] &= cells << (2 * d);
            completed[BEHIND + 2] &= cells << (3 * d);
        }
        completed
    }
}
