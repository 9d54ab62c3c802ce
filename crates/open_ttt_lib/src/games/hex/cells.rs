/// A set of cells of a Hex board, one bit a cell.
///
/// There are 14 bits to a row, so that a column that is always empty separates the
/// rows: a step to the left of a row or to the right of it leaves the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Cells([u64; 3]);

/// Bits from one row to the next.
pub(super) const STRIDE: u8 = 14;

/// The distances to the six neighbours of a cell, clockwise from the right one; each
/// is the sum of those before and after it.
///
/// ```text
///  -14 -13        rows from the top
///   -1   0  +1
///      +13 +14
/// ```
pub(super) const NEIGHBOURS: [i32; 6] = [1, 14, 13, -1, -14, -13];

impl Cells {
    pub(super) const EMPTY: Self = Self([0; 3]);

    /// One cell, by its number.
    pub(super) const fn one(number: u8) -> Self {
        let mut cells = Self::EMPTY;
        cells.0[number as usize / 64] = 1 << (number % 64);
        cells
    }

    /// The first columns of a range of rows.
    pub(super) const fn rows(columns: u8, first: u8, count: u8) -> Self {
        let mut cells = Self::EMPTY;
        let mut row = first;
        while row < first + count {
            let mut column = 0;
            while column < columns {
                cells = cells.or(Self::one(row * STRIDE + column));
                column += 1;
            }
            row += 1;
        }
        cells
    }

    /// One column of the first rows.
    pub(super) const fn column(column: u8, rows: u8) -> Self {
        let mut cells = Self::EMPTY;
        let mut row = 0;
        while row < rows {
            cells = cells.or(Self::one(row * STRIDE + column));
            row += 1;
        }
        cells
    }

    pub(super) const fn or(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] | b[0], a[1] | b[1], a[2] | b[2]])
    }

    pub(super) const fn and(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] & b[0], a[1] & b[1], a[2] & b[2]])
    }

    pub(super) const fn without(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] & !b[0], a[1] & !b[1], a[2] & !b[2]])
    }

    pub(super) const fn is_empty(self) -> bool {
        let [a, b, c] = self.0;
        a | b | c == 0
    }

    pub(super) const fn intersects(self, other: Self) -> bool {
        !self.and(other).is_empty()
    }

    pub(super) const fn contains(self, number: u8) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    pub(super) const fn count(self) -> u32 {
        let [a, b, c] = self.0;
        a.count_ones() + b.count_ones() + c.count_ones()
    }

    /// The cells at a distance of less than 64, positive or negative, from these.
    #[inline]
    pub(super) const fn shifted(self, distance: i32) -> Self {
        let [a, b, c] = self.0;
        let by = distance.unsigned_abs();
        if distance > 0 {
            let rest = 64 - by;
            Self([a << by, b << by | a >> rest, c << by | b >> rest])
        } else {
            let rest = 64 - by;
            Self([a >> by | b << rest, b >> by | c << rest, c >> by])
        }
    }

    /// The neighbours of all cells, with bits that are no cells.
    pub(super) const fn neighbours(self) -> Self {
        let mut all = Self::EMPTY;
        let mut direction = 0;
        while direction < NEIGHBOURS.len() {
            all = all.or(self.shifted(NEIGHBOURS[direction]));
            direction += 1;
        }
        all
    }

    /// The cells of `among` that are connected with these through cells of `among`,
    /// together with these.
    pub(super) const fn connected(self, among: Self) -> Self {
        let mut all = self;
        let mut last = self;
        while !last.is_empty() {
            last = last.neighbours().and(among).without(all);
            all = all.or(last);
        }
        all
    }

    /// The 64-bit words.
    pub(super) const fn words(self) -> [u64; 3] {
        self.0
    }

    /// The numbers of the cells, ascending.
    pub(super) fn iter(self) -> CellNumbers {
        CellNumbers(self)
    }
}

/// Iterates over the numbers of cells.
#[derive(Clone, Debug)]
pub(super) struct CellNumbers(Cells);

impl Iterator for CellNumbers {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        for (index, word) in (0..).zip(&mut self.0.0) {
            if *word != 0 {
                let bit = word.trailing_zeros() as u8;
                *word &= *word - 1;
                return Some(index * 64 + bit);
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count() as usize;
        (count, Some(count))
    }
}
