mod decisive;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::games::bits::{bits, fill_randomly, owner, picture_of_marks};
use crate::random::Rng;
use crate::rules::{
    AllowedValues, CompactKey, CompletedLine, Described, Dihedral, Drawing, Encode, Encoding,
    Heuristic, IllegalMove, IndexedMoves, Layout, LineGame, Notation, Outcome, Parameter,
    ParseMoveError, Picture, Place, Reason, Side, SpecError, Symmetry, TwoPlayerGame,
    encode_owners, parse_grid_cell,
};

/// The m,n,k-game: `k` in a row on a board of `m` columns and `n` rows.
///
/// 3,3,3 is tic-tac-toe; the default 15,15,5 is freestyle gomoku, in which more
/// than five in a row also win.
///
/// Each side has a bit set for every row, with the lowest bit on the left:
///
/// ```text
///  rows[side][2]   0b001      3 | X |   |   |
///  rows[side][1]   0b010      2 |   | X |   |
///  rows[side][0]   0b110      1 |   | X | X |
///                               a   b   c
/// ```
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
///
/// let mut game = Mnk::new(5, 4, 4).expect("a board of 5 by 4 has room for 4 in a row");
/// play_text(&mut game, "a1 a2 b1 b2 c1 c2 d1")?;
/// assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mnk {
    rows: [[u32; Mnk::MAX_SIDE as usize]; 2],
    hash: u64,
    plies: u16,
    columns: u8,
    row_count: u8,
    in_a_row: u8,
    winner: Option<Side>,
}

/// A point of the board: a column from the left and a row from the bottom,
/// each counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The column.
    pub column: u8,
    /// The row.
    pub row: u8,
}

/// The directions of lines, as (columns, rows): right, up, up-right, down-right.
const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// In the game's notation.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = char::from(b'a'.saturating_add(self.column));
        write!(f, "{letter}{}", u16::from(self.row) + 1)
    }
}

impl Mnk {
    /// The maximum length of a side of the board.
    pub const MAX_SIDE: u8 = 19;

    /// The empty board of `columns` by `rows` with `in_a_row` to win.
    ///
    /// Returns `None` unless both sides are 1 to 19 and `in_a_row` is 1 to the
    /// longer side.
    pub const fn new(columns: u8, rows: u8, in_a_row: u8) -> Option<Self> {
        let longer = if columns > rows { columns } else { rows };
        let shorter = if columns > rows { rows } else { columns };
        if shorter == 0 || longer > Self::MAX_SIDE || in_a_row == 0 || in_a_row > longer {
            return None;
        }
        Some(Self {
            rows: [[0; Self::MAX_SIDE as usize]; 2],
            hash: 0,
            plies: 0,
            columns,
            row_count: rows,
            in_a_row,
            winner: None,
        })
    }

    /// The number of columns.
    pub const fn columns(&self) -> u8 {
        self.columns
    }

    /// The number of rows.
    pub const fn rows(&self) -> u8 {
        self.row_count
    }

    /// The number of pieces in a row that wins.
    pub const fn in_a_row(&self) -> u8 {
        self.in_a_row
    }

    /// The owner of the piece on a point; `None` off the board.
    pub const fn owner(&self, point: Point) -> Option<Side> {
        if !self.contains(point) {
            return None;
        }
        let (row, bit) = (point.row as usize, 1 << point.column);
        owner([self.rows[0][row] & bit != 0, self.rows[1][row] & bit != 0])
    }

    /// The number of moves made.
    pub const fn plies(&self) -> u32 {
        self.plies as u32
    }

    const fn contains(&self, point: Point) -> bool {
        point.column < self.columns && point.row < self.row_count
    }

    /// The free points of a row, as bits.
    fn free(&self, row: u8) -> u32 {
        let row = row as usize;
        ((1 << self.columns) - 1) & !(self.rows[0][row] | self.rows[1][row])
    }

    /// The point at an offset from another, if it is on the board.
    fn step(&self, from: Point, (columns, rows): (i8, i8)) -> Option<Point> {
        let point = Point {
            column: from.column.checked_add_signed(columns)?,
            row: from.row.checked_add_signed(rows)?,
        };
        self.contains(point).then_some(point)
    }

    /// The length of the run of a side's pieces next to a point in a direction.
    fn run(&self, side: Side, from: Point, direction: (i8, i8)) -> u8 {
        let mut length = 0;
        let mut at = from;
        while let Some(next) = self.step(at, direction)
            && self.owner(next) == Some(side)
        {
            length += 1;
            at = next;
        }
        length
    }

    /// All points, row by row from the bottom left.
    fn points(&self) -> impl Iterator<Item = Point> {
        let columns = self.columns;
        (0..self.row_count)
            .flat_map(move |row| (0..columns).map(move |column| Point { column, row }))
    }
}

