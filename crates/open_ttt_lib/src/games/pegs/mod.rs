pub(super) mod book;

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::games::bits::{RandomBits, bits, completed_lines, owner};
use crate::rules::{
    AllowedValues, BoardCell, BoardFilling, Choice, Color, CompactKey, Described, Dihedral,
    Drawing, Encode, Encoding, Heuristic, IllegalMove, IndexedMoves, Layout, Margin, Notation,
    Objective, Outcome, Parameter, ParseMoveError, Picture, Piece, Place, Reason, Side, SpecError,
    Stack, Symmetry, TwoPlayerGame, encode_owners, normalized,
};

/// The eight-peg game: three-dimensional tic-tac-toe on stacks of three.
///
/// Red and White take turns putting a piece on a peg, on top of those below. The
/// game ends when all 24 cells are occupied, and the side with more lines of
/// three wins.
///
/// ```text
///  F   G   H      y = 2     the bit of a cell is four times the index of
///    D   E        y = 1     its peg, A to H, plus its height, 0 to 2; the
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
    /// but the four diagonals within the rows A B C and F G H.
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
/// The lowest cell of every peg.
const BOTTOM: u32 = 0x1111_1111;
/// All cells.
const BOARD: u32 = 0x7777_7777;

/// The coordinates of each peg, as (x, y).
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

/// The size of the plane.
const PLANE_COLUMNS: u8 = 5;
const PLANE_ROWS: u8 = 3;

/// The rows of three pegs. The diagonals of the first two aren't among the 34
/// lines.
const ROWS: [[u8; 3]; 6] = [
    [0, 1, 2], // A B C
    [5, 6, 7], // F G H
    [0, 3, 6], // A D G
    [1, 3, 5], // B D F
    [1, 4, 7], // B E H
    [2, 4, 6], // C E G
];

/// Every straight line of three cells; the last four only score among the 38.
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
        // The diagonals of the first two rows go to the end.
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

/// The maximum number of lines through a cell: D or E at middle height.
const MAX_THROUGH: usize = 7;

/// The lines through each cell, by bit number, for each line set, padded with
/// zeros.
const THROUGH: [[[u32; MAX_THROUGH]; 32]; 2] = {
    let mut through = [[[0; MAX_THROUGH]; 32]; 2];
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
    /// The number of scoring lines.
    pub const fn count(self) -> u32 {
        match self {
            Self::ThirtyFour => 34,
            Self::ThirtyEight => 38,
        }
    }

    /// The cells of every scoring line, as (peg, height) with heights from 0.
    pub fn lines(self) -> impl Iterator<Item = [(Peg, u8); 3]> {
        LINES[..self.count() as usize].iter().map(|&line| {
            let mut cells = bits(line).map(|bit| (Peg(bit / STRIDE), bit % STRIDE));
            core::array::from_fn(|_| cells.next().unwrap_or((Peg(0), 0)))
        })
    }
}

impl Peg {
    /// The peg with an index, 0 for A to 7 for H.
    pub const fn new(index: u8) -> Option<Self> {
        if index < PEGS {
            Some(Self(index))
        } else {
            None
        }
    }

    /// The index, 0 for A to 7 for H.
    pub const fn index(self) -> u8 {
        self.0
    }

    const fn cells(self) -> u32 {
        0b111 << (self.0 * STRIDE)
    }
}

/// In the game's notation.
impl fmt::Display for Peg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'A' + self.0))
    }
}

impl Pegs {
    /// Empty pegs, with the 34 lines of the design document.
    pub const fn new() -> Self {
        Self::with_lines(LineSet::ThirtyFour)
    }

    /// Empty pegs, with these scoring lines.
    pub const fn with_lines(line_set: LineSet) -> Self {
        Self {
            boards: [0; 2],
            points: [0; 2],
            line_set,
        }
    }

    /// The scoring lines.
    pub const fn line_set(&self) -> LineSet {
        self.line_set
    }

    /// The owner of the piece on a peg at a height, 0 to 2 from the bottom;
    /// `None` above.
    pub const fn owner(&self, peg: Peg, height: u8) -> Option<Side> {
        if height >= HEIGHT {
            return None;
        }
        let bit = 1 << (peg.0 * STRIDE + height);
        owner([self.boards[0] & bit != 0, self.boards[1] & bit != 0])
    }

    /// The number of pieces on a peg, 0 to 3.
    #[doc(alias = "getNumPieces")]
    pub const fn pieces_on(&self, peg: Peg) -> u32 {
        (self.occupied() & peg.cells()).count_ones()
    }

