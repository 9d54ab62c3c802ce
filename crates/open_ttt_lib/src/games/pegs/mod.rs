mod book;

use core::fmt;

use crate::games::bits::{Lots, bits};
use crate::rules::{
    AllowedValues, BoardCell, BoardFilling, CompactKey, CompletedLine, Described, Dihedral,
    Drawing, Encode, Encoding, Heuristic, IllegalMove, IndexedMoves, Layout, Margin, Notation,
    Objective, Outcome, Parameter, ParseMoveError, Picture, Place, Reason, Side, SpecError, Stack,
    Symmetry, TwoPlayerGame, encode_owners, normalized,
};

/// The eight-peg game: three-dimensional tic-tac-toe on stacks of three.
///
/// Red and White take turns to put a piece on a peg, where it rests on those
/// below. The game ends when all 24 places are filled, and the side with more
/// lines of three in a row has won.
///
/// ```text
///  F   G   H      y = 2     the bit of a place is four times its peg's
///    D   E        y = 1     number, A to H, plus its height, 0 to 2; the
///  A   B   C      y = 0     fourth bit of each peg is never set
///  0 1 2 3 4 = x
/// ```
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_lib::rules::{Margin, play_text};
///
/// let mut game = Pegs::new();
/// play_text(&mut game, "ADBEC")?; // Red has the row A B C
/// assert_eq!(game.margin(), 1);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[doc(alias = "Board")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pegs {
    boards: [u32; 2],
    points: [u8; 2],
    line_set: LineSet,
}

/// Which straight lines of three score a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineSet {
    /// The 34 scoring positions of the design document: every straight line
    /// but the four that climb within the rows A B C and F G H.
    #[default]
    ThirtyFour,
    /// Every straight line, 38 of them.
    ThirtyEight,
}

/// One of the eight pegs, `A` to `H`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Peg(u8);

const PEGS: u8 = 8;
const HEIGHT: u8 = 3;
/// Bits from one peg to the next.
const STRIDE: u8 = HEIGHT + 1;
/// The lowest place of every peg.
const BOTTOM: u32 = 0x1111_1111;
/// Every place there is.
const BOARD: u32 = 0x7777_7777;

/// Where each peg stands, as (x, y).
const PLANE: [(u8, u8); PEGS as usize] = [
    (0, 0),
    (2, 0),
    (4, 0),
    (1, 1),
    (3, 1),
    (0, 2),
    (2, 2),
    (4, 2),
];

/// How many columns and rows the plane has.
const PLANE_COLUMNS: u8 = 5;
const PLANE_ROWS: u8 = 3;

/// The rows of three in the plane; in the first two the climbing lines are
/// left out of the 34.
const ROWS: [[u8; 3]; 6] = [
    [0, 1, 2], // A B C
    [5, 6, 7], // F G H
    [0, 3, 6], // A D G
    [1, 3, 5], // B D F
    [1, 4, 7], // B E H
    [2, 4, 6], // C E G
];

/// Every straight line of three places; the last four are only in the 38.
const LINES: [u32; 38] = {
    let mut lines = [0; 38];
    let mut count = 0;
    let mut peg = 0;
    while peg < PEGS {
        lines[count] = 0b111 << (peg * STRIDE);
        count += 1;
        peg += 1;
    }
    let mut row = 0;
    while row < ROWS.len() {
        let mut height = 0;
        while height < HEIGHT {
            lines[count] = row_line(ROWS[row], [height; 3]);
            count += 1;
            height += 1;
        }
        // The climbing lines of the first two rows go to the end.
        let at = if row < 2 { 34 + 2 * row } else { count };
        lines[at] = row_line(ROWS[row], [0, 1, 2]);
        lines[at + 1] = row_line(ROWS[row], [2, 1, 0]);
        if row >= 2 {
            count += 2;
        }
        row += 1;
    }
    lines
};