impl Default for Mnk {
    /// 15 by 15, five in a row.
    fn default() -> Self {
        Self::new(15, 15, 5).expect("15,15,5 is a game")
    }
}

impl TwoPlayerGame for Mnk {
    type Move = Point;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(u32::from(self.plies))
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.winner {
            Some(side) => Some(Outcome::Win(side)),
            None if self.plies == u16::from(self.columns) * u16::from(self.row_count) => {
                Some(Outcome::Draw)
            }
            None => None,
        }
    }

    fn moves(&self) -> impl Iterator<Item = Point> {
        let rows = match self.winner {
            Some(_) => 0,
            None => self.row_count,
        };
        (0..rows).flat_map(|row| bits(self.free(row)).map(move |column| Point { column, row }))
    }

    fn play_unchecked(&mut self, point: Point) {
        let side = self.to_move();
        self.rows[side.index()][point.row as usize] |= 1 << point.column;
        self.hash ^= point_hash(side, point);
        self.plies += 1;
        let wins = DIRECTIONS.iter().any(|&(columns, rows)| {
            let ahead = self.run(side, point, (columns, rows));
            let behind = self.run(side, point, (-columns, -rows));
            ahead + 1 + behind >= self.in_a_row
        });
        if wins {
            self.winner = Some(side);
        }
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        const MAX_POINTS: usize = (Mnk::MAX_SIDE as usize).pow(2);
        fill_randomly::<_, MAX_POINTS>(self, Point { column: 0, row: 0 }, draw)
    }

    fn check(&self, point: Point) -> Result<(), IllegalMove<Point>> {
        if self.outcome().is_some() {
            Err(IllegalMove::new(point, Reason::GameOver))
        } else if !self.contains(point) {
            Err(IllegalMove::new(point, Reason::OffBoard))
        } else if self.owner(point).is_some() {
            Err(IllegalMove::new(point, Reason::Occupied))
        } else {
            Ok(())
        }
    }
}

/// The Zobrist key of a piece on a point (Zobrist 1970).
const fn point_hash(side: Side, point: Point) -> u64 {
    let piece = (side as u64) << 16 | (point.row as u64) << 8 | point.column as u64;
    Rng::new(piece).next_u64()
}

impl Heuristic for Mnk {
    /// Every window of `k` points in a line in which only one side has pieces
    /// counts for that side, eight times as much for each further piece.
    fn heuristic(&self) -> i32 {
        let mut balance = [0_i32; 2];
        for direction @ (_, up) in DIRECTIONS {
            let last_step = (self.in_a_row as i8 - 1) * up;
            for row in 0..self.row_count {
                let last = row.checked_add_signed(last_step);
                if last.is_some_and(|last| last < self.row_count) {
                    let counts = Side::BOTH.map(|side| self.window_counts(side, row, direction));
                    let taken = counts.map(|count| count.into_iter().fold(0, |any, bit| any | bit));
                    balance[0] += weights(counts[0], taken[0] & !taken[1]);
                    balance[1] += weights(counts[1], taken[1] & !taken[0]);
                }
            }
        }
        let own = self.to_move();
        balance[own.index()] - balance[own.other().index()]
    }
}

/// A number for each column, bit-sliced: word `i` has bit `i` of each number.
type Counts = [u32; 5];

impl Mnk {
    /// The number of pieces a side has in each window that starts in a row, for
    /// all columns at once.
    fn window_counts(&self, side: Side, row: u8, (right, up): (i8, i8)) -> Counts {
        let mut counts = Counts::default();
        for step in 0..self.in_a_row as i8 {
            let at = row.saturating_add_signed(step * up);
            let mut carry = self.rows[side.index()][at as usize] >> (step * right);
            for bit in &mut counts {
                (*bit, carry) = (*bit ^ carry, *bit & carry);
            }
        }
        let room = self.columns as i8 - (self.in_a_row as i8 - 1) * right;
        let starts = (1_u32 << room.max(0)) - 1;
        counts.map(|bit| bit & starts)
    }
}

/// The sum of the weights of the windows that start in these columns.
fn weights(counts: Counts, columns: u32) -> i32 {
    let pieces = |column: u8| {
        let digits = counts.iter().rev();
        digits.fold(0, |count, digit| count << 1 | (digit >> column & 1) as u8)
    };
    bits(columns).map(|column| weight(pieces(column))).sum()
}

/// The weight of a window with this many pieces of one side.
fn weight(pieces: u8) -> i32 {
    1 << (3 * (pieces - 1)).min(15)
}

impl CompactKey for Mnk {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        self.hash
    }
}

impl IndexedMoves for Mnk {
    fn move_count(&self) -> usize {
        self.columns as usize * self.row_count as usize
    }

    fn move_index(&self, point: Point) -> usize {
        point.row as usize * self.columns as usize + point.column as usize
    }

    fn indexed_move(&self, index: usize) -> Option<Point> {
        let columns = self.columns as usize;
        (index < self.move_count()).then(|| Point {
            column: (index % columns) as u8,
            row: (index / columns) as u8,
        })
    }
}

