//! A position as feature planes, computed from its picture.
//!
//! A plane has a cell for each place of the board, and below it a row for each tray.
//! Layers and stacks have planes of their own for each height. The pieces and the tints
//! of the side to move come before those of the other side.

use super::CatalogGame;
use open_ttt_lib::rules::{Encoding, Picture, Piece, Place, Shape, Side, Tint};

/// See [`Encoding::version`].
const VERSION: u32 = 1;

/// The planes of each layer, by their offset.
const PIECES: usize = 0; // own, other, neutral
const KIND: usize = PIECES + 3;
const TINTS: usize = KIND + KIND_BITS; // own, other, neither
const COUNT: usize = TINTS + 3;
/// Where a move can begin, and the other places of moves.
const CHOICES: usize = COUNT + 1;
const LAYER: usize = CHOICES + 2;

/// The planes with one value in all cells, by their offset after those of the layers.
const FIRST_SIDE: usize = 0;
const POINTS: usize = FIRST_SIDE + 1; // own, other
const BUTTON: usize = POINTS + 2;
const STATUS: usize = BUTTON + 1;
const WHOLE: usize = STATUS + STATUS_BITS;

const KIND_BITS: usize = 4;
const STATUS_BITS: usize = 4;

/// The points and the count of a piece that make 1.
const MANY: f32 = 64.0;

/// More than there are colours.
const COLORS: f32 = 16.0;

/// The size of the planes.
#[derive(Clone, Copy)]
struct Size {
    columns: usize,
    /// The rows of the board, without those of the trays.
    board_rows: usize,
    rows: usize,
    layers: usize,
}

impl Size {
    /// The size is the same for all positions, because all show the same places.
    fn of<M>(picture: &Picture<M>) -> Self {
        let mut size = Self {
            columns: 1,
            board_rows: 1,
            rows: 0,
            layers: 1,
        };
        for cell in &picture.cells {
            let Place { x, y, z } = cell.place;
            size.columns = size.columns.max(usize::from(x) + 1);
            size.board_rows = size.board_rows.max(usize::from(y) + 1);
            size.layers = size.layers.max(usize::from(z) + 1);
        }
        for tray in &picture.trays {
            size.columns = size.columns.max(tray.cells.len());
        }
        size.rows = size.board_rows + picture.trays.len();
        size
    }

    fn cells(self) -> usize {
        self.columns * self.rows
    }

    /// The index of an input: in this plane of the layer of a place, at the place.
    fn index(self, plane: usize, place: Place) -> Option<usize> {
        let (row, layer) = if place.is_in_tray() {
            (self.board_rows + usize::from(place.y), 0)
        } else {
            (usize::from(place.y), usize::from(place.z))
        };
        let is_inside =
            usize::from(place.x) < self.columns && row < self.rows && layer < self.layers;
        let cell = row * self.columns + usize::from(place.x);
        is_inside.then_some((layer * LAYER + plane) * self.cells() + cell)
    }
}

pub(super) fn picture_encoding<G: CatalogGame>(game: &G) -> Encoding {
    let size = Size::of(&game.picture());
    Encoding {
        version: VERSION,
        planes: LAYER * size.layers + WHOLE,
        rows: size.rows,
        columns: size.columns,
        moves: game.move_count(),
    }
}

pub(super) fn encode_picture<G: CatalogGame>(game: &G, planes: &mut [f32]) {
    let picture = game.picture();
    let to_move = game.to_move();
    let size = Size::of(&picture);
    let relative = |side: Side| usize::from(side != to_move);
    planes.fill(0.0);
    let mut set = |plane: usize, place: Place, value: f32| {
        if let Some(index) = size.index(plane, place) {
            planes[index] = value;
        }
    };
    for cell in picture.all_cells() {
        if let Some(piece) = &cell.piece {
            set(PIECES + piece.side.map_or(2, relative), cell.place, 1.0);
            for (bit, value) in kind(piece, &picture.sides).into_iter().enumerate() {
                set(KIND + bit, cell.place, value);
            }
            if piece.count != 1 {
                set(COUNT, cell.place, (piece.count as f32 / MANY).min(1.0));
            }
        }
        match cell.tint {
            Some(Tint::Side(side)) => set(TINTS + relative(side), cell.place, 1.0),
            Some(_) => set(TINTS + 2, cell.place, 1.0),
            None => {}
        }
    }
    for choice in &picture.choices {
        for (number, &place) in choice.path.iter().enumerate() {
            set(CHOICES + number.min(1), place, 1.0);
        }
    }
    let (_, whole) = planes.split_at_mut(LAYER * size.layers * size.cells());
    let mut fill = |plane: usize, value: f32| {
        whole[plane * size.cells()..][..size.cells()].fill(value);
    };
    fill(FIRST_SIDE, f32::from(u8::from(to_move == Side::First)));
    for (side, points) in Side::BOTH
        .into_iter()
        .zip(picture.points.unwrap_or_default())
    {
        fill(POINTS + relative(side), (points as f32 / MANY).min(1.0));
    }
    if picture.choices.iter().any(|choice| choice.path.is_empty()) {
        fill(BUTTON, 1.0);
    }
    let status = picture.status.as_deref().map_or([0.0; STATUS_BITS], bits);
    for (bit, value) in status.into_iter().enumerate() {
        fill(STATUS + bit, value);
    }
}

/// What tells a piece from the usual one of its side: the features of a figure, else
/// bits that depend on its mark.
fn kind(piece: &Piece, usual: &[Piece; 2]) -> [f32; KIND_BITS] {
    match piece.shape {
        Shape::Figure {
            tall,
            square,
            hollow,
        } => {
            let [tall, square, hollow] = [tall, square, hollow].map(|is| f32::from(u8::from(is)));
            let color = piece.color.map_or(0.0, |color| f32::from(1 + color as u8));
            [tall, square, hollow, color / COLORS]
        }
        _ if usual.iter().any(|usual| usual.mark == piece.mark) => [0.0; KIND_BITS],
        _ => bits(piece.mark),
    }
}

/// Some bits of a text's hash (64-bit FNV-1a), not all of them zero.
fn bits<const N: usize>(text: &str) -> [f32; N] {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let number = 1 + (hash >> 32) % ((1 << N) - 1);
    std::array::from_fn(|bit| (number >> bit & 1) as f32)
}
