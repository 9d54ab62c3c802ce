use core::marker::PhantomData;

use super::super::kernel::Lanes;
use super::super::simd::Simd;
use super::matrices::Transform;
use super::tiling::{Tiles, Tiling};

/// The layout of transformed positions: those of a batch that are transformed together,
/// ordered by vector of channels, point, tile and position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points {
    pub(super) tiling: Tiling,
    /// The positions of the batch.
    pub(super) positions: usize,
    /// The first of the positions transformed together, and their number.
    pub(super) first: usize,
    pub(super) together: usize,
    /// The distance of a point's vectors.
    pub(super) stride: usize,
}

impl Points {
    /// The first positions of a batch: as many as have at most `tiles` tiles, but at least
    /// one.
    pub(super) fn new(tiling: Tiling, positions: usize, tiles: usize) -> Self {
        let (rows, columns) = (tiling.rows, tiling.columns);
        let together = tiles / (rows.pieces() * columns.pieces());
        let together = together.clamp(1, positions.max(1));
        Self {
            tiling,
            positions,
            first: 0,
            together,
            stride: rows.all_points() * columns.all_points() * together,
        }
    }

    /// All positions of the batch, some at a time.
    pub(super) fn parts(self) -> impl Iterator<Item = Self> {
        (0..self.positions)
            .step_by(self.together)
            .map(move |first| Self {
                first,
                together: self.together.min(self.positions - first),
                ..self
            })
    }

    /// The first tile of a point, and the number of its tiles.
    #[inline(always)]
    pub(super) const fn rows(&self, down: usize, right: usize) -> (usize, usize) {
        let Tiling { rows, columns } = &self.tiling;
        let tiles = rows.pieces_at(down) * columns.pieces_at(right);
        (
            self.tiling.tiles_before(down, right) * self.together,
            tiles * self.together,
        )
    }

    /// The index of a position's first cell.
    #[inline(always)]
    pub(super) const fn cells(&self, vector: usize, position: usize) -> usize {
        (vector * self.positions + self.first + position) * self.tiling.cells()
    }

    /// The index of a tile at each point.
    #[inline(always)]
    pub(super) fn places<const DOWN: usize, const RIGHT: usize>(
        &self,
        row: usize,
        column: usize,
    ) -> [[usize; RIGHT]; DOWN] {
        let mut places = [[0; RIGHT]; DOWN];
        for (down, places) in places.iter_mut().enumerate() {
            for (right, place) in places.iter_mut().enumerate() {
                let tiles = self.tiling.tiles_before(down, right)
                    + row * self.tiling.columns.pieces_at(right)
                    + column;
                *place = tiles * self.together;
            }
        }
        places
    }

    /// Transforms the input of a convolution or the output gradient, of all tiles.
    #[inline(always)]
    pub(super) fn transform<S: Simd, T: Transform>(
        self,
        simd: S,
        batch: &[Lanes],
        points: &mut [Lanes],
    ) {
        self.tiling.each(&mut TileTransform::<_, T> {
            simd,
            transform: PhantomData,
            layout: self,
            batch,
            points,
        });
    }
}

/// Transforms the tiles of a batch.
struct TileTransform<'a, S, T> {
    simd: S,
    transform: PhantomData<T>,
    layout: Points,
    batch: &'a [Lanes],
    points: &'a mut [Lanes],
}

impl<S: Simd, T: Transform> Tiles for TileTransform<'_, S, T> {
    #[inline(always)]
    fn tile<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        if T::AROUND > 0 {
            // With the cells around it a tile has a cell for each point.
            self.transform::<DOWN, RIGHT, DOWN, RIGHT>(row, column);
        } else {
            self.transform::<TALL, WIDE, DOWN, RIGHT>(row, column);
        }
    }
}

impl<S: Simd, T: Transform> TileTransform<'_, S, T> {
    /// Transforms one tile: `TALL` by `WIDE` cells to `DOWN` by `RIGHT` points.
    #[inline(always)]
    fn transform<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        let (simd, layout) = (self.simd, self.layout);
        let all = layout.tiling.cells();
        let cells = layout
            .tiling
            .cells_from::<TALL, WIDE>(row, column, T::AROUND);
        let places = layout.places::<DOWN, RIGHT>(row, column);
        // Loops instead of closures, in which the compiler would not use the instruction
        // set.
        let mut lines = [[simd.zero(); WIDE]; DOWN];
        for vector in 0..self.batch.len() / (layout.positions * all) {
            for position in 0..layout.together {
                let batch = &self.batch[layout.cells(vector, position)..][..all];
                for right in 0..WIDE {
                    let mut patch = [simd.zero(); TALL];
                    for (value, cells) in patch.iter_mut().zip(&cells) {
                        if let Some(cell) = batch.get(cells[right]) {
                            *value = simd.load(cell);
                        }
                    }
                    let values: [S::V; DOWN] = T::transform(simd, patch);
                    for (line, value) in lines.iter_mut().zip(values) {
                        line[right] = value;
                    }
                }
                let points = &mut self.points[vector * layout.stride + position..];
                for (&line, places) in lines.iter().zip(&places) {
                    let values: [S::V; RIGHT] = T::transform(simd, line);
                    for (value, &place) in values.into_iter().zip(places) {
                        simd.store(&mut points[place], value);
                    }
                }
            }
        }
    }
}
