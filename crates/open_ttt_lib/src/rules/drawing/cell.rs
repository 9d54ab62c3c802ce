use super::super::Side;
use super::{Piece, Place};
use alloc::string::String;
use alloc::vec::Vec;

/// One cell of a board or of a tray.
#[doc(alias = "Token")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoardCell {
    /// Its coordinates.
    pub place: Place,
    /// The piece on it, if any. On an edge of [`Layout::Dots`](super::Layout::Dots) it is
    /// the edge drawn.
    pub piece: Option<Piece>,
    /// The name written on the cell, such as the number of a square.
    pub label: Option<String>,
    /// How its ground differs from that of other cells.
    pub tint: Option<Tint>,
}

impl BoardCell {
    /// An empty cell without label and tint.
    pub const fn at(place: Place) -> Self {
        Self {
            place,
            piece: None,
            label: None,
            tint: None,
        }
    }

    /// The side that owns the piece on the cell, if any.
    pub fn owner(&self) -> Option<Side> {
        self.piece.and_then(|piece| piece.side)
    }
}

/// How the ground of a cell differs from that of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tint {
    /// It belongs to a side: a box or an area won, a home.
    Side(Side),
    /// A dark square of a board of two colours.
    Dark,
    /// A special cell of neither side: a goal, a castle, a hole.
    Marked,
}

impl From<Side> for Tint {
    fn from(side: Side) -> Self {
        Self::Side(side)
    }
}

/// Places beside the board: pieces in hand, captured ones, a common pool.
///
/// A place in a tray is empty once its piece is gone; it doesn't vanish. Many pieces alike
/// are one piece with a [`count`](Piece::count).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tray {
    /// What it holds: `In hand`, `Pool`.
    pub title: String,
    /// Its owner, if any.
    pub side: Option<Side>,
    /// Its cells, in the order of their display, with places
    /// [in a tray](Place::in_tray).
    pub cells: Vec<BoardCell>,
}

/// A line of pieces that won or scored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompletedLine {
    /// The owner of its pieces; `None` if they are of neither side.
    pub side: Option<Side>,
    /// Its cells, from one end to the other.
    pub places: Vec<Place>,
}
