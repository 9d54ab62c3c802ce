use super::super::kernel::LANES;
use super::super::reach::Reach;

/// The points along one side.
pub(super) const POINTS: usize = 6;
/// Those that three cells have.
pub(super) const FEW: usize = 5;

/// How the sides of a board are cut.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Tiling {
    pub(super) rows: Side,
    pub(super) columns: Side,
}

/// How one side is cut: into pieces of four cells, and behind them of three, the
/// last of which may reach beyond the edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) cells: usize,
    pub(super) fours: usize,
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
    pub(super) const fn all_points(&self) -> usize {
        POINTS * self.fours + FEW * self.threes
    }

    /// The points that some piece has.
    pub(super) const fn points(&self) -> usize {
        if self.fours > 0 { POINTS } else { FEW }
    }

    pub(super) const fn pieces(&self) -> usize {
        self.fours + self.threes
    }

    /// How many pieces have a point: the first ones.
    pub(super) const fn pieces_at(&self, point: usize) -> usize {
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

/// What is done with each tile of a board.
pub(super) trait Tiles {
    /// With one that is `TALL` by `WIDE` cells and has `DOWN` by `RIGHT` points.
    fn tile<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    );
}

impl Tiling {
    /// How the board of a layer with so many channels is cut, if that is the quicker
    /// way: the way there and back has to pay.
    pub(in super::super) fn of(reach: &Reach, channels: usize) -> Option<Self> {
        let (rows, columns) = reach.sides();
        let tiling = Self {
            rows: Side::new(rows),
            columns: Side::new(columns),
        };
        let multiplied = tiling.rows.all_points() * tiling.columns.all_points();
        let pays = 10 * multiplied < 6 * 9 * tiling.cells() && channels >= LANES / 2;
        (reach.kernel() == 9 && pays).then_some(tiling)
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

    /// The cells of a tile, and those so far around it; for those beyond the edge a
    /// number that no cell has.
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
    pub(super) const fn tiles_before(&self, down: usize, right: usize) -> usize {
        let Self { rows, columns } = self;
        // Only the last point is not one of all pieces.
        down * rows.pieces() * columns.all_points()
            + rows.pieces_at(down) * right * columns.pieces()
    }
}
