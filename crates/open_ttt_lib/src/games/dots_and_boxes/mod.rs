mod edges;
mod heuristic;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::hash::{Hash, Hasher};

pub use edges::Edge;

use crate::games::bits::{bits, fill_randomly, owner};
use crate::random::Rng;
use crate::rules::{
    AllowedValues, BoardCell, Choice, Color, CompactKey, Described, Dihedral, Drawing, Encode,
    Encoding, IllegalMove, IndexedMoves, Layout, Margin, Notation, Objective, Outcome, Parameter,
    ParseMoveError, Picture, Piece, Place, Reason, Shape, Side, SpecError, Symmetry, Tint,
    TwoPlayerGame, normalized,
};
use edges::{Edges, STRIDE, rectangle};

/// Dots and Boxes on `m` by `n` boxes.
///
/// A move draws an edge between two neighbouring dots. The side that draws the last
/// edge of a box owns the box and moves again; one edge can complete two boxes. The
/// game ends when all edges are drawn, and the side with more boxes wins.
///
/// Positions are equal if the same edges are drawn, the sides have the same numbers
/// of boxes and the same side is to move: which boxes are whose makes no difference
/// to the rest of the game.
///
/// Dots are named by column and row, edges by their two dots. Horizontal and
/// vertical edges are two bit sets, in which an edge has the number of its dot at
/// the left or the lower end. A box has the number of its dot at the lower left:
///
/// ```text
///  3 16 ·16· 17 ·17· 18     the number of a dot is eight times
///     8   8   9   9  10     its row plus its column
///  2  8 · 8·  9 · 9· 10
///     0   0   1   1   2     vertical edges 0 to 2 and 8 to 10 with
///  1  0 · 0·  1 · 1·  2     boxes 0, 1, 8 and 9 between them
///     a       b       c
/// ```
///
/// ```
/// use open_ttt_lib::games::DotsAndBoxes;
/// use open_ttt_lib::rules::{Margin, Side, TwoPlayerGame, play_text};
///
/// let mut game = DotsAndBoxes::new(2, 2).expect("a small board");
/// play_text(&mut game, "a1-b1 a1-a2 b1-b2 a2-b2")?;
/// assert_eq!(game.margin(), -1); // the second side has completed a box
/// assert_eq!(game.to_move(), Side::Second); // and moves again
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DotsAndBoxes {
    /// The edges drawn.
    edges: Edges,
    /// The boxes of each side.
    boxes: [u64; 2],
    to_move: Side,
    columns: u8,
    rows: u8,
}

impl DotsAndBoxes {
    /// The maximum number of boxes in a row or a column.
    pub const MAX_SIDE: u8 = 7;

    /// The empty board with this many columns and rows of boxes, each 1 to 7.
    pub const fn new(columns: u8, rows: u8) -> Option<Self> {
        if columns == 0 || columns > Self::MAX_SIDE || rows == 0 || rows > Self::MAX_SIDE {
            return None;
        }
        Some(Self {
            edges: Edges {
                horizontal: 0,
                vertical: 0,
            },
            boxes: [0; 2],
            to_move: Side::First,
            columns,
            rows,
        })
    }

    /// The number of columns of boxes.
    pub const fn columns(&self) -> u8 {
        self.columns
    }

    /// The number of rows of boxes.
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// Whether an edge has been drawn.
    pub const fn is_drawn(&self, edge: Edge) -> bool {
        self.edges.contains(edge)
    }

    /// The owner of the box in a column and a row, each from 0; `None` off the
    /// board.
    pub const fn box_owner(&self, column: u8, row: u8) -> Option<Side> {
        if column >= self.columns || row >= self.rows {
            return None;
        }
        let bit = 1 << (row * STRIDE + column);
        owner([self.boxes[0] & bit != 0, self.boxes[1] & bit != 0])
    }

    /// The number of boxes of a side.
    pub const fn points(&self, side: Side) -> u32 {
        self.boxes[side.index()].count_ones()
    }

