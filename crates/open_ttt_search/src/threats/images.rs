use super::cells::Cell;
use super::proof_table::Pieces;
use open_ttt_lib::rules::{LineGame, Side, Symmetry};

/// A position of a board of at most 64 cells, and its mirrored and turned
/// images, each kept up to date.
#[derive(Debug)]
pub(super) struct Images {
    /// Where each symmetry carries each cell, the identity first.
    carried: Vec<Vec<u8>>,
    pieces: Vec<Pieces>,
}

/// Where there are more images than this, looking at all of them costs more than
/// it gives once there are many pieces on the board: then few positions that
/// come about are images of one another.
const FEW_IMAGES: usize = 8;
const MANY_PIECES: u32 = 8;

impl Images {
    /// Where each symmetry carries each cell.
    pub(super) fn carried(&self) -> &[Vec<u8>] {
        &self.carried
    }

    pub(super) fn of<G: LineGame + Symmetry>(game: &G) -> Self {
        let cells = game.move_count();
        let carry = |&transform: &G::Transform| {
            let image = |cell| {
                let place = game.indexed_move(cell)?;
                Some(game.move_index(game.move_image(place, transform)) as u8)
            };
            (0..cells).map(image).collect::<Option<Vec<_>>>()
        };
        let carried: Vec<_> = game.symmetries().iter().filter_map(carry).collect();
        let mut images = Self {
            pieces: vec![[0; 2]; carried.len()],
            carried,
        };
        for cell in 0..cells {
            if let Some(side) = game.indexed_move(cell).and_then(|m| game.owner_of(m)) {
                images.flip(side, cell as Cell);
            }
        }
        images
    }

    /// Puts a piece on a cell, or takes it away.
    pub(super) fn flip(&mut self, side: Side, cell: Cell) {
        for (pieces, carried) in self.pieces.iter_mut().zip(&self.carried) {
            pieces[side.index()] ^= 1 << carried[cell as usize];
        }
    }

    /// The pieces as they are on the board.
    pub(super) fn own(&self) -> Pieces {
        self.pieces.first().copied().unwrap_or_default()
    }

    /// The image that stands for the position and all its images, or for itself
    /// alone.
    pub(super) fn canonical(&self) -> Pieces {
        let images = &self.pieces[..self.considered(0)];
        images.iter().copied().min().unwrap_or_default()
    }

    pub(super) fn pieces_on_board(&self) -> u32 {
        let [first, second] = self.own();
        (first | second).count_ones()
    }

    /// How many images are looked at with so many more pieces.
    fn considered(&self, more: u32) -> usize {
        let pieces = self.pieces_on_board() + more;
        match self.pieces.len() {
            images @ ..=FEW_IMAGES => images,
            images if pieces <= MANY_PIECES => images,
            _ => 1,
        }
    }

    /// Cells of this position, as cells of the [canonical](Self::canonical) one.
    pub(super) fn in_canonical(&self, cells: u64) -> u64 {
        let carried = self.carried_to_canonical();
        let images = carried.iter().enumerate();
        images.fold(0, |image, (cell, &to)| image | (cells >> cell & 1) << to)
    }

    /// Cells of the [canonical](Self::canonical) position, as cells of this one.
    pub(super) fn in_own(&self, image: u64) -> u64 {
        let carried = self.carried_to_canonical();
        let images = carried.iter().enumerate();
        images.fold(0, |cells, (cell, &to)| cells | (image >> to & 1) << cell)
    }

    fn carried_to_canonical(&self) -> &[u8] {
        let images = self.pieces[..self.considered(0)].iter().zip(&self.carried);
        images
            .min_by_key(|(pieces, _)| **pieces)
            .map_or(&[], |(_, carried)| carried)
    }

    /// The image that stands for the position after a move.
    pub(super) fn after(&self, side: Side, cell: Cell) -> Pieces {
        let images = self.pieces[..self.considered(1)].iter().zip(&self.carried);
        images
            .map(|(pieces, carried)| {
                let mut pieces = *pieces;
                pieces[side.index()] |= 1 << carried[cell as usize];
                pieces
            })
            .min()
            .unwrap_or_default()
    }
}
