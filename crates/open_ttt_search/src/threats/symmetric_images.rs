use super::cell_set::Cell;
use super::lines::occupied;
use super::proof_table::Pieces;
use alloc::vec;
use alloc::vec::Vec;
use open_ttt_lib::rules::{LineGame, Side, Symmetry};

/// A position of a board of at most 64 cells under every symmetry of the board,
/// each image updated with every move.
#[derive(Debug)]
pub(super) struct SymmetricImages {
    /// Where each symmetry maps each cell, the identity first.
    pub(super) cell_maps: Vec<Vec<u8>>,
    images: Vec<Pieces>,
}

/// With more images than this, comparing them all costs more than it saves once
/// there are many pieces on the board: few of the positions met then are images of
/// one another.
const MAX_IMAGES: usize = 8;
const MANY_PIECES: u32 = 8;

impl SymmetricImages {
    pub(super) fn new<G: LineGame + Symmetry>(game: &G) -> Self {
        let cell_maps = cell_maps(game);
        let mut images = Self {
            images: vec![[0; 2]; cell_maps.len()],
            cell_maps,
        };
        for (cell, side) in occupied(game) {
            images.flip(side, cell);
        }
        images
    }

    /// Puts a piece on a cell, or takes it away.
    pub(super) fn flip(&mut self, side: Side, cell: Cell) {
        for (pieces, map) in self.images.iter_mut().zip(&self.cell_maps) {
            pieces[side.index()] ^= 1 << map[cell as usize];
        }
    }

    /// Gives each side the pieces of the other.
    pub(super) fn exchange_sides(&mut self) {
        for [first, second] in &mut self.images {
            core::mem::swap(first, second);
        }
    }

    /// The pieces on the board.
    pub(super) fn pieces(&self) -> Pieces {
        self.images.first().copied().unwrap_or_default()
    }

    /// The image that stands for the position, and mostly for all its images.
    pub(super) fn canonical(&self) -> Pieces {
        let images = &self.images[..self.compared_images(0)];
        images.iter().copied().min().unwrap_or_default()
    }

    pub(super) fn piece_count(&self) -> u32 {
        let [first, second] = self.pieces();
        (first | second).count_ones()
    }

    /// The number of images to compare with so many pieces more.
    fn compared_images(&self, more_pieces: u32) -> usize {
        let pieces = self.piece_count() + more_pieces;
        match self.images.len() {
            images @ ..=MAX_IMAGES => images,
            images if pieces <= MANY_PIECES => images,
            _ => 1,
        }
    }

    /// Maps cells of this position to the [canonical](Self::canonical) one.
    pub(super) fn map_to_canonical(&self, cells: u64) -> u64 {
        let map = self.canonical_map().iter().enumerate();
        map.fold(0, |image, (cell, &to)| image | (cells >> cell & 1) << to)
    }

    /// Maps cells of the [canonical](Self::canonical) position to this one.
    pub(super) fn map_from_canonical(&self, image: u64) -> u64 {
        let map = self.canonical_map().iter().enumerate();
        map.fold(0, |cells, (cell, &to)| cells | (image >> to & 1) << cell)
    }

    fn canonical_map(&self) -> &[u8] {
        let images = self.images[..self.compared_images(0)].iter();
        let least = images
            .zip(&self.cell_maps)
            .min_by_key(|(pieces, _)| **pieces);
        least.map_or(&[], |(_, map)| map)
    }

    /// The canonical image of the position after a move.
    pub(super) fn after(&self, side: Side, cell: Cell) -> Pieces {
        let images = self.images[..self.compared_images(1)].iter();
        let after = images.zip(&self.cell_maps).map(|(pieces, map)| {
            let mut pieces = *pieces;
            pieces[side.index()] |= 1 << map[cell as usize];
            pieces
        });
        after.min().unwrap_or_default()
    }
}

/// Where each symmetry of a board maps each cell, the identity first.
pub(super) fn cell_maps<G: LineGame + Symmetry>(game: &G) -> Vec<Vec<u8>> {
    let cell_map = |&transform: &G::Transform| {
        let image = |cell| {
            let m = game.indexed_move(cell)?;
            Some(game.move_index(game.move_image(m, transform)) as u8)
        };
        (0..game.move_count()).map(image).collect()
    };
    game.symmetries().iter().filter_map(cell_map).collect()
}
