mod heuristic;

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt;

use crate::games::bits::{RandomBits, bits, labels_from_top, owner};
use crate::random::Rng;
use crate::rules::{
    AllowedValues, BoardCell, Choice, Color, CompactKey, Described, Dihedral, Drawing, Encode,
    Encoding, IllegalMove, IndexedMoves, Layout, Margin, Notation, Outcome, Parameter,
    ParseMoveError, Picture, Piece, Place, Reason, Side, SpecError, Symmetry, TwoPlayerGame,
    encode_owners, normalized, parse_grid_cell,
};

/// Reversi, also known as Othello, on 8 by 8, 6 by 6 or 4 by 4 squares.
///
/// Black moves first. A disc is put on a free square so that it brackets, with
/// another disc of its colour, at least one straight row of the opponent's discs;
/// every disc bracketed is turned over. A side without such a move has to pass,
/// which is a move of its own here. The game ends when neither side can put a disc,
/// and the side with more discs wins. Squares that are still free then count for
/// nobody.
///
/// Rows are numbered from the top, as usual in this game:
///
/// ```text
///  1   0  1  2  3  4  5  6  7
///  2   8  9 10 11 12 13 14 15      the bit of a square is eight times its
///  3  16 17 18 19 20 21 22 23      row plus its column, on small boards too;
///  4  24 25 26  O  X 29 30 31      X: Black, O: White
///  5  32 33 34  X  O 37 38 39
///  6  40 41 42 43 44 45 46 47
///  7  48 49 50 51 52 53 54 55
///  8  56 57 58 59 60 61 62 63
///      a  b  c  d  e  f  g  h
/// ```
///
/// ```
/// use open_ttt_lib::games::Reversi;
/// use open_ttt_lib::rules::{Margin, Notation, TwoPlayerGame, play_text};
///
/// let mut game = Reversi::new();
/// play_text(&mut game, "d3")?; // turns d4 over
/// assert_eq!(game.margin(), 4 - 1);
/// let texts: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
/// assert_eq!(texts, ["c3", "e3", "c5"]);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[doc(alias = "Othello")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reversi {
    discs: [u64; 2],
    /// The squares where the side to move can put a disc, which follow from the
    /// discs.
    mobility: u64,
    to_move: Side,
    size: u8,
}

/// A move of [`Reversi`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReversiMove {
    /// Puts a disc on a square.
    Disc(ReversiSquare),
    /// Leaves the turn to the opponent, for lack of any other move.
    Pass,
}

/// A square of a [`Reversi`] board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReversiSquare(u8);

/// Bits from one row to the next.
const STRIDE: u8 = 8;

/// All columns but the first and the last of the largest board. A disc in one of
/// those can't be bracketed along a row or a diagonal.
const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The axes of the board: the distance to the next square, and where discs can be
/// bracketed along the axis.
const AXES: [(u32, u64); 4] = [
    (1, INNER_COLUMNS),
    (STRIDE as u32, u64::MAX),
    (STRIDE as u32 - 1, INNER_COLUMNS),
    (STRIDE as u32 + 1, INNER_COLUMNS),
];

impl ReversiSquare {
    /// The square in a column from the left and a row from the top, each 0 to 7.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < STRIDE && row < STRIDE {
            Some(Self(row * STRIDE + column))
        } else {
            None
        }
    }

    /// The column, 0 to 7 from the left.
    pub const fn column(self) -> u8 {
        self.0 % STRIDE
    }

    /// The row, 0 to 7 from the top.
    pub const fn row(self) -> u8 {
        self.0 / STRIDE
    }

    const fn bit(self) -> u64 {
        1 << self.0
    }
}

/// In the game's notation.
impl fmt::Display for ReversiSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

/// In the game's notation.
impl fmt::Display for ReversiMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disc(square) => square.fmt(f),
            Self::Pass => f.write_str("pass"),
        }
    }
}

impl Reversi {
    /// The start of the game on 8 by 8 squares.
    pub const fn new() -> Self {
        Self::start(STRIDE)
    }

    /// The start of the game on a board of this many columns and rows: 4, 6 or 8.
    pub const fn with_size(size: u8) -> Option<Self> {
        match size {
            4 | 6 | 8 => Some(Self::start(size)),
            _ => None,
        }
    }

