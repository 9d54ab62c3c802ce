use core::fmt;

use super::DotsAndBoxes;
use crate::games::bits::bits;

/// An edge between two neighbouring dots.
///
/// The number of its dot at the left or the lower end; 64 more for a vertical edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge(u8);

/// A set of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Edges {
    pub(super) horizontal: u64,
    pub(super) vertical: u64,
}

/// Bits from one row to the next.
pub(super) const STRIDE: u8 = 8;

impl Edge {
    /// The edge with the lowest number.
    pub(super) const FIRST: Self = Self(0);

    /// The number of the first vertical edge.
    const VERTICAL: u8 = 64;

    /// The edge to the right of the dot in a column and a row, both from 0. `None`
    /// if the largest board has no such edge.
    pub const fn horizontal(column: u8, row: u8) -> Option<Self> {
        if column < DotsAndBoxes::MAX_SIDE && row <= DotsAndBoxes::MAX_SIDE {
            Some(Self(row * STRIDE + column))
        } else {
            None
        }
    }

    /// The edge above the dot in a column and a row, both from 0. `None` if the
    /// largest board has no such edge.
    pub const fn vertical(column: u8, row: u8) -> Option<Self> {
        if column <= DotsAndBoxes::MAX_SIDE && row < DotsAndBoxes::MAX_SIDE {
            Some(Self(Self::VERTICAL + row * STRIDE + column))
        } else {
            None
        }
    }

    /// Whether it goes up, not to the right.
    pub const fn is_vertical(self) -> bool {
        self.0 >= Self::VERTICAL
    }

    /// The column and the row of its dots, each from 0, the one at the left or the
    /// lower end first.
    pub const fn dots(self) -> [(u8, u8); 2] {
        let dot = self.0 % Self::VERTICAL;
        let (column, row) = (dot % STRIDE, dot / STRIDE);
        if self.is_vertical() {
            [(column, row), (column, row + 1)]
        } else {
            [(column, row), (column + 1, row)]
        }
    }

    /// The edge between two dots of the largest board, in any order, if they are
    /// neighbours.
    pub(super) fn between(one: (u8, u8), other: (u8, u8)) -> Option<Self> {
        let (lower, upper) = (one.min(other), one.max(other));
        if upper == (lower.0 + 1, lower.1) {
            Self::horizontal(lower.0, lower.1)
        } else if upper == (lower.0, lower.1 + 1) {
            Self::vertical(lower.0, lower.1)
        } else {
            None
        }
    }
}

/// In the game's notation.
impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self
            .dots()
            .map(|(column, row)| (char::from(b'a' + column), row + 1));
        write!(f, "{}{}-{}{}", from.0, from.1, to.0, to.1)
    }
}

impl Edges {
    /// Every edge of a board.
    pub(super) const fn all(columns: u8, rows: u8) -> Self {
        Self {
            horizontal: rectangle(columns, rows + 1),
            vertical: rectangle(columns + 1, rows),
        }
    }

    pub(super) const fn contains(self, edge: Edge) -> bool {
        let set = if edge.is_vertical() {
            self.vertical
        } else {
            self.horizontal
        };
        set >> (edge.0 % Edge::VERTICAL) & 1 == 1
    }

    pub(super) const fn insert(&mut self, edge: Edge) {
        let bit = 1 << (edge.0 % Edge::VERTICAL);
        if edge.is_vertical() {
            self.vertical |= bit;
        } else {
            self.horizontal |= bit;
        }
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self {
            horizontal: self.horizontal & !other.horizontal,
            vertical: self.vertical & !other.vertical,
        }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            horizontal: self.horizontal & other.horizontal,
            vertical: self.vertical & other.vertical,
        }
    }

    /// The edges of some boxes.
    pub(super) const fn around(boxes: u64) -> Self {
        Self {
            horizontal: boxes | boxes << STRIDE,
            vertical: boxes | boxes << 1,
        }
    }

    /// The boxes of which the lower, the left, the upper and the right edge is in
    /// the set, with some bits that are no boxes.
    pub(super) const fn by_box(self) -> [u64; 4] {
        [
            self.horizontal,
            self.vertical,
            self.horizontal >> STRIDE,
            self.vertical >> 1,
        ]
    }

    /// The boxes of which all edges are in the set.
    pub(super) const fn complete(self) -> u64 {
        let [lower, left, upper, right] = self.by_box();
        lower & left & upper & right
    }

    /// In the order of their numbers.
    pub(super) fn iter(self) -> impl Iterator<Item = Edge> {
        let vertical = bits(self.vertical).map(|bit| Edge(Edge::VERTICAL + bit));
        bits(self.horizontal).map(Edge).chain(vertical)
    }
}

/// The bits of the first columns of the first rows.
pub(super) const fn rectangle(columns: u8, rows: u8) -> u64 {
    let mut bits = 0;
    let mut row = 0;
    while row < rows {
        bits |= ((1 << columns) - 1) << (row * STRIDE);
        row += 1;
    }
    bits
}
