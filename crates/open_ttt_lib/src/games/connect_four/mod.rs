mod book;
mod decisive;

use core::fmt;

use crate::games::bits::Lots;
use crate::rules::{
    BoardCell, CompactKey, CompletedLine, Described, Dihedral, Drawing, Encode, Encoding,
    Heuristic, IllegalMove, IndexedMoves, Layout, Notation, Outcome, Parameter, ParseMoveError,
    Picture, Place, Reason, Side, SpecError, Symmetry, Tactics, TwoPlayerGame, encode_owners,
    normalized,
};

/// Connect Four on the usual seven columns of six, as two 64-bit boards.
///
/// ```text
///   6 13 20 27 34 41 48    a row of bits above the board, always empty,
///  +--------------------   keeps lines from running into the next column
///  | 5 12 19 26 33 40 47
///  | 4 11 18 25 32 39 46
///  | 3 10 17 24 31 38 45
///  | 2  9 16 23 30 37 44
///  | 1  8 15 22 29 36 43
///  | 0  7 14 21 28 35 42
///    1  2  3  4  5  6  7
/// ```
///
/// The layout is that of John Tromp's Fhourstones (1996): a line of four shows
/// as bits that survive three shifts by the same distance.
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
/// The lowest cell of every column.
const BOTTOM: u64 = {
    let mut bits = 0;
    let mut column = 0;
    while column < COLUMNS {
        bits |= 1 << (column * STRIDE);
        column += 1;
    }
    bits
};
/// Every cell of the board.
const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);
/// Distances along a line: up, right, down-right, up-right.
const DIRECTIONS: [u8; 4] = [1, STRIDE, STRIDE - 1, STRIDE + 1];

impl Column {
    /// The column with this number from the left, 0 to 6.
    pub const fn new(index: u8) -> Option<Self> {
        if index < COLUMNS {
            Some(Self(index))
        } else {
            None
        }
    }

    /// The number from the left, 0 to 6.
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

    /// Whose piece is in a column at a height, 0 to 5 from the bottom. Above
    /// the board there is none.
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

    /// How many moves have been made.
    pub const fn plies(&self) -> u32 {
        self.occupied.count_ones()
    }

    /// The cells a piece can fall to, whether or not the game is over.
    const fn landing(&self) -> u64 {
        (self.occupied + BOTTOM) & BOARD
    }

    const fn opponent(&self) -> u64 {
        self.own ^ self.occupied
    }
}

/// Whether these pieces have four in a row.
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

/// The empty cells that would complete a four of these pieces.
fn completing(pieces: u64, occupied: u64) -> u64 {
    // Three stacked pieces wait for one cell only, the one above.
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
        let landing = if has_four(self.opponent()) {
            0
        } else {
            self.landing()
        };
        (0..COLUMNS)
            .map(Column)
            .filter(move |column| landing & column.cells() != 0)
    }

    fn play_unchecked(&mut self, column: Column) {
        self.own ^= self.occupied;
        self.occupied |= self.occupied + column.bottom();
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut lots = Lots::new(draw);
        let (mut own, mut other) = (self.own, self.opponent());
        let mut landing = self.landing();
        let mut mover = self.to_move();
        loop {
            // Columns are few: trying another where one is full is quicker
            // than counting those that are not.
            let column = Column(lots.below(u64::from(COLUMNS)) as u8);
            let place = landing & column.cells();
            if place == 0 {
                continue;
            }
            own |= place;
            if has_four(own) {
                return Outcome::Win(mover);
            }
            // The next piece falls on top of this one.
            landing = (landing + place) & BOARD;
            if landing == 0 {
                return Outcome::Draw;
            }
            (own, other) = (other, own);
            mover = !mover;
        }
    }

    fn check(&self, column: Column) -> Result<(), IllegalMove<Column>> {
        let reason = if self.outcome().is_some() {
            Reason::GameOver
        } else if self.landing() & column.cells() == 0 {
            Reason::Full
        } else {
            return Ok(());
        };
        Err(IllegalMove {
            attempted: column,
            reason,
        })
    }
}

impl Heuristic for ConnectFour {
    /// Each empty cell that completes a four counts 16, each piece in the
    /// middle column 2 and in the ones beside it 1.
    fn heuristic(&self) -> i32 {
        const MIDDLE: u64 = Column(3).cells();
        const INNER: u64 = Column(2).cells() | Column(3).cells() | Column(4).cells();
        let worth = |pieces: u64| {
            16 * completing(pieces, self.occupied).count_ones()
                + (pieces & MIDDLE).count_ones()
                + (pieces & INNER).count_ones()
        };
        worth(self.own) as i32 - worth(self.opponent()) as i32
    }
}

impl CompactKey for ConnectFour {
    const UNIQUE_BITS: Option<u32> = Some(49);

    /// In each column the side to move's pieces, with a one on top of the
    /// column's pieces to mark its height.
    fn key(&self) -> u64 {
        self.own + self.occupied + BOTTOM
    }
}

impl Tactics for ConnectFour {
    fn plies_left(&self) -> u32 {
        u32::from(COLUMNS * ROWS) - self.plies()
    }