    const fn start(size: u8) -> Self {
        let upper = (size / 2 - 1) * (STRIDE + 1);
        let lower = upper + STRIDE;
        let mut game = Self {
            discs: [0b10 << upper | 0b01 << lower, 0b01 << upper | 0b10 << lower],
            mobility: 0,
            to_move: Side::First,
            size,
        };
        game.mobility = mobility(game.discs, Side::First, board(size));
        game
    }

    /// The number of columns and rows.
    pub const fn size(&self) -> u8 {
        self.size
    }

    /// The owner of the disc on a square; `None` also off the board.
    pub const fn owner(&self, square: ReversiSquare) -> Option<Side> {
        let bit = square.bit();
        owner([self.discs[0] & bit != 0, self.discs[1] & bit != 0])
    }

    /// The number of discs of a side.
    pub const fn discs(&self, side: Side) -> u32 {
        self.discs[side.index()].count_ones()
    }

    const fn board(&self) -> u64 {
        board(self.size)
    }

    const fn free(&self) -> u64 {
        self.board() & !(self.discs[0] | self.discs[1])
    }

    /// The squares where the side that isn't to move could put a disc.
    const fn opponent_mobility(&self) -> u64 {
        mobility(self.discs, self.to_move.other(), self.board())
    }

    /// Gives the turn to the other side.
    const fn end_turn(&mut self) {
        self.to_move = self.to_move.other();
        self.mobility = mobility(self.discs, self.to_move, self.board());
    }

    const fn put(&mut self, square: ReversiSquare) {
        let turned = turned(self.discs, self.to_move, square.bit());
        self.discs[self.to_move.index()] |= turned | square.bit();
        self.discs[self.to_move.other().index()] &= !turned;
        self.end_turn();
    }

    /// The squares of the board, row by row from the top left.
    fn squares(&self) -> impl Iterator<Item = ReversiSquare> + use<> {
        bits(self.board()).map(ReversiSquare)
    }
}

/// The squares of a board.
const fn board(size: u8) -> u64 {
    let row = (1 << size) - 1;
    // One bit at the start of each row times the squares of a row.
    (0x0101_0101_0101_0101 & (u64::MAX >> (64 - size * STRIDE))) * row
}

/// The unbroken rows of `discs` that begin next to a bit of `from` in the direction
/// of the higher bits, `by` bits from square to square. A row has at most six.
const fn rows_up(from: u64, discs: u64, by: u32) -> u64 {
    let mut rows = discs & from << by;
    rows |= discs & rows << by;
    // Squares that end a pair of discs extend a row by two.
    let pairs = discs & discs << by;
    rows |= pairs & rows << (2 * by);
    rows | pairs & rows << (2 * by)
}

/// [`rows_up`] in the direction of the lower bits.
const fn rows_down(from: u64, discs: u64, by: u32) -> u64 {
    let mut rows = discs & from >> by;
    rows |= discs & rows >> by;
    let pairs = discs & discs >> by;
    rows |= pairs & rows >> (2 * by);
    rows | pairs & rows >> (2 * by)
}

/// The squares where a side can put a disc.
const fn mobility(discs: [u64; 2], side: Side, board: u64) -> u64 {
    let own = discs[side.index()];
    let other = discs[side.other().index()];
    let mut ends = 0;
    let mut axis = 0;
    while axis < AXES.len() {
        let (by, inner) = AXES[axis];
        ends |= rows_up(own, other & inner, by) << by;
        ends |= rows_down(own, other & inner, by) >> by;
        axis += 1;
    }
    ends & board & !(own | other)
}

/// The discs that a side turns over by a disc on the square of `bit`.
const fn turned(discs: [u64; 2], side: Side, bit: u64) -> u64 {
    let own = discs[side.index()];
    let other = discs[side.other().index()];
    let mut turned = 0;
    let mut axis = 0;
    while axis < AXES.len() {
        let (by, inner) = AXES[axis];
        let up = rows_up(bit, other & inner, by);
        if up << by & own != 0 {
            turned |= up;
        }
        let down = rows_down(bit, other & inner, by);
        if down >> by & own != 0 {
            turned |= down;
        }
        axis += 1;
    }
    turned
}

