use super::super::Side;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How the cells of a board are arranged.
///
/// A layout may have room for more cells than a board: a cell that the picture doesn't have
/// is a hole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// A flat board with lettered or numbered columns and rows.
    Grid {
        /// The label of each column, from the left.
        columns: Vec<String>,
        /// The label of each row, from the bottom.
        rows: Vec<String>,
        /// The side length of the square blocks, counted from the bottom
        /// left, that are drawn apart from each other, if any. A block whose cells all
        /// have the tint of a side belongs to it as a whole.
        block: Option<u8>,
    },
    /// A rhombus of hexagons. Each row is shifted to the left by half a cell against the
    /// one below, so the cell `(x, y)` touches `(x ± 1, y)`, `(x, y ± 1)`,
    /// `(x + 1, y + 1)` and `(x - 1, y - 1)`:
    ///
    /// ```text
    ///  3  . . .
    ///   2  . . .
    ///    1  . . .
    ///        a b c
    /// ```
    ///
    /// With holes in its corners it is a hexagon.
    Hexagons {
        /// The label of each column, from the left.
        columns: Vec<String>,
        /// The label of each row, from the bottom.
        rows: Vec<String>,
        /// The side that owns the lower and the upper edge, if the edges have owners; the
        /// other side owns the left and the right one.
        bottom_and_top: Option<Side>,
    },
    /// Points on a plane with straight lines between some of them, as in Nine Men's
    /// Morris. A cell is a point.
    Points {
        /// The label of each column of the plane, from the left.
        columns: Vec<String>,
        /// The label of each row of the plane, from the bottom.
        rows: Vec<String>,
        /// The pairs of points that are linked by a line.
        links: Vec<[Place; 2]>,
    },
    /// Dots, edges between them, and boxes. Dots have even coordinates, boxes odd ones, and
    /// an edge one of each:
    ///
    /// ```text
    ///  4 •---•---•
    ///  3 |   |   |
    ///  2 •---•---•
    ///  1 |   |   |
    ///  0 •---•---•
    ///    0 1 2 3 4
    /// ```
    ///
    /// The dots are always drawn; they are cells only where they can hold a piece or be
    /// chosen.
    Dots {
        /// The label of each column of dots and, between them, of boxes, from the left: an
        /// odd number of them.
        columns: Vec<String>,
        /// The label of each row of dots and, between them, of boxes, from the bottom: an
        /// odd number of them.
        rows: Vec<String>,
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

impl Layout {
    /// A [`Grid`](Self::Grid) with letters for the columns, at most 26, and numbers from 1
    /// for the rows.
    pub fn grid(columns: u8, rows: u8) -> Self {
        Self::Grid {
            columns: letters(columns).collect(),
            rows: numbers(rows).collect(),
            block: None,
        }
    }

    /// [`Hexagons`](Self::Hexagons) with letters for the columns, at most 26, and numbers
    /// from 1 for the rows. `bottom_and_top` owns these two edges, and the other side the
    /// other two.
    pub fn hexagons(columns: u8, rows: u8, bottom_and_top: Option<Side>) -> Self {
        Self::Hexagons {
            columns: letters(columns).collect(),
            rows: numbers(rows).collect(),
            bottom_and_top,
        }
    }

    /// [`Points`](Self::Points) on a plane with letters for the columns, at most 26, and
    /// numbers from 1 for the rows.
    pub fn points(columns: u8, rows: u8, links: Vec<[Place; 2]>) -> Self {
        Self::Points {
            columns: letters(columns).collect(),
            rows: numbers(rows).collect(),
            links,
        }
    }

    /// [`Dots`](Self::Dots) around so many columns, at most 25, and rows of boxes. The
    /// columns of dots have letters, and the rows of dots numbers from 1.
    ///
    /// ```
    /// use open_ttt_lib::rules::{Layout, Place};
    ///
    /// let board = Layout::dots(2, 1);
    /// let edge = Place::flat(1, 0);
    /// assert!(board.contains(edge));
    /// assert!(!board.contains(Place::flat(0, 3)));
    /// ```
    pub fn dots(columns: u8, rows: u8) -> Self {
        let between = |dots: Vec<String>| {
            let spaced = dots.into_iter().flat_map(|dot| [String::new(), dot]);
            spaced.skip(1).collect()
        };
        Self::Dots {
            columns: between(letters(columns.saturating_add(1)).collect()),
            rows: between(numbers(rows.saturating_add(1)).collect()),
        }
    }

    /// Whether the layout has room for a cell at this place.
    pub fn contains(&self, place: Place) -> bool {
        let Place { x, y, z } = place;
        let within = |columns: &[String], rows: &[String]| {
            usize::from(x) < columns.len() && usize::from(y) < rows.len()
        };
        match self {
            Self::Grid { columns, rows, .. }
            | Self::Hexagons { columns, rows, .. }
            | Self::Points { columns, rows, .. }
            | Self::Dots { columns, rows } => within(columns, rows) && z == 0,
            Self::Layers {
                layers,
                columns,
                rows,
            } => within(columns, rows) && usize::from(z) < layers.len(),
            Self::Stacks { stacks, height } => {
                z < *height && stacks.iter().any(|stack| (stack.x, stack.y) == (x, y))
            }
        }
    }
}

fn letters(count: u8) -> impl Iterator<Item = String> {
    ('a'..='z').map(String::from).take(count.into())
}

fn numbers(count: u8) -> impl Iterator<Item = String> {
    (1..=u16::from(count)).map(|number| number.to_string())
}

/// A stack of cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// The height in a stack, or the layer; 0 on a single flat board, 255 in a tray.
    pub z: u8,
}

impl Place {
    /// A place on a flat board.
    pub const fn flat(x: u8, y: u8) -> Self {
        Self { x, y, z: 0 }
    }

    /// A place in a [`Tray`](super::Tray), both counted from 0.
    pub const fn in_tray(tray: u8, index: u8) -> Self {
        Self {
            x: index,
            y: tray,
            z: u8::MAX,
        }
    }

    /// Whether the place is in a tray.
    pub const fn is_in_tray(self) -> bool {
        self.z == u8::MAX
    }
}