    fn wins_at_once(&self) -> bool {
        completing(self.own, self.occupied) & self.landing() != 0
    }

    fn can_still_win(&self, side: Side) -> bool {
        let opponent = if side == self.to_move() {
            self.opponent()
        } else {
            self.own
        };
        has_four(BOARD & !opponent)
    }

    fn non_losing_moves(&self) -> impl Iterator<Item = Column> {
        let threats = completing(self.opponent(), self.occupied);
        let landing = self.landing();
        let forced = landing & threats;
        let possible = match forced.count_ones() {
            0 => landing,
            1 => forced,
            // Nobody stops two threats with one piece.
            _ => 0,
        };
        // A piece below a threat lets the opponent complete it.
        let possible = possible & !(threats >> 1);
        // Where there is no choice there is nothing to rank.
        let choice = possible.count_ones() > 1;
        let mut list = Ranking::default();
        for column in FROM_THE_MIDDLE {
            let place = possible & column.cells();
            if place != 0 {
                let threats = if choice {
                    completing(self.own | place, self.occupied).count_ones()
                } else {
                    0
                };
                list.add(column, threats);
            }
        }
        list.best_first()
    }
}

/// The columns, those with more lines through them first.
const FROM_THE_MIDDLE: [Column; COLUMNS as usize] = [
    Column(3),
    Column(2),
    Column(4),
    Column(1),
    Column(5),
    Column(0),
    Column(6),
];

/// Columns by how many threats a piece in them makes; among equals, the one
/// added first comes first.
#[derive(Default)]
struct Ranking {
    columns: [(u32, Column); COLUMNS as usize],
    count: usize,
}

impl Ranking {
    fn add(&mut self, column: Column, threats: u32) {
        let mut at = self.count;
        while at > 0 && self.columns[at - 1].0 < threats {
            self.columns[at] = self.columns[at - 1];
            at -= 1;
        }
        self.columns[at] = (threats, column);
        self.count += 1;
    }

    fn best_first(self) -> impl Iterator<Item = Column> {
        let columns = self.columns.into_iter().take(self.count);
        columns.map(|(_, column)| column)
    }
}

impl IndexedMoves for ConnectFour {
    fn move_count(&self) -> usize {
        COLUMNS as usize
    }

    fn move_index(&self, column: Column) -> usize {
        column.0 as usize
    }

    fn indexed_move(&self, index: usize) -> Option<Column> {
        u8::try_from(index).ok().and_then(Column::new)
    }
}

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
        let owners = (0..ROWS)
            .flat_map(|row| (0..COLUMNS).map(move |column| self.owner(Column(column), row)));
        encode_owners(planes, self.to_move(), owners);
    }
}

impl Symmetry for ConnectFour {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        Dihedral::MIRROR
    }

    /// Left and right change places for [`Dihedral::MirrorColumns`]; pieces
    /// fall, so every other transform leaves the board as it is.
    fn image(&self, transform: Dihedral) -> Self {
        let carry = |pieces: u64| {
            (0..COLUMNS).map(Column).fold(0, |image, column| {
                let stack = (pieces & column.cells()) >> (column.0 * STRIDE);
                image | stack << (self.move_image(column, transform).0 * STRIDE)
            })
        };
        Self {
            own: carry(self.own),
            occupied: carry(self.occupied),
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
        let over = self.outcome().is_some();
        let place = |bit: u8| Place::flat(bit / STRIDE, bit % STRIDE);
        let on_board = |bit: &u8| BOARD >> bit & 1 == 1;
        let cells = (0..COLUMNS * STRIDE).filter(on_board).map(|bit| {
            let Place { x, y, .. } = place(bit);
            BoardCell {
                place: place(bit),
                owner: self.owner(Column(x), y),
                playable: (!over && self.landing() >> bit & 1 == 1).then_some(Column(x)),
            }
        });
        let mut lines = Vec::new();
        for (side, pieces) in [
            (self.to_move(), self.own),
            (!self.to_move(), self.opponent()),
        ] {
            for distance in DIRECTIONS {
                let pairs = pieces & (pieces >> distance);
                let starts = pairs & (pairs >> (2 * distance));
                lines.extend(
                    (0..64)
                        .filter(|start| starts >> start & 1 == 1)
                        .map(|start| CompletedLine {
                            side,
                            places: (0..4).map(|step| place(start + step * distance)).collect(),
                        }),
                );
            }
        }
        Picture {
            layout: Layout::Grid {
                columns: (1..=COLUMNS).map(|column| column.to_string()).collect(),
                rows: vec![String::new(); ROWS as usize],
                block: None,
            },
            marks: ["R", "Y"],
            cells: cells.collect(),
            lines,
            points: None,
        }
    }
}

impl Described for ConnectFour {
    const KEY: &'static str = "connect4";
    const TITLE: &'static str = "Connect Four";
    const RULES: &'static str = "\
Red and Yellow take turns to drop a piece into one of seven columns, where it
falls to the lowest free place of six.
The first to have four pieces in a row, upright, level or slanting, wins.
A full board without such a line is a draw.";
    const PARAMETERS: &'static [Parameter] = &[];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::new())
    }

    fn parameters(&self) -> Vec<u32> {
        Vec::new()
    }
}
