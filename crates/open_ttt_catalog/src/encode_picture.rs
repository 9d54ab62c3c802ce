//! A position as feature planes, computed from its picture.

use super::CatalogGame;
use open_ttt_lib::rules::{Encoding, Picture, Side};

/// See [`Encoding::version`].
const VERSION: u32 = 1;

/// The planes of each layer: the pieces of the side to move, those of the other.
const KINDS: usize = 2;

/// The columns, the rows and the layers of the board.
fn size<M>(picture: &Picture<M>) -> [usize; 3] {
    let mut size = [1; 3];
    for cell in &picture.cells {
        let place = cell.place;
        for (size, coordinate) in size.iter_mut().zip([place.x, place.y, place.z]) {
            *size = (*size).max(usize::from(coordinate) + 1);
        }
    }
    size
}

pub(super) fn picture_encoding<G: CatalogGame>(game: &G) -> Encoding {
    let [columns, rows, layers] = size(&game.picture());
    Encoding {
        version: VERSION,
        planes: KINDS * layers,
        rows,
        columns,
        moves: game.move_count(),
    }
}

pub(super) fn encode_picture<G: CatalogGame>(game: &G, planes: &mut [f32]) {
    let picture = game.picture();
    let to_move = game.to_move();
    let [columns, rows, _] = size(&picture);
    planes.fill(0.0);
    let plane = |side: Side| usize::from(side != to_move);
    for cell in &picture.cells {
        let Some(owner) = cell.owner() else { continue };
        let [x, y, z] = [cell.place.x, cell.place.y, cell.place.z].map(usize::from);
        let plane = KINDS * z + plane(owner);
        planes[(plane * rows + y) * columns + x] = 1.0;
    }
}