impl Encode for Mnk {
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 2,
            rows: self.row_count as usize,
            columns: self.columns as usize,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let owners = self.points().map(|point| self.owner(point));
        encode_owners(planes, self.to_move(), owners);
    }
}

impl LineGame for Mnk {
    fn winning_lines(&self) -> Vec<Vec<Point>> {
        let length = self.in_a_row as usize;
        let mut lines = Vec::new();
        for start in self.points() {
            for (number, direction) in DIRECTIONS.into_iter().enumerate() {
                // A line of one point is the same in every direction.
                if length == 1 && number > 0 {
                    continue;
                }
                let points = core::iter::successors(Some(start), |&at| self.step(at, direction));
                let line: Vec<_> = points.take(length).collect();
                if line.len() == length {
                    lines.push(line);
                }
            }
        }
        lines
    }

    fn owner_of(&self, point: Point) -> Option<Side> {
        self.owner(point)
    }
}

impl Symmetry for Mnk {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        if self.columns == self.row_count {
            Dihedral::SQUARE
        } else {
            Dihedral::RECTANGLE
        }
    }

    /// A transform that swaps the axes also swaps the sides of the board.
    fn image(&self, transform: Dihedral) -> Self {
        let (columns, row_count) = if transform.swaps_axes() {
            (self.row_count, self.columns)
        } else {
            (self.columns, self.row_count)
        };
        let mut image = Self {
            rows: [[0; Self::MAX_SIDE as usize]; 2],
            hash: 0,
            columns,
            row_count,
            ..*self
        };
        for point in self.points() {
            if let Some(side) = self.owner(point) {
                let point = self.move_image(point, transform);
                image.rows[side.index()][point.row as usize] |= 1 << point.column;
                image.hash ^= point_hash(side, point);
            }
        }
        image
    }

    fn move_image(&self, point: Point, transform: Dihedral) -> Point {
        let (column, row) =
            transform.apply((point.column, point.row), (self.columns, self.row_count));
        Point { column, row }
    }
}

impl Notation for Mnk {
    fn move_text(&self, point: Point) -> String {
        point.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Point, ParseMoveError> {
        parse_grid_cell(text, self.columns, self.row_count)
            .map(|(column, row)| Point { column, row })
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["X", "O"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Coordinates"
    }
}

impl Drawing for Mnk {
    fn picture(&self) -> Picture<Point> {
        let place = |point: Point| Place::flat(point.column, point.row);
        let mut lines = Vec::new();
        for direction @ (columns, rows) in DIRECTIONS {
            for start in self.points() {
                let Some(side) = self.owner(start) else {
                    continue;
                };
                let before = self.step(start, (-columns, -rows));
                let begins = before.and_then(|point| self.owner(point)) != Some(side);
                let length = self.run(side, start, direction) + 1;
                // With k = 1 a piece is a single line, not one per direction.
                let counted = self.in_a_row > 1 || direction == DIRECTIONS[0];
                if begins && length >= self.in_a_row && counted {
                    let points =
                        core::iter::successors(Some(start), |&at| self.step(at, direction));
                    lines.push(CompletedLine {
                        side: Some(side),
                        places: points.take(length as usize).map(place).collect(),
                    });
                }
            }
        }
        let layout = Layout::grid(self.columns, self.row_count);
        picture_of_marks(self, layout, place, |point| self.owner(point), lines)
    }
}

impl Described for Mnk {
    const KEY: &'static str = "mnk";
    const TITLE: &'static str = "K in a row";
    const RULES: &'static str = "\
X and O take turns marking a cell of a board of m columns and n rows.
The first to get k or more in a row, column or diagonal wins.
A full board without such a line is a draw.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "m",
            meaning: "number of columns",
            allowed: AllowedValues::Range(1..=Mnk::MAX_SIDE as u32),
            default: 15,
        },
        Parameter {
            name: "n",
            meaning: "number of rows",
            allowed: AllowedValues::Range(1..=Mnk::MAX_SIDE as u32),
            default: 15,
        },
        Parameter {
            name: "k",
            meaning: "number in a row to win; at most the longer side of the board",
            allowed: AllowedValues::Range(1..=Mnk::MAX_SIDE as u32),
            default: 5,
        },
    ];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        let [columns, rows, in_a_row] = core::array::from_fn(|index| values[index] as u8);
        Self::new(columns, rows, in_a_row).ok_or_else(|| SpecError::BadValue {
            owner: Self::KEY.to_owned(),
            argument: "k".to_owned(),
            value: in_a_row.to_string(),
            allowed: format!("1 to {}, the longer side of the board", columns.max(rows)),
        })
    }

    fn parameters(&self) -> Vec<u32> {
        [self.columns, self.row_count, self.in_a_row]
            .map(u32::from)
            .to_vec()
    }
}
