use super::super::conv_shape::ConvShape;
use super::super::kernel::LANES;

/// The points of a piece of four cells.
pub(super) const POINTS_OF_FOUR: usize = 6;
/// The points of a piece of three cells.
pub(super) const POINTS_OF_THREE: usize = 5;

/// A partition of a board into tiles.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Tiling {
    pub(super) rows: Side,
    pub(super) columns: Side,
}

/// A partition of one side into pieces of four cells, followed by pieces of three; the
/// last may extend beyond the edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) cells: usize,
    pub(super) fours: usize,
    threes: usize,
}

impl Side {
    /// The partition with the fewest points.
    fn new(cells: usize) -> Self {
        let cut = |fours: usize| Self {
            cells,
            fours,
            threes: cells.saturating_sub(4 * fours).div_ceil(3),
        };
        let cuts = (0..=cells.div_ceil(4)).map(cut);
        cuts.min_by_key(Self::all_points).unwrap_or(cut(0))
    }

    /// The total points of the pieces.
    pub(super) const fn all_points(&self) -> usize {
        POINTS_OF_FOUR * self.fours + POINTS_OF_THREE * self.threes
    }

    /// The points of the largest piece.
    pub(super) const fn points(&self) -> usize {
        if self.fours > 0 {
            POINTS_OF_FOUR
        } else {
            POINTS_OF_THREE
        }
    }

    pub(super) const fn pieces(&self) -> usize {
        self.fours + self.threes
    }

    /// The number of pieces that have a point; they are the first.
    pub(super) const fn pieces_at(&self, point: usize) -> usize {
        if point < POINTS_OF_THREE {
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

/// A visitor of the tiles of a board.
pub(super) trait Tiles {
    /// Visits a tile of `TALL` by `WIDE` cells and `DOWN` by `RIGHT` points.
    fn tile<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    );
}

impl Tiling {
    /// The partition for a layer with so many channels, if Winograd convolution is faster:
    /// the transforms have to pay.
    pub(in super::super) fn of(shape: &ConvShape, channels: usize) -> Option<Self> {
        let (rows, columns) = shape.sides();
        let tiling = Self {
            rows: Side::new(rows),
            columns: Side::new(columns),
        };
        let multiplied = tiling.rows.all_points() * tiling.columns.all_points();
        let pays = 10 * multiplied < 6 * 9 * tiling.cells() && channels >= LANES / 2;
        (shape.kernel() == 9 && pays).then_some(tiling)
    }

    #[inline(always)]
    pub(super) fn each(&self, tiles: &mut impl Tiles) {
        let Self { rows, columns } = self;
        for row in 0..rows.pieces() {
            for column in 0..columns.pieces() {
                match (row < rows.fours, column < columns.fours) {
                    (false, false) => tiles.tile::<3, 3, 5, 5>(row, column),
                    (false, true) => tiles.tile::<3, 4, 5, 6>(row, column),
                    (true, false) => tiles.tile::<4, 3, 6, 5>(row, column),
                    (true, true) => tiles.tile::<4, 4, 6, 6>(row, column),
                }
            }
        }
    }

    pub(super) const fn cells(&self) -> usize {
        self.rows.cells * self.columns.cells
    }

    /// The cells of a tile and those within a distance around it; `usize::MAX` beyond the
    /// edge.
    #[inline(always)]
    pub(super) fn cells_from<const DOWN: usize, const RIGHT: usize>(
        &self,
        row: usize,
        column: usize,
        around: usize,
    ) -> [[usize; RIGHT]; DOWN] {
        let (top, left) = (self.rows.start(row), self.columns.start(column));
        let mut found = [[usize::MAX; RIGHT]; DOWN];
        for (down, found) in found.iter_mut().enumerate() {
            for (right, found) in found.iter_mut().enumerate() {
                // Shifted by `around`, so that it is not negative.
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

    /// The number of tiles at the points before this one, each counted at each of its
    /// points.
    #[inline(always)]
    pub(super) const fn tiles_before(&self, down: usize, right: usize) -> usize {
        let Self { rows, columns } = self;
        // Only the last point is not a point of all pieces.
        down * rows.pieces() * columns.all_points()
            + rows.pieces_at(down) * right * columns.pieces()
    }
}
