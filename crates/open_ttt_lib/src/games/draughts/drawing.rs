use super::square::{SQUARES, Square};
use super::{Draughts, DraughtsMove, DraughtsPiece, coordinates};
use crate::rules::{
    BoardCell, Choice, Color, Drawing, Layout, Picture, Piece, Place, Shape, Side, Tint,
    TwoPlayerGame,
};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

fn place(square: Square) -> Place {
    let (column, row) = coordinates(square);
    Place::flat(column, row)
}

fn piece(DraughtsPiece { side, is_king }: DraughtsPiece) -> Piece {
    let [man, king] = [["b", "B"], ["w", "W"]][side.index()];
    if is_king {
        Piece {
            shape: Shape::King,
            ..Piece::new(side, king)
        }
    } else {
        Piece::new(side, man)
    }
}

impl Drawing for Draughts {
    /// A move is chosen by the squares on which its piece stands. The light squares are
    /// holes, and the dark ones have their numbers.
    fn picture(&self) -> Picture<DraughtsMove> {
        let cells = (0..SQUARES).map(|square| BoardCell {
            piece: self.piece_on(square + 1).map(piece),
            label: Some((square + 1).to_string()),
            tint: Some(Tint::Dark),
            ..BoardCell::at(place(square))
        });
        let choices = self.moves().map(|m| {
            let path: Vec<_> = m.squares().into_iter().map(place).collect();
            Choice::path(m, path)
        });
        let layout = Layout::Grid {
            columns: vec![String::new(); 8],
            rows: vec![String::new(); 8],
            block: None,
        };
        Picture {
            cells: cells.collect(),
            choices: choices.collect(),
            status: self
                .must_capture()
                .then(|| "A capture is compulsory".to_owned()),
            sides: Side::BOTH.map(|side| {
                piece(DraughtsPiece {
                    side,
                    is_king: false,
                })
            }),
            colors: [Color::Black, Color::White],
            ..Picture::new(layout)
        }
    }
}