    /// The number of moves made, 0 to 24.
    #[doc(alias = "getMoveNum")]
    pub const fn plies(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// The number of lines that a side has completed.
    #[doc(alias = "evalBoard")]
    #[doc(alias = "getScore")]
    #[doc(alias = "setScore")]
    pub const fn points(&self, side: Side) -> u32 {
        self.points[side.index()] as u32
    }

    const fn occupied(&self) -> u32 {
        self.boards[0] | self.boards[1]
    }

    /// The lowest free cell of every peg that has one.
    const fn landing(&self) -> u32 {
        (self.occupied() + BOTTOM) & BOARD
    }
}

impl TwoPlayerGame for Pegs {
    type Move = Peg;
    const ALTERNATES: bool = true;

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
        let cell = self.landing() & peg.cells();
        self.boards[side] |= cell;
        let board = self.boards[side];
        let lines = &THROUGH[self.line_set as usize][(cell.trailing_zeros() & 31) as usize];
        let completed = lines
            .iter()
            .filter(|&&line| line != 0 && board & line == line);
        self.points[side] += completed.count() as u8;
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut random = RandomBits::new(draw);
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            // Redrawing a full peg is faster than counting the open ones.
            let peg = Peg(random.below(u64::from(PEGS)) as u8);
            if self.landing() & peg.cells() != 0 {
                self.play_unchecked(peg);
            }
        }
    }

    fn check(&self, peg: Peg) -> Result<(), IllegalMove<Peg>> {
        if self.outcome().is_some() {
            Err(IllegalMove::new(peg, Reason::GameOver))
        } else if self.landing() & peg.cells() == 0 {
            Err(IllegalMove::new(peg, Reason::Full))
        } else {
            Ok(())
        }
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
    /// The margin of points, as in the design document.
    fn heuristic(&self) -> i32 {
        match self.to_move() {
            Side::First => self.margin(),
            Side::Second => -self.margin(),
        }
    }
}

impl CompactKey for Pegs {
    const UNIQUE_BITS: Option<u32> = Some(32);

    /// On each peg the pieces of the side to move, with a set bit above the top
    /// piece.
    fn key(&self) -> u64 {
        let own = self.boards[self.to_move().index()];
        u64::from(own + self.occupied() + BOTTOM)
    }
}

indexed_moves!(Pegs, Peg, PEGS);

impl Encode for Pegs {
    /// The pegs at their coordinates on five columns and three rows, with a plane
    /// for each height, so that diagonal neighbours are neighbours in the planes
    /// and the pieces of a peg share a cell. Cells without a peg stay empty.
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
                let peg = PLANE.iter().position(|&peg| peg == at)?;
                self.owner(Peg(peg as u8), height)
            })
        });
        encode_owners(planes, self.to_move(), owners);
    }

    /// A lead of eight lines scores 1; games between equals end closer.
    fn objective(&self) -> Objective<Self> {
        Objective::Margin(|game| game.margin() as f32 / 8.0)
    }
}

impl Symmetry for Pegs {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        Dihedral::RECTANGLE
    }

    /// A transform that isn't a symmetry of the pegs leaves them unchanged.
    fn image(&self, transform: Dihedral) -> Self {
        let image = |board: u32| {
            (0..PEGS).map(Peg).fold(0, |image, peg| {
                let stack = (board & peg.cells()) >> (peg.0 * STRIDE);
                image | stack << (self.move_image(peg, transform).0 * STRIDE)
            })
        };
        Self {
            boards: self.boards.map(image),
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
        let sides = [("R", Side::First), ("W", Side::Second)];
        let sides = sides.map(|(mark, side)| Piece::new(side, mark));
        let cells = bits(BOARD).map(|bit| {
            let owner = self.owner(Peg(bit / STRIDE), bit % STRIDE);
            BoardCell {
                piece: owner.map(|side| sides[side.index()]),
                ..BoardCell::at(place(bit))
            }
        });
        let choices = bits(self.landing()).map(|bit| Choice::path(Peg(bit / STRIDE), [place(bit)]));
        let scoring = &LINES[..self.line_set.count() as usize];
        let stacks = (0..PEGS).map(Peg).map(|peg| {
            let (x, y) = PLANE[peg.0 as usize];
            let label = peg.to_string();
            Stack { x, y, label }
        });
        Picture {
            cells: cells.collect(),
            choices: choices.collect(),
            lines: completed_lines(self.boards, scoring, place),
            points: Some(self.points.map(u32::from)),
            sides,
            colors: [Color::Red, Color::White],
            ..Picture::new(Layout::Stacks {
                stacks: stacks.collect(),
                height: HEIGHT,
            })
        }
    }
}

impl Described for Pegs {
    const KEY: &'static str = "pegs";
    const TITLE: &'static str = "Eight pegs";
    const RULES: &'static str = "\
Red and White take turns putting a piece on one of eight pegs. Red goes first.
A piece falls to the lowest free place; a peg holds three.
The game ends when all 24 places are filled. Each straight line of three pieces
of one colour, vertical, horizontal or diagonal, is a point. By default 34 of
the 38 lines count: all but the diagonals within A B C and F G H.
More points win; equal points are a draw.";
    const PARAMETERS: &'static [Parameter] = &[Parameter {
        name: "lines",
        meaning: "number of lines that score; 34 leaves out the diagonals within A B C and F G H",
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
