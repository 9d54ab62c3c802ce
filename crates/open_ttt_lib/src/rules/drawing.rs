use super::{Side, TwoPlayerGame};

/// The board as data, for a terminal or a web page to draw.
pub trait Drawing: TwoPlayerGame {
    /// The picture of this position.
    #[doc(alias = "printBoard")]
    #[doc(alias = "draw_board")]
    fn picture(&self) -> Picture<Self::Move>;
}

/// Everything needed to draw a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture<M> {
    /// How the cells are arranged.
    pub layout: Layout,
    /// The piece of each side, one or two characters wide: `X`, `R`.
    pub marks: [&'static str; 2],
    /// Every cell of the board, in no particular order.
    pub cells: Vec<BoardCell<M>>,
    /// The lines that won or scored.
    pub lines: Vec<CompletedLine>,
    /// The points of each side, in a game of points.
    pub points: Option<[u32; 2]>,
}

/// How the cells of a board are arranged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// A flat board with lettered or numbered columns and rows.
    Grid {
        /// The label of each column, from the left.
        columns: Vec<String>,
        /// The label of each row, from the bottom.
        rows: Vec<String>,
        /// The side length of the square blocks, counted from the bottom
        /// left, that are drawn apart from each other, if any.
        block: Option<u8>,
    },
    /// Flat boards of one size, one above the other, drawn side by side.
    Layers {
        /// The label of each layer, from the lowest.
        layers: Vec<String>,
        /// The label of each column of a layer, from the left.
        columns: Vec<String>,
        /// The label of each row of a layer, from the bottom.
        rows: Vec<String>,
    },
    /// Stacks of cells on a plane, seen from the front.
    Stacks {
        /// The stacks, in the order of their labels.
        stacks: Vec<Stack>,
        /// The number of cells in each stack.
        height: u8,
    },
}

/// A stack of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Its distance to the right, from 0.
    pub x: u8,
    /// Its distance to the back, from 0.
    pub y: u8,
    /// Its label.
    pub label: String,
}

/// The coordinates of a cell, each from 0: `x` to the right, `y` upward on a
/// flat board or to the back among stacks, `z` upward in a stack or from layer to
/// layer.
#[doc(alias = "Coords2D")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The column, from the left.
    pub x: u8,
    /// The row, from the bottom or from the front.
    pub y: u8,
    /// The height in a stack, or the layer; 0 on a single flat board.
    pub z: u8,
}

impl Place {
    /// A place on a flat board.
    pub const fn flat(x: u8, y: u8) -> Self {
        Self { x, y, z: 0 }
    }
}

/// One cell of a board.
#[doc(alias = "Token")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardCell<M> {
    /// Its coordinates.
    pub place: Place,
    /// The owner of the piece on it, if any.
    pub owner: Option<Side>,
    /// The legal move that puts a piece here, if any.
    pub playable: Option<M>,
}

/// A line of pieces that won or scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedLine {
    /// Its owner.
    pub side: Side,
    /// Its cells, from one end to the other.
    pub places: Vec<Place>,
}

/// A [`Layout::Grid`] with letters for the columns, at most 26, and numbers from
/// 1 for the rows.
pub fn grid_labels(columns: u8, rows: u8) -> Layout {
    Layout::Grid {
        columns: ('a'..='z').map(String::from).take(columns.into()).collect(),
        rows: (1..=rows).map(|row| row.to_string()).collect(),
        block: None,
    }
}