const fn row_line(row: [u8; 3], heights: [u8; 3]) -> u32 {
    let mut line = 0;
    let mut i = 0;
    while i < 3 {
        line |= 1 << (row[i] * STRIDE + heights[i]);
        i += 1;
    }
    line
}

/// The most lines that go through one place: D or E at middle height.
const MOST_THROUGH: usize = 7;

/// The lines through each place, by bit number, for each line set; filled up
/// with zeros, which no board contains as a line.
const THROUGH: [[[u32; MOST_THROUGH]; 32]; 2] = {
    let mut through = [[[0; MOST_THROUGH]; 32]; 2];
    let mut set = 0;
    while set < 2 {
        let mut bit = 0;
        while bit < 32 {
            let mut count = 0;
            let mut line = 0;
            while line < 34 + 4 * set {
                if LINES[line] >> bit & 1 == 1 {
                    through[set][bit][count] = LINES[line];
                    count += 1;
                }
                line += 1;
            }
            bit += 1;
        }
        set += 1;
    }
    through
};

impl LineSet {
    /// How many lines score.
    pub const fn count(self) -> u32 {
        match self {
            Self::ThirtyFour => 34,
            Self::ThirtyEight => 38,
        }
    }

    /// The places of every scoring line, as (peg, height) with heights from 0.
    pub fn lines(self) -> impl Iterator<Item = [(Peg, u8); 3]> {
        LINES[..self.count() as usize].iter().map(|&line| {
            let mut places = bits(line).map(|bit| (Peg(bit / STRIDE), bit % STRIDE));
            core::array::from_fn(|_| places.next().unwrap_or((Peg(0), 0)))
        })
    }
}

impl Peg {
    /// The peg with this number, 0 for A to 7 for H.
    pub const fn new(index: u8) -> Option<Self> {
        if index < PEGS {
            Some(Self(index))
        } else {
            None
        }
    }

    /// The number, 0 for A to 7 for H.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The letter, `A` to `H`.
    pub const fn letter(self) -> char {
        (b'A' + self.0) as char
    }

    const fn places(self) -> u32 {
        0b111 << (self.0 * STRIDE)
    }
}

/// In the game's notation.
impl fmt::Display for Peg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl Pegs {
    /// Empty pegs, with the 34 lines of the design document.
    pub const fn new() -> Self {
        Self::with_lines(LineSet::ThirtyFour)
    }

    /// Empty pegs, with the lines that shall score.
    pub const fn with_lines(line_set: LineSet) -> Self {
        Self {
            boards: [0; 2],
            points: [0; 2],
            line_set,
        }
    }

    /// Which lines score.
    pub const fn line_set(&self) -> LineSet {
        self.line_set
    }

    /// Whose piece is on a peg at a height, 0 to 2 from below. Above that
    /// there is none.
    pub const fn owner(&self, peg: Peg, height: u8) -> Option<Side> {
        if height >= HEIGHT {
            return None;
        }
        let place = 1 << (peg.0 * STRIDE + height);
        if self.boards[0] & place != 0 {
            Some(Side::First)
        } else if self.boards[1] & place != 0 {
            Some(Side::Second)
        } else {
            None
        }
    }

    /// How many pieces are on a peg, 0 to 3.
    #[doc(alias = "getNumPieces")]
    pub const fn pieces_on(&self, peg: Peg) -> u32 {
        (self.occupied() & peg.places()).count_ones()
    }

    /// How many moves have been made, 0 to 24.
    #[doc(alias = "getMoveNum")]
    pub const fn plies(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// How many lines a side has: its score, kept as the moves are played.
    #[doc(alias = "evalBoard")]
    #[doc(alias = "getScore")]
    #[doc(alias = "setScore")]
    pub const fn points(&self, side: Side) -> u32 {
        self.points[side.index()] as u32
    }

    const fn occupied(&self) -> u32 {
        self.boards[0] | self.boards[1]
    }

    /// The lowest free place of every peg that has one.
    const fn landing(&self) -> u32 {
        (self.occupied() + BOTTOM) & BOARD
    }
}

impl TwoPlayerGame for Pegs {
    type Move = Peg;

