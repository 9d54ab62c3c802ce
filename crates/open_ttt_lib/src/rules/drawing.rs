use super::{Side, TwoPlayerGame};

/// The board as data, from which a terminal or a web page draws.
pub trait Drawing: TwoPlayerGame {
    /// What there is to see in this position.
    #[doc(alias = "printBoard")]
    #[doc(alias = "draw_board")]
    fn picture(&self) -> Picture<Self::Move>;
}

/// What there is to see in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture<M> {
    /// How the cells are arranged.
    pub layout: Layout,
    /// The piece of each side, one or two characters wide: `X`, `R`.
    pub marks: [&'static str; 2],
    /// Every cell of the board, in no particular order.
    pub cells: Vec<BoardCell<M>>,
    /// The lines that won or scored, each by itself.
    pub lines: Vec<CompletedLine>,
    /// The points of each side, in games that count them.
    pub points: Option<[u32; 2]>,
}

/// How the cells of a board are arranged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// A flat board with lettered or numbered columns and rows.
    Grid {
        /// What is written under each column, from the left.
        columns: Vec<String>,
        /// What is written beside each row, from the bottom.
        rows: Vec<String>,
        /// How many columns and as many rows, from the bottom left, belong
        /// together and are set apart from the next, if any do.
        block: Option<u8>,
    },
    /// Flat boards of one size, one above the other. They are shown side by
    /// side.
    Layers {
        /// What is written above each layer, from the lowest.
        layers: Vec<String>,
        /// What is written under each column of a layer, from the left.
        columns: Vec<String>,
        /// What is written beside each row of a layer, from the bottom.
        rows: Vec<String>,
    },
    /// Stacks of cells standing in a plane, seen from the front.
    Stacks {
        /// The stacks, in the order of their labels.
        stacks: Vec<Stack>,
        /// How many cells high each stack is.
        height: u8,
    },
}

/// A stack of cells and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// How far to the right it stands.
    pub x: u8,
    /// How far back it stands.
    pub y: u8,
    /// What it is called.
    pub label: String,
}

/// Where a cell is: `x` to the right, `y` upward on a flat board or to the
/// back among stacks, `z` upward in a stack or from layer to layer. Each counts
/// from 0.
#[doc(alias = "Coords2D")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Columns from the left.
    pub x: u8,
    /// Rows from the bottom, or from the front.
    pub y: u8,
    /// Height in its stack, or its layer; 0 on a single flat board.
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
    /// Where it is.
    pub place: Place,
    /// Whose piece is on it.
    pub owner: Option<Side>,
    /// The legal move that would put a piece here, if there is one.
    pub playable: Option<M>,
}

/// A row of pieces that won or scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedLine {
    /// Whose it is.
    pub side: Side,
    /// Its cells, from one end to the other.
    pub places: Vec<Place>,
}

/// The labels of an `a1`-style board, as [`Layout::Grid`]: letters for the
/// columns, numbers from 1 for the rows. At most 26 columns have a letter.
pub fn grid_labels(columns: u8, rows: u8) -> Layout {
    Layout::Grid {
        columns: ('a'..='z')
            .take(columns as usize)
            .map(String::from)
            .collect(),
        rows: (1..=rows).map(|row| row.to_string()).collect(),
        block: None,
    }
}
