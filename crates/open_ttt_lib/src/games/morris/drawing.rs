use super::{Morris, MorrisMove};
use crate::games::Point;
use crate::games::bits::bits;
use crate::rules::{
    BoardCell, Choice, Color, CompletedLine, Drawing, Layout, Picture, Piece, Place, Side, Tray,
    TwoPlayerGame,
};
use alloc::borrow::ToOwned;
use alloc::vec;
use alloc::vec::Vec;

fn place(Point { column, row }: Point) -> Place {
    Place::flat(column, row)
}

const MEN: [Piece; 2] = [Piece::new(Side::First, "W"), Piece::new(Side::Second, "B")];

impl Morris {
    fn status(&self) -> Option<&'static str> {
        if self.outcome().is_some() {
            None
        } else if self.in_hand(self.to_move) > 0 {
            Some("Place a man")
        } else if self.flies() {
            Some("Move a man to any point")
        } else {
            Some("Move a man")
        }
    }
}

impl Drawing for Morris {
    /// A move is chosen by the point that a man leaves, unless it comes from the hand, by
    /// the one that it reaches and by that of the captured man. Every mill is shown as a
    /// line.
    fn picture(&self) -> Picture<MorrisMove> {
        let board = self.board();
        let at = |point: u8| place(board.place(point));
        let links = (0..board.points).flat_map(|from| {
            let later = board.neighbours[from as usize] & !((1_u32 << from) - 1);
            bits(later).map(move |to| [at(from), at(to)])
        });
        let layout = Layout::points(board.size, board.size, links.collect());
        let cells = (0..board.points).map(|point| BoardCell {
            piece: self.owner(board.place(point)).map(|side| MEN[side.index()]),
            ..BoardCell::at(at(point))
        });
        let trays = Side::BOTH.into_iter().zip(0..).map(|(side, tray)| {
            let count = u32::from(self.in_hand(side));
            let men = Piece {
                count,
                ..MEN[side.index()]
            };
            Tray {
                title: "In hand".to_owned(),
                side: Some(side),
                cells: vec![BoardCell {
                    piece: (count > 0).then_some(men),
                    ..BoardCell::at(Place::in_tray(tray, 0))
                }],
            }
        });
        let choices = self.moves().map(|m| {
            let points = [m.from, Some(m.to), m.captured].into_iter().flatten();
            Choice::path(m, points.map(place).collect::<Vec<_>>())
        });
        let lines = Side::BOTH.into_iter().flat_map(|side| {
            let men = self.men[side.index()];
            let mills = board
                .mills()
                .iter()
                .filter(move |&&mill| men & mill == mill);
            mills.map(move |&mill| CompletedLine {
                side: Some(side),
                places: in_order(bits(mill).map(at).collect()),
            })
        });
        Picture {
            cells: cells.collect(),
            trays: trays.collect(),
            choices: choices.collect(),
            lines: lines.collect(),
            status: self.status().map(str::to_owned),
            sides: MEN,
            colors: [Color::White, Color::Black],
            ..Picture::new(layout)
        }
    }
}

/// The places of a straight line from one end to the other.
fn in_order(mut line: Vec<Place>) -> Vec<Place> {
    line.sort_unstable();
    line
}
