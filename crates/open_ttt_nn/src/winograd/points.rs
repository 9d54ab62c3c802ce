use core::marker::PhantomData;

use super::super::kernel::Lanes;
use super::super::simd::Simd;
use super::tiling::{Tiles, Tiling};
use super::transforms::{Slopes, Surroundings, Transform};

/// Some positions of a group that are carried to the points together, and how they
/// stand there: for each sixteen channels, each point and each tile, side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points {
    pub(super) tiling: Tiling,
    /// How many positions the group has.
    pub(super) positions: usize,
    /// The first of those that are carried now, and how many they are.
    pub(super) first: usize,
    pub(super) together: usize,
    /// How far the sixteens are apart.
    pub(super) stride: usize,
}

impl Points {
    /// The first of a group of so many positions: as many as have so many tiles, or one.
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

    /// All positions of the group, some at a time.
    pub(super) fn parts(self) -> impl Iterator<Item = Self> {
        (0..self.positions)
            .step_by(self.together)
            .map(move |first| Self {
                first,
                together: self.together.min(self.positions - first),
                ..self
            })
    }

    /// Where the tiles of a point begin, and how many they are.
    #[inline(always)]
    pub(super) const fn rows(&self, down: usize, right: usize) -> (usize, usize) {
        let Tiling { rows, columns } = &self.tiling;
        let tiles = rows.pieces_at(down) * columns.pieces_at(right);
        (
            self.tiling.tiles_before(down, right) * self.together,
            tiles * self.together,
        )
    }

    /// Where a position's cells begin.
    #[inline(always)]
    pub(super) const fn cells(&self, vector: usize, position: usize) -> usize {
        (vector * self.positions + self.first + position) * self.tiling.cells()
    }

    /// Where a tile stands at each point.
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

    /// Carries what goes into a convolution: of each tile the cells in it and around
    /// it.
    #[inline(always)]
    pub(super) fn carry_input<S: Simd>(&self, simd: S, group: &[Lanes], points: &mut [Lanes]) {
        self.tiling.each(&mut Carriage::<_, Surroundings> {
            simd,
            transform: PhantomData,
            layout: *self,
            group,
            points,
        });
    }

    /// Carries the slopes of what came out: of each tile the cells in it.
    #[inline(always)]
    pub(super) fn carry_slopes<S: Simd>(&self, simd: S, group: &[Lanes], points: &mut [Lanes]) {
        self.tiling.each(&mut Carriage::<_, Slopes> {
            simd,
            transform: PhantomData,
            layout: *self,
            group,
            points,
        });
    }
}

/// Tiles on their way from a group to the points.
struct Carriage<'a, S, T> {
    simd: S,
    transform: PhantomData<T>,
    layout: Points,
    group: &'a [Lanes],
    points: &'a mut [Lanes],
}

impl<S: Simd> Tiles for Carriage<'_, S, Surroundings> {
    #[inline(always)]
    fn tile<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        // There is a point for each cell in the tile and around it.
        self.carry::<DOWN, RIGHT, DOWN, RIGHT>(row, column);
    }
}

impl<S: Simd> Tiles for Carriage<'_, S, Slopes> {
    #[inline(always)]
    fn tile<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        self.carry::<TALL, WIDE, DOWN, RIGHT>(row, column);
    }
}

impl<S: Simd, T: Transform> Carriage<'_, S, T> {
    /// Carries one tile: `TALL` by `WIDE` cells to `DOWN` by `RIGHT` points.
    #[inline(always)]
    fn carry<const TALL: usize, const WIDE: usize, const DOWN: usize, const RIGHT: usize>(
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
        // Loops, where closures would read better: in those the compiler does not use
        // the instructions.
        let mut lines = [[simd.zero(); WIDE]; DOWN];
        for vector in 0..self.group.len() / (layout.positions * all) {
            for position in 0..layout.together {
                let group = &self.group[layout.cells(vector, position)..][..all];
                for right in 0..WIDE {
                    let mut patch = [simd.zero(); TALL];
                    for (value, cells) in patch.iter_mut().zip(&cells) {
                        if let Some(cell) = group.get(cells[right]) {
                            *value = simd.load(cell);
                        }
                    }
                    let values: [S::V; DOWN] = T::carry(simd, patch);
                    for (line, value) in lines.iter_mut().zip(values) {
                        line[right] = value;
                    }
                }
                let points = &mut self.points[vector * layout.stride + position..];
                for (&line, places) in lines.iter().zip(&places) {
                    let values: [S::V; RIGHT] = T::carry(simd, line);
                    for (value, &place) in values.into_iter().zip(places) {
                        simd.store(&mut points[place], value);
                    }
                }
            }
        }
    }
}