/// The legal moves of a position.
struct Moves {
    squares: u64,
    pass: bool,
}

impl Iterator for Moves {
    type Item = ReversiMove;

    fn next(&mut self) -> Option<ReversiMove> {
        if self.squares != 0 {
            let square = ReversiSquare(self.squares.trailing_zeros() as u8);
            self.squares &= self.squares - 1;
            Some(ReversiMove::Disc(square))
        } else if self.pass {
            self.pass = false;
            Some(ReversiMove::Pass)
        } else {
            None
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.squares.count_ones() as usize + usize::from(self.pass);
        (count, Some(count))
    }

    fn count(self) -> usize {
        self.size_hint().0
    }
}

impl Default for Reversi {
    fn default() -> Self {
        Self::new()
    }
}

impl TwoPlayerGame for Reversi {
    type Move = ReversiMove;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        let over = self.mobility == 0 && self.opponent_mobility() == 0;
        over.then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = ReversiMove> {
        Moves {
            squares: self.mobility,
            pass: self.mobility == 0 && self.opponent_mobility() != 0,
        }
    }

    fn play_unchecked(&mut self, m: ReversiMove) {
        match m {
            ReversiMove::Disc(square) => self.put(square),
            ReversiMove::Pass => self.end_turn(),
        }
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut random = RandomBits::new(draw);
        loop {
            if self.mobility == 0 {
                self.end_turn();
                if self.mobility == 0 {
                    return Outcome::from_margin(self.margin());
                }
            }
            let mut squares = self.mobility;
            for _ in 0..random.below(u64::from(squares.count_ones())) {
                squares &= squares - 1;
            }
            self.put(ReversiSquare(squares.trailing_zeros() as u8));
        }
    }

    fn check(&self, m: ReversiMove) -> Result<(), IllegalMove<ReversiMove>> {
        let illegal = |reason| Err(IllegalMove::new(m, reason));
        if self.outcome().is_some() {
            return illegal(Reason::GameOver);
        }
        match m {
            ReversiMove::Pass if self.mobility == 0 => Ok(()),
            ReversiMove::Pass => illegal(Reason::Forbidden),
            ReversiMove::Disc(square) if self.board() & square.bit() == 0 => {
                illegal(Reason::OffBoard)
            }
            ReversiMove::Disc(square) if self.free() & square.bit() == 0 => {
                illegal(Reason::Occupied)
            }
            ReversiMove::Disc(square) if self.mobility & square.bit() == 0 => {
                illegal(Reason::Forbidden)
            }
            ReversiMove::Disc(_) => Ok(()),
        }
    }
}

impl Margin for Reversi {
    /// Black's discs minus White's. Free squares count for neither side, also at
    /// the end.
    fn margin(&self) -> i32 {
        self.discs(Side::First) as i32 - self.discs(Side::Second) as i32
    }
}

impl CompactKey for Reversi {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        let [first, second] = self.discs;
        let words = [self.to_move as u64, first, second];
        words
            .into_iter()
            .fold(0, |key, word| Rng::new(key ^ word).next_u64())
    }
}

impl IndexedMoves for Reversi {
    /// The squares, row by row, and the pass.
    fn move_count(&self) -> usize {
        let size = usize::from(self.size);
        size * size + 1
    }

    fn move_index(&self, m: ReversiMove) -> usize {
        match m {
            ReversiMove::Disc(square) => {
                usize::from(square.row()) * usize::from(self.size) + usize::from(square.column())
            }
            ReversiMove::Pass => self.move_count() - 1,
        }
    }

    fn indexed_move(&self, index: usize) -> Option<ReversiMove> {
        let size = usize::from(self.size);
        if index < size * size {
            let (column, row) = ((index % size) as u8, (index / size) as u8);
            ReversiSquare::new(column, row).map(ReversiMove::Disc)
        } else {
            (index == size * size).then_some(ReversiMove::Pass)
        }
    }
}

impl Encode for Reversi {
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 2,
            rows: self.size.into(),
            columns: self.size.into(),
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let owners = self.squares().map(|square| self.owner(square));
        encode_owners(planes, self.to_move, owners);
    }
}