    fn to_move(&self) -> Side {
        Side::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.occupied() == BOARD).then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = Peg> {
        bits(self.landing()).map(|bit| Peg(bit / STRIDE))
    }

    #[doc(alias = "addPiece")]
    fn play_unchecked(&mut self, peg: Peg) {
        let side = self.to_move().index();
        let place = self.landing() & peg.places();
        self.boards[side] |= place;
        let board = self.boards[side];
        let lines = &THROUGH[self.line_set as usize][(place.trailing_zeros() & 31) as usize];
        let completed = lines
            .iter()
            .filter(|&&line| line != 0 && board & line == line);
        self.points[side] += completed.count() as u8;
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut lots = Lots::new(draw);
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            // Pegs are few: trying another where one is full is quicker than
            // counting those that are not.
            let peg = Peg(lots.below(u64::from(PEGS)) as u8);
            if self.landing() & peg.places() != 0 {
                self.play_unchecked(peg);
            }
        }
    }

    fn check(&self, peg: Peg) -> Result<(), IllegalMove<Peg>> {
        let reason = if self.outcome().is_some() {
            Reason::GameOver
        } else if self.landing() & peg.places() == 0 {
            Reason::Full
        } else {
            return Ok(());
        };
        Err(IllegalMove {
            attempted: peg,
            reason,
        })
    }
}

impl Margin for Pegs {
    fn margin(&self) -> i32 {
        i32::from(self.points[0]) - i32::from(self.points[1])
    }
}

impl BoardFilling for Pegs {
    fn pieces(&self) -> [u64; 2] {
        self.boards.map(u64::from)
    }

    fn margin_of(&self, pieces: [u64; 2]) -> i32 {
        let scoring = &LINES[..self.line_set.count() as usize];
        let [first, second] = pieces.map(|board| {
            let lines = scoring.iter().filter(|&&line| board as u32 & line == line);
            lines.count() as i32
        });
        first - second
    }
}

impl Heuristic for Pegs {
    /// The design document's: the points on the board.
    fn heuristic(&self) -> i32 {
        match self.to_move() {
            Side::First => self.margin(),
            Side::Second => -self.margin(),
        }
    }
}

impl CompactKey for Pegs {
    const UNIQUE_BITS: Option<u32> = Some(32);

    /// On each peg the side to move's pieces, with a one on top of the pieces
    /// to mark their height: 32 bits in all.
    fn key(&self) -> u64 {
        let own = self.boards[self.to_move().index()];
        u64::from(own + self.occupied() + BOTTOM)
    }
}

impl IndexedMoves for Pegs {
    fn move_count(&self) -> usize {
        PEGS as usize
    }

    fn move_index(&self, peg: Peg) -> usize {
        peg.0 as usize
    }

    fn indexed_move(&self, index: usize) -> Option<Peg> {
        u8::try_from(index).ok().and_then(Peg::new)
    }
}

impl Encode for Pegs {
    /// The pegs as they stand, on five columns and three rows, and a plane for
    /// each height: the diagonal rows of pegs are neighbours then, and what lies
    /// on one peg is at one cell. The cells between the pegs stay empty. The
    /// points follow from the pieces.
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 2 * HEIGHT as usize,
            rows: PLANE_ROWS as usize,
            columns: PLANE_COLUMNS as usize,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let cells = PLANE_ROWS * PLANE_COLUMNS;
        let owners = (0..HEIGHT).flat_map(|height| {
            (0..cells).map(move |cell| {
                let at = (cell % PLANE_COLUMNS, cell / PLANE_COLUMNS);
                let peg = PLANE.iter().position(|&stands| stands == at)?;
                self.owner(Peg(peg as u8), height)
            })
        });
        encode_owners(planes, self.to_move(), owners);
    }

    /// A lead of eight lines scores 1; games between equals end with less.
    fn objective() -> Objective<Self> {
        Objective::Margin(|game| game.margin() as f32 / 8.0)
    }
}

