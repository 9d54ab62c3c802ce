pub(super) mod book;
mod decisive;
mod follow_up;
mod ranked_moves;
mod tactics;

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::games::bits::{RandomBits, bits};
use crate::rules::{
    BoardCell, Choice, Color, CompactKey, CompletedLine, Described, Dihedral, Drawing, Encode,
    Encoding, Heuristic, IllegalMove, IndexedMoves, Layout, Notation, Outcome, ParseMoveError,
    Picture, Piece, Place, Reason, Side, SpecError, Symmetry, TwoPlayerGame, normalized,
};

/// Connect Four on the usual seven columns of six, as two 64-bit boards.
///
/// ```text
///   6 13 20 27 34 41 48    a sentinel row above the board, always empty,
///  +--------------------   separates the columns
///  | 5 12 19 26 33 40 47
///  | 4 11 18 25 32 39 46
///  | 3 10 17 24 31 38 45
///  | 2  9 16 23 30 37 44
///  | 1  8 15 22 29 36 43
///  | 0  7 14 21 28 35 42
///    1  2  3  4  5  6  7
/// ```
///
/// The layout is that of John Tromp's Fhourstones (1996): in a line of four, bits
/// are set at three equal distances.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
///
/// let mut game = ConnectFour::new();
/// play_text(&mut game, "4141414")?;
/// assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConnectFour {
    /// The pieces of the side to move.
    own: u64,
    /// The pieces of both sides.
    occupied: u64,
}

/// One of the seven columns, `1` to `7`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Column(u8);

const COLUMNS: u8 = 7;
const ROWS: u8 = 6;
/// Bits from one column to the next.
const STRIDE: u8 = ROWS + 1;
/// The lowest cell of every column: a geometric series.
const BOTTOM: u64 = ((1 << (COLUMNS * STRIDE)) - 1) / ((1 << STRIDE) - 1);
/// Every cell of the board.
const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);
/// Distances along a line: up, right, down-right, up-right.
const DIRECTIONS: [u8; 4] = [1, STRIDE, STRIDE - 1, STRIDE + 1];

impl Column {
    /// The column with an index, 0 to 6 from the left.
    pub const fn new(index: u8) -> Option<Self> {
        if index < COLUMNS {
            Some(Self(index))
        } else {
            None
        }
    }

    /// The index, 0 to 6 from the left.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The cells of this column.
    const fn cells(self) -> u64 {
        ((1 << ROWS) - 1) << (self.0 * STRIDE)
    }

    /// The lowest cell of this column.
    const fn bottom(self) -> u64 {
        1 << (self.0 * STRIDE)
    }
}

/// In the game's notation.
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

impl ConnectFour {
    /// The empty board.
    pub const fn new() -> Self {
        Self {
            own: 0,
            occupied: 0,
        }
    }

    /// The owner of the piece in a column at a height, 0 to 5 from the bottom;
    /// `None` above the board.
    pub fn owner(&self, column: Column, height: u8) -> Option<Side> {
        if height >= ROWS {
            return None;
        }
        let bit = column.bottom() << height;
        if self.occupied & bit == 0 {
            None
        } else if self.own & bit != 0 {
            Some(self.to_move())
        } else {
            Some(!self.to_move())
        }
    }

    /// The number of moves made.
    pub const fn plies(&self) -> u32 {
        self.occupied.count_ones()
    }

    /// The cells that a piece can fall to, also when the game is over.
    const fn landing(&self) -> u64 {
        (self.occupied + BOTTOM) & BOARD
    }

    const fn opponent(&self) -> u64 {
        self.own ^ self.occupied
    }
}

/// Whether these pieces have four in a row.
#[inline]
const fn has_four(pieces: u64) -> bool {
    let mut i = 0;
    while i < DIRECTIONS.len() {
        let distance = DIRECTIONS[i];
        let pairs = pieces & (pieces >> distance);
        if pairs & (pairs >> (2 * distance)) != 0 {
            return true;
        }
        i += 1;
    }
    false
}

/// The empty cells that complete a line of four of these pieces.
#[inline]
fn winning_cells(pieces: u64, occupied: u64) -> u64 {
    // A vertical line can only be completed at its top.
    let mut cells = (pieces << 1) & (pieces << 2) & (pieces << 3);
    for distance in [STRIDE, STRIDE - 1, STRIDE + 1] {
        let (d, d2, d3) = (distance, 2 * distance, 3 * distance);
        let pair_up = (pieces << d) & (pieces << d2);
        let pair_down = (pieces >> d) & (pieces >> d2);
        cells |= pair_up & (pieces << d3);
        cells |= pair_up & (pieces >> d);
        cells |= pair_down & (pieces << d);
        cells |= pair_down & (pieces >> d3);
    }
    cells & BOARD & !occupied
}