    /// The boxes that nobody owns.
    const fn open_boxes(&self) -> u64 {
        rectangle(self.columns, self.rows) & !(self.boxes[0] | self.boxes[1])
    }

    const fn free_edges(&self) -> Edges {
        Edges::all(self.columns, self.rows).without(self.edges)
    }

    /// The information that makes positions of one board different.
    const fn words(&self) -> [u64; 2] {
        // The vertical edges of seven rows leave a byte.
        let rest = self.boxes[0].count_ones() as u64 | (self.to_move as u64) << 7;
        [self.edges.horizontal, self.edges.vertical | rest << 56]
    }
}

impl Default for DotsAndBoxes {
    /// Five by five boxes.
    fn default() -> Self {
        Self::new(5, 5).expect("5,5 is a board")
    }
}

impl PartialEq for DotsAndBoxes {
    fn eq(&self, other: &Self) -> bool {
        (self.words(), self.columns, self.rows) == (other.words(), other.columns, other.rows)
    }
}

impl Eq for DotsAndBoxes {}

impl Hash for DotsAndBoxes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.words(), self.columns, self.rows).hash(state);
    }
}

impl TwoPlayerGame for DotsAndBoxes {
    type Move = Edge;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.open_boxes() == 0).then(|| Outcome::from_margin(self.margin()))
    }

    /// Edges that complete a box come first, and those that let the opponent
    /// complete one last, which helps searches.
    fn moves(&self) -> impl Iterator<Item = Edge> {
        let sides = BySides::of(self);
        let (completing, safe) = (sides.completing(self), sides.safe(self));
        let giving = self.free_edges().without(completing).without(safe);
        completing.iter().chain(safe.iter()).chain(giving.iter())
    }

    fn play_unchecked(&mut self, edge: Edge) {
        self.edges.insert(edge);
        let completed = self.edges.complete() & self.open_boxes();
        if completed == 0 {
            self.to_move = self.to_move.other();
        } else {
            self.boxes[self.to_move.index()] |= completed;
        }
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        const SIDE: usize = DotsAndBoxes::MAX_SIDE as usize;
        const MAX_EDGES: usize = 2 * SIDE * (SIDE + 1);
        fill_randomly::<_, MAX_EDGES>(self, Edge::FIRST, draw)
    }

    fn check(&self, edge: Edge) -> Result<(), IllegalMove<Edge>> {
        if self.outcome().is_some() {
            Err(IllegalMove::new(edge, Reason::GameOver))
        } else if !Edges::all(self.columns, self.rows).contains(edge) {
            Err(IllegalMove::new(edge, Reason::OffBoard))
        } else if self.is_drawn(edge) {
            Err(IllegalMove::new(edge, Reason::Occupied))
        } else {
            Ok(())
        }
    }
}

impl Margin for DotsAndBoxes {
    fn margin(&self) -> i32 {
        self.points(Side::First) as i32 - self.points(Side::Second) as i32
    }
}

/// The boxes that nobody owns, by the number of their edges drawn.
pub(super) struct BySides {
    two_or_three: u64,
    three: u64,
}

impl BySides {
    pub(super) const fn of(game: &DotsAndBoxes) -> Self {
        let [lower, left, upper, right] = game.edges.by_box();
        let (both_horizontal, both_vertical) = (lower & upper, left & right);
        let (any_horizontal, any_vertical) = (lower | upper, left | right);
        let three_or_four = both_horizontal & any_vertical | both_vertical & any_horizontal;
        let two_or_more = both_horizontal | both_vertical | any_horizontal & any_vertical;
        let open = game.open_boxes();
        Self {
            two_or_three: two_or_more & open,
            three: three_or_four & open,
        }
    }

    /// The edges that complete a box.
    const fn completing(&self, game: &DotsAndBoxes) -> Edges {
        game.free_edges().and(Edges::around(self.three))
    }

    /// The edges that neither complete a box nor let the next move complete one.
    const fn safe(&self, game: &DotsAndBoxes) -> Edges {
        game.free_edges().without(Edges::around(self.two_or_three))
    }
}