impl Symmetry for Reversi {
    type Transform = Dihedral;

    /// Those of the start: the others exchange the colours of its discs.
    fn symmetries(&self) -> &'static [Dihedral] {
        &[
            Dihedral::Identity,
            Dihedral::HalfTurn,
            Dihedral::Transpose,
            Dihedral::AntiTranspose,
        ]
    }

    fn image(&self, transform: Dihedral) -> Self {
        let image = |squares: u64| {
            bits(squares).fold(0, |image, bit| {
                image | self.square_image(ReversiSquare(bit), transform).bit()
            })
        };
        Self {
            discs: self.discs.map(image),
            mobility: image(self.mobility),
            ..*self
        }
    }

    fn move_image(&self, m: ReversiMove, transform: Dihedral) -> ReversiMove {
        match m {
            ReversiMove::Disc(square) => ReversiMove::Disc(self.square_image(square, transform)),
            ReversiMove::Pass => ReversiMove::Pass,
        }
    }
}

impl Reversi {
    /// The image of a square; a square off the board is its own.
    const fn square_image(&self, square: ReversiSquare, transform: Dihedral) -> ReversiSquare {
        let at = (square.column(), square.row());
        if self.board() & square.bit() == 0 {
            return square;
        }
        let (column, row) = transform.apply(at, (self.size, self.size));
        ReversiSquare(row * STRIDE + column)
    }
}

impl Notation for Reversi {
    fn move_text(&self, m: ReversiMove) -> String {
        m.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<ReversiMove, ParseMoveError> {
        if normalized(text, 4).as_deref() == Some("pass") {
            return Ok(ReversiMove::Pass);
        }
        match parse_grid_cell(text, self.size, self.size) {
            Ok((column, row)) => Ok(ReversiMove::Disc(ReversiSquare(row * STRIDE + column))),
            Err(error) => Err(ParseMoveError {
                expected: format!("{}, or pass", error.expected),
                ..error
            }),
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["Black", "White"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Square"
    }
}

impl Drawing for Reversi {
    fn picture(&self) -> Picture<ReversiMove> {
        let place = |square: ReversiSquare| {
            let from_bottom = self.size - 1 - square.row();
            Place::flat(square.column(), from_bottom)
        };
        let sides = [("B", Side::First), ("W", Side::Second)];
        let sides = sides.map(|(mark, side)| Piece::new(side, mark));
        let cells = self.squares().map(|square| BoardCell {
            piece: self.owner(square).map(|side| sides[side.index()]),
            ..BoardCell::at(place(square))
        });
        let choices = self.moves().map(|m| match m {
            ReversiMove::Disc(square) => Choice::path(m, [place(square)]),
            ReversiMove::Pass => Choice::button(m, "Pass"),
        });
        let choices: Vec<_> = choices.collect();
        let (columns, rows) = labels_from_top(self.size, self.size);
        Picture {
            cells: cells.collect(),
            points: Some(Side::BOTH.map(|side| self.discs(side))),
            status: (self.mobility == 0 && !choices.is_empty())
                .then(|| "No square to put a disc".to_owned()),
            choices,
            sides,
            colors: [Color::Black, Color::White],
            ..Picture::new(Layout::Grid {
                columns,
                rows,
                block: None,
            })
        }
    }
}

impl Described for Reversi {
    const KEY: &'static str = "reversi";
    const TITLE: &'static str = "Reversi";
    const RULES: &'static str = "\
Black and White take turns putting a disc on a free square. Black goes first.
A disc must bracket at least one straight row of the opponent's discs, in any
direction, between itself and another disc of its colour; all discs bracketed
are turned over. A side that can't put a disc has to pass.
The game ends when neither side can put a disc. More discs win; equal numbers
are a draw.";
    const PARAMETERS: &'static [Parameter] = &[Parameter {
        name: "size",
        meaning: "number of columns and rows",
        allowed: AllowedValues::OneOf(&[4, 6, 8]),
        default: 8,
    }];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::with_size(values[0] as u8).unwrap_or_default())
    }

    fn parameters(&self) -> Vec<u32> {
        vec![self.size.into()]
    }
}