impl TwoPlayerGame for ConnectFour {
    type Move = Column;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the side that just moved can have completed a four.
        if has_four(self.opponent()) {
            Some(Outcome::Win(!self.to_move()))
        } else if self.occupied == BOARD {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn moves(&self) -> impl Iterator<Item = Column> {
        let over = has_four(self.opponent());
        let landing = if over { 0 } else { self.landing() };
        let columns = (0..COLUMNS).map(Column);
        columns.filter(move |column| landing & column.cells() != 0)
    }

    fn play_unchecked(&mut self, column: Column) {
        self.own ^= self.occupied;
        self.occupied |= self.occupied + column.bottom();
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut random = RandomBits::new(draw);
        let (mut own, mut other) = (self.own, self.opponent());
        let mut landing = self.landing();
        let mut mover = self.to_move();
        loop {
            // Redrawing a full column is faster than counting the open ones.
            let column = Column(random.below(u64::from(COLUMNS)) as u8);
            let cell = landing & column.cells();
            if cell == 0 {
                continue;
            }
            own |= cell;
            if has_four(own) {
                return Outcome::Win(mover);
            }
            // The next piece lands on top of this one.
            landing = (landing + cell) & BOARD;
            if landing == 0 {
                return Outcome::Draw;
            }
            (own, other) = (other, own);
            mover = !mover;
        }
    }

    fn check(&self, column: Column) -> Result<(), IllegalMove<Column>> {
        if self.outcome().is_some() {
            Err(IllegalMove::new(column, Reason::GameOver))
        } else if self.landing() & column.cells() == 0 {
            Err(IllegalMove::new(column, Reason::Full))
        } else {
            Ok(())
        }
    }
}

impl Heuristic for ConnectFour {
    /// An empty cell that completes a line of four counts 16, a piece in the
    /// middle column 2 and a piece in a column beside it 1.
    fn heuristic(&self) -> i32 {
        const MIDDLE: u64 = Column(3).cells();
        const INNER: u64 = Column(2).cells() | Column(3).cells() | Column(4).cells();
        let evaluate = |pieces: u64| {
            16 * winning_cells(pieces, self.occupied).count_ones()
                + (pieces & MIDDLE).count_ones()
                + (pieces & INNER).count_ones()
        };
        evaluate(self.own) as i32 - evaluate(self.opponent()) as i32
    }
}

impl CompactKey for ConnectFour {
    const UNIQUE_BITS: Option<u32> = Some(49);

    /// In each column the pieces of the side to move, with a set bit above the
    /// top piece of the column.
    fn key(&self) -> u64 {
        self.own + self.occupied + BOTTOM
    }
}

indexed_moves!(ConnectFour, Column, COLUMNS);

impl Encode for ConnectFour {
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 2,
            rows: ROWS as usize,
            columns: COLUMNS as usize,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        // As `encode_owners` does, without a branch for each cell.
        let (own, other) = planes.split_at_mut(planes.len() / 2);
        for (plane, pieces) in [(own, self.own), (other, self.occupied ^ self.own)] {
            for (row, cells) in plane.chunks_exact_mut(COLUMNS.into()).enumerate() {
                for (column, cell) in cells.iter_mut().enumerate() {
                    let bit = pieces >> (column * usize::from(STRIDE) + row) & 1;
                    *cell = f32::from(bit as u8);
                }
            }
        }
    }
}

impl Symmetry for ConnectFour {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        Dihedral::MIRROR
    }

    /// Only [`Dihedral::MirrorColumns`] is a symmetry; any other transform
    /// leaves the board unchanged.
    fn image(&self, transform: Dihedral) -> Self {
        let image = |pieces: u64| {
            (0..COLUMNS).map(Column).fold(0, |image, column| {
                let stack = (pieces & column.cells()) >> (column.0 * STRIDE);
                image | stack << (self.move_image(column, transform).0 * STRIDE)
            })
        };
        Self {
            own: image(self.own),
            occupied: image(self.occupied),
        }
    }

    fn move_image(&self, column: Column, transform: Dihedral) -> Column {
        match transform {
            Dihedral::MirrorColumns => Column(COLUMNS - 1 - column.0),
            _ => column,
        }
    }
}

impl Notation for ConnectFour {
    fn move_text(&self, column: Column) -> String {
        column.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Column, ParseMoveError> {
        match normalized(text, 1).as_deref().map(str::as_bytes) {
            Some(&[digit @ b'1'..=b'7']) => Ok(Column(digit - b'1')),
            _ => Err(ParseMoveError::new(text, "a column from 1 to 7")),
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["Red", "Yellow"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Column"
    }
}

impl Drawing for ConnectFour {
    fn picture(&self) -> Picture<Column> {
        let place = |bit: u8| Place::flat(bit / STRIDE, bit % STRIDE);
        let sides = [("R", Side::First), ("Y", Side::Second)];
        let sides = sides.map(|(mark, side)| Piece::new(side, mark));
        let cells = bits(BOARD).map(|bit| {
            let owner = self.owner(Column(bit / STRIDE), bit % STRIDE);
            BoardCell {
                piece: owner.map(|side| sides[side.index()]),
                ..BoardCell::at(place(bit))
            }
        });
        let is_over = self.outcome().is_some();
        let landing = bits(if is_over { 0 } else { self.landing() });
        let choices = landing.map(|bit| Choice::path(Column(bit / STRIDE), [place(bit)]));
        let mut lines = Vec::new();
        for (side, pieces) in [
            (self.to_move(), self.own),
            (!self.to_move(), self.opponent()),
        ] {
            for distance in DIRECTIONS {
                let pairs = pieces & (pieces >> distance);
                let starts = bits(pairs & (pairs >> (2 * distance)));
                lines.extend(starts.map(|start| CompletedLine {
                    side: Some(side),
                    places: (0..4).map(|step| place(start + step * distance)).collect(),
                }));
            }
        }
        Picture {
            cells: cells.collect(),
            choices: choices.collect(),
            lines,
            sides,
            colors: [Color::Red, Color::Yellow],
            ..Picture::new(Layout::Grid {
                columns: (1..=COLUMNS).map(|column| column.to_string()).collect(),
                rows: vec![String::new(); ROWS as usize],
                block: None,
            })
        }
    }
}

impl Described for ConnectFour {
    const KEY: &'static str = "connect4";
    const TITLE: &'static str = "Connect Four";
    const RULES: &'static str = "\
Red and Yellow take turns dropping a piece into one of seven columns, where it
falls to the lowest free cell of six.
The first to get four in a row, vertical, horizontal or diagonal, wins.
A full board without such a line is a draw.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values).map(|()| Self::new())
    }
}