impl CompactKey for DotsAndBoxes {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        let [first, second] = self.words();
        Rng::new(Rng::new(first).next_u64() ^ second).next_u64()
    }
}

impl IndexedMoves for DotsAndBoxes {
    /// The horizontal edges, row by row, then the vertical ones.
    fn move_count(&self) -> usize {
        let (columns, rows) = (usize::from(self.columns), usize::from(self.rows));
        columns * (rows + 1) + rows * (columns + 1)
    }

    fn move_index(&self, edge: Edge) -> usize {
        let [(column, row), _] = edge.dots().map(|(c, r)| (usize::from(c), usize::from(r)));
        let (columns, rows) = (usize::from(self.columns), usize::from(self.rows));
        if edge.is_vertical() {
            columns * (rows + 1) + row * (columns + 1) + column
        } else {
            row * columns + column
        }
    }

    fn indexed_move(&self, index: usize) -> Option<Edge> {
        let (columns, rows) = (usize::from(self.columns), usize::from(self.rows));
        let horizontal = columns * (rows + 1);
        if index >= self.move_count() {
            None
        } else if index < horizontal {
            Edge::horizontal((index % columns) as u8, (index / columns) as u8)
        } else {
            let index = index - horizontal;
            let (column, row) = (index % (columns + 1), index / (columns + 1));
            Edge::vertical(column as u8, row as u8)
        }
    }
}

impl Encode for DotsAndBoxes {
    /// The boxes are the cells of a plane. There is a plane for the lower, the left,
    /// the upper and the right edges of the boxes, so that an edge between two boxes
    /// is in two planes, and one for the lead of the side to move, in all boxes.
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 5,
            rows: self.rows.into(),
            columns: self.columns.into(),
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let boxes = rectangle(self.columns, self.rows);
        let drawn = self.edges.by_box();
        let cells = drawn.iter().flat_map(|&drawn| {
            bits(boxes).map(move |number| f32::from(u8::from(drawn >> number & 1 == 1)))
        });
        let lead = self.points(self.to_move) as f32 - self.points(!self.to_move) as f32;
        let lead = lead / boxes.count_ones() as f32;
        let numbers = cells.chain(core::iter::repeat(lead));
        for (plane, number) in planes.iter_mut().zip(numbers) {
            *plane = number;
        }
    }

    /// A lead of half of the boxes scores 1.
    fn objective(&self) -> Objective<Self> {
        Objective::Margin(|game| {
            let boxes = f32::from(game.columns) * f32::from(game.rows);
            2.0 * game.margin() as f32 / boxes
        })
    }
}

impl Symmetry for DotsAndBoxes {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        if self.columns == self.rows {
            Dihedral::SQUARE
        } else {
            Dihedral::RECTANGLE
        }
    }

    /// A transform that swaps the axes also swaps the sides of the board.
    fn image(&self, transform: Dihedral) -> Self {
        let (columns, rows) = if transform.swaps_axes() {
            (self.rows, self.columns)
        } else {
            (self.columns, self.rows)
        };
        let mut edges = Edges::default();
        for edge in self.edges.iter() {
            edges.insert(self.move_image(edge, transform));
        }
        let box_image = |number: u8| {
            let at = (number % STRIDE, number / STRIDE);
            let (column, row) = transform.apply(at, (self.columns, self.rows));
            1 << (row * STRIDE + column)
        };
        let image = |boxes: u64| bits(boxes).fold(0, |image, number| image | box_image(number));
        Self {
            edges,
            boxes: self.boxes.map(image),
            columns,
            rows,
            ..*self
        }
    }

    /// An edge off the board is its own image.
    fn move_image(&self, edge: Edge, transform: Dihedral) -> Edge {
        let dots = (self.columns + 1, self.rows + 1);
        if !Edges::all(self.columns, self.rows).contains(edge) {
            return edge;
        }
        let [one, other] = edge.dots().map(|dot| transform.apply(dot, dots));
        Edge::between(one, other).unwrap_or(edge)
    }
}

