use super::{CELLS, Quarto, QuartoMove, QuartoPiece, SIDE};
use crate::games::bits::bits;
use crate::rules::{
    BoardCell, Choice, Color, CompletedLine, Drawing, Layout, Picture, Piece, Place, Shape, Side,
    Tray, TwoPlayerGame,
};
use alloc::borrow::ToOwned;
use alloc::vec;
use alloc::vec::Vec;

/// The tray of the piece that the side to move places.
const HAND: u8 = 0;

/// The tray of the pieces that can be given, each at a place of its own.
const POOL: u8 = 1;

/// The letter of a piece, a capital for a tall one, and the sign of its shape and top.
const MARKS: [&str; 16] = [
    "L●", "D●", "l●", "d●", "L■", "D■", "l■", "d■", "L○", "D○", "l○", "d○", "L□", "D□", "l□", "d□",
];

fn place(cell: u8) -> Place {
    Place::flat(cell % SIDE, cell / SIDE)
}

fn in_pool(piece: QuartoPiece) -> Place {
    Place::in_tray(POOL, piece.0)
}

fn figure(piece: QuartoPiece) -> Piece {
    let color = if piece.is_dark() {
        Color::Purple
    } else {
        Color::Yellow
    };
    Piece {
        shape: Shape::Figure {
            tall: !piece.is_short(),
            square: piece.is_square(),
            hollow: piece.is_hollow(),
        },
        color: Some(color),
        ..Piece::neutral(MARKS[piece.0 as usize])
    }
}

impl Drawing for Quarto {
    /// A move is chosen by its cell and by the piece in the pool.
    fn picture(&self) -> Picture<QuartoMove> {
        let cells = (0..CELLS).map(|cell| BoardCell {
            piece: self.piece_on(cell % SIDE, cell / SIDE).map(figure),
            ..BoardCell::at(place(cell))
        });
        let pool = QuartoPiece::all().map(|piece| BoardCell {
            piece: (self.given >> piece.0 & 1 == 0).then(|| figure(piece)),
            ..BoardCell::at(in_pool(piece))
        });
        let hand = BoardCell {
            piece: self.hand.map(figure),
            ..BoardCell::at(Place::in_tray(HAND, 0))
        };
        let tray = |title: &str, cells| Tray {
            title: title.to_owned(),
            side: None,
            cells,
        };
        let choices = self.moves().map(|m| {
            let cell = m.cell.map(place);
            let path: Vec<_> = cell.into_iter().chain(m.piece.map(in_pool)).collect();
            Choice::path(m, path)
        });
        let lines = self.completed_lines().map(|line| CompletedLine {
            side: None,
            places: bits(line).map(place).collect(),
        });
        let status = match (self.outcome(), self.hand) {
            (Some(_), _) => None,
            (None, None) => Some("Give a piece"),
            (None, Some(_)) => Some("Place the piece in hand, then give one"),
        };
        let number = |side, mark| Piece {
            shape: Shape::Text,
            ..Piece::new(side, mark)
        };
        Picture {
            cells: cells.collect(),
            trays: vec![tray("In hand", vec![hand]), tray("Pool", pool.collect())],
            choices: choices.collect(),
            lines: lines.collect(),
            status: status.map(str::to_owned),
            sides: [number(Side::First, "1"), number(Side::Second, "2")],
            ..Picture::new(Layout::grid(SIDE, SIDE))
        }
    }
}