impl Symmetry for Pegs {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        Dihedral::RECTANGLE
    }

    /// A transform that is no symmetry of the pegs leaves them as they are.
    fn image(&self, transform: Dihedral) -> Self {
        let carry = |board: u32| {
            (0..PEGS).map(Peg).fold(0, |image, peg| {
                let stack = (board & peg.places()) >> (peg.0 * STRIDE);
                image | stack << (self.move_image(peg, transform).0 * STRIDE)
            })
        };
        Self {
            boards: self.boards.map(carry),
            ..*self
        }
    }

    fn move_image(&self, peg: Peg, transform: Dihedral) -> Peg {
        if transform.swaps_axes() {
            return peg;
        }
        let image = transform.apply(PLANE[peg.0 as usize], (PLANE_COLUMNS, PLANE_ROWS));
        let index = PLANE.iter().position(|&at| at == image);
        index.map_or(peg, |index| Peg(index as u8))
    }
}

impl Notation for Pegs {
    fn move_text(&self, peg: Peg) -> String {
        peg.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Peg, ParseMoveError> {
        match normalized(text, 1).as_deref().map(str::as_bytes) {
            Some(&[letter @ b'a'..=b'h']) => Ok(Peg(letter - b'a')),
            _ => Err(ParseMoveError::new(text, "a peg from A to H")),
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["Red", "White"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Peg"
    }
}

impl Drawing for Pegs {
    fn picture(&self) -> Picture<Peg> {
        let place = |bit: u8| {
            let (x, y) = PLANE[(bit / STRIDE) as usize];
            let z = bit % STRIDE;
            Place { x, y, z }
        };
        let cells = bits(BOARD).map(|bit| {
            let peg = Peg(bit / STRIDE);
            BoardCell {
                place: place(bit),
                owner: self.owner(peg, bit % STRIDE),
                playable: (self.landing() >> bit & 1 == 1).then_some(peg),
            }
        });
        let scoring = &LINES[..self.line_set.count() as usize];
        let lines = Side::BOTH.into_iter().flat_map(|side| {
            let board = self.boards[side.index()];
            scoring
                .iter()
                .filter(move |&&line| board & line == line)
                .map(move |&line| CompletedLine {
                    side,
                    places: bits(line).map(place).collect(),
                })
        });
        let stacks = (0..PEGS).map(Peg).map(|peg| {
            let (x, y) = PLANE[peg.0 as usize];
            let label = peg.letter().to_string();
            Stack { x, y, label }
        });
        Picture {
            layout: Layout::Stacks {
                stacks: stacks.collect(),
                height: HEIGHT,
            },
            marks: ["R", "W"],
            cells: cells.collect(),
            lines: lines.collect(),
            points: Some(self.points.map(u32::from)),
        }
    }
}

impl Described for Pegs {
    const KEY: &'static str = "pegs";
    const TITLE: &'static str = "Eight pegs";
    const RULES: &'static str = "\
Red and White take turns to put a piece on one of eight pegs, red first.
A piece falls to the lowest free place; a peg holds three.
The game ends when all 24 places are filled. A straight line of three pieces
of one colour is a point, upright, level or climbing. Of 38 such lines 34 score
if nothing else is said: not those that climb within A B C or F G H.
More points win; equal points are a draw.";
    const PARAMETERS: &'static [Parameter] = &[Parameter {
        name: "lines",
        meaning: "how many lines score; 34 leaves out those that climb within A B C and F G H",
        allowed: AllowedValues::OneOf(&[34, 38]),
        default: 34,
    }];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::with_lines(match values {
            [38] => LineSet::ThirtyEight,
            _ => LineSet::ThirtyFour,
        }))
    }

    fn parameters(&self) -> Vec<u32> {
        vec![self.line_set.count()]
    }
}