impl Notation for DotsAndBoxes {
    fn move_text(&self, edge: Edge) -> String {
        edge.to_string()
    }

    /// The dots may be in any order, with or without the hyphen.
    fn parse_move(&self, text: &str) -> Result<Edge, ParseMoveError> {
        let dot = |letter: u8, digit: u8| {
            let column = letter
                .checked_sub(b'a')
                .filter(|&column| column <= self.columns)?;
            let row = digit.checked_sub(b'1').filter(|&row| row <= self.rows)?;
            Some((column, row))
        };
        let read = || match normalized(text, 5)?.as_bytes() {
            &[letter, digit, b'-', other_letter, other_digit]
            | &[letter, digit, other_letter, other_digit] => {
                Edge::between(dot(letter, digit)?, dot(other_letter, other_digit)?)
            }
            _ => None,
        };
        read().ok_or_else(|| {
            let last = char::from(b'a' + self.columns);
            let expected = format!(
                "two neighbouring dots from a1 to {last}{}, as in a1-b1",
                self.rows + 1
            );
            ParseMoveError::new(text, expected)
        })
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["Red", "Blue"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Edge"
    }
}

impl Drawing for DotsAndBoxes {
    /// Boxes have the initials of their owners.
    fn picture(&self) -> Picture<Edge> {
        let place = |edge: Edge| {
            let [(column, row), _] = edge.dots();
            let up = u8::from(edge.is_vertical());
            Place::flat(2 * column + 1 - up, 2 * row + up)
        };
        let sides = [("R", Side::First), ("B", Side::Second)].map(|(mark, side)| Piece {
            shape: Shape::Text,
            ..Piece::new(side, mark)
        });
        let edges = Edges::all(self.columns, self.rows).iter().map(|edge| {
            let line = Piece::neutral(if edge.is_vertical() { "|" } else { "-" });
            BoardCell {
                piece: self.is_drawn(edge).then_some(line),
                ..BoardCell::at(place(edge))
            }
        });
        let boxes = bits(rectangle(self.columns, self.rows)).map(|number| {
            let (column, row) = (number % STRIDE, number / STRIDE);
            let owner = self.box_owner(column, row);
            BoardCell {
                piece: owner.map(|side| sides[side.index()]),
                tint: owner.map(Tint::Side),
                ..BoardCell::at(Place::flat(2 * column + 1, 2 * row + 1))
            }
        });
        let choices = self.moves().map(|edge| Choice::path(edge, [place(edge)]));
        Picture {
            cells: edges.chain(boxes).collect(),
            choices: choices.collect(),
            points: Some(Side::BOTH.map(|side| self.points(side))),
            sides,
            colors: [Color::Red, Color::Blue],
            ..Picture::new(Layout::dots(self.columns, self.rows))
        }
    }
}

impl Described for DotsAndBoxes {
    const KEY: &'static str = "dots";
    const TITLE: &'static str = "Dots and Boxes";
    const RULES: &'static str = "\
Red and Blue take turns drawing an edge between two neighbouring dots. Red
goes first. The side that draws the fourth edge of a box owns the box and
draws another edge.
The game ends when all edges are drawn. More boxes win; equal numbers are a
draw.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "m",
            meaning: "number of boxes in a row",
            allowed: AllowedValues::Range(1..=DotsAndBoxes::MAX_SIDE as u32),
            default: 5,
        },
        Parameter {
            name: "n",
            meaning: "number of boxes in a column",
            allowed: AllowedValues::Range(1..=DotsAndBoxes::MAX_SIDE as u32),
            default: 5,
        },
    ];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        let [columns, rows] = core::array::from_fn(|index| values[index] as u8);
        Ok(Self::new(columns, rows).unwrap_or_default())
    }

    fn parameters(&self) -> Vec<u32> {
        vec![self.columns.into(), self.rows.into()]
    }
}
