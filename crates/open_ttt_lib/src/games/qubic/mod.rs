mod decisive;
pub(super) mod solution;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::games::bits::{bits, completed_lines, fill_randomly, owner, picture_of_marks};
use crate::random::Rng;
use crate::rules::{
    CompactKey, Described, Drawing, Encode, Encoding, Heuristic, IllegalMove, IndexedMoves, Layout,
    LineGame, Notation, Outcome, ParseMoveError, Picture, Place, Reason, Side, SpecError, Symmetry,
    TwoPlayerGame, encode_owners, normalized,
};

/// Qubic: four in a row on a board of 4 by 4 by 4.
///
/// There are 76 lines: 48 parallel to an axis, 24 diagonals of a plane and 4 space
/// diagonals.
///
/// ```text
///  4 | 12 13 14 15    28 29 30 31    44 45 46 47    60 61 62 63
///  3 |  8  9 10 11    24 25 26 27    40 41 42 43    56 57 58 59
///  2 |  4  5  6  7    20 21 22 23    36 37 38 39    52 53 54 55
///  1 |  0  1  2  3    16 17 18 19    32 33 34 35    48 49 50 51
///       a  b  c  d     a  b  c  d     a  b  c  d     a  b  c  d
///        layer 1        layer 2        layer 3        layer 4
/// ```
///
/// The numbers are those of the bits; the first side, X, owns the bits of one
/// board and the second, O, those of the other.
///
/// ```
/// use open_ttt_lib::games::Qubic;
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
///
/// let mut game = Qubic::new();
/// play_text(&mut game, "1a1 1b1 2b2 1c1 3c3 1d2 4d4")?; // corner to corner
/// assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qubic {
    boards: [u64; 2],
    hash: u64,
    /// Whether the last move completed a line. Stored, because a move only checks
    /// the lines through its own cube.
    won: bool,
}

/// One of the 64 cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube(u8);

/// A permutation of the cells that maps lines to lines.
///
/// There are 192 (Silver 1967): the 48 symmetries of the cube, each combined with
/// one of four permutations of the layers, the same along all three axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Automorphism(u8);

const SIDE: u8 = 4;
const CUBES: u8 = SIDE * SIDE * SIDE;
const LINE_COUNT: usize = 76;
const AUTOMORPHISM_COUNT: usize = 192;

/// The directions of lines, as (columns, rows, layers), one of each opposite pair.
const DIRECTIONS: [[i8; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

/// All lines.
static LINES: [u64; LINE_COUNT] = {
    let mut lines = [0; LINE_COUNT];
    let mut count = 0;
    let mut direction = 0;
    while direction < DIRECTIONS.len() {
        let mut start = 0;
        while start < CUBES {
            if let Some(line) = line(Cube(start), DIRECTIONS[direction]) {
                lines[count] = line;
                count += 1;
            }
            start += 1;
        }
        direction += 1;
    }
    assert!(count == LINE_COUNT, "there are 76 lines");
    lines
};

/// The line of four from a cell in a direction, if it fits on the board.
const fn line(start: Cube, direction: [i8; 3]) -> Option<u64> {
    let start = start.coordinates();
    let mut bits = 0;
    let mut step = 0;
    while step < SIDE as i8 {
        let mut at = [0; 3];
        let mut axis = 0;
        while axis < 3 {
            let coordinate = start[axis] as i8 + step * direction[axis];
            if coordinate < 0 || coordinate >= SIDE as i8 {
                return None;
            }
            at[axis] = coordinate as u8;
            axis += 1;
        }
        bits |= Cube::at(at).bit();
        step += 1;
    }
    Some(bits)
}

/// The maximum number of lines through a cell: 7 for the corners and the inner
/// eight, 4 for all others.
const MAX_THROUGH: usize = 7;

/// The lines through each cell, padded with lines that can't be completed.
static THROUGH: [[u64; MAX_THROUGH]; CUBES as usize] = {
    let mut through = [[u64::MAX; MAX_THROUGH]; CUBES as usize];
    let mut cube = 0;
    while cube < CUBES as usize {
        let mut count = 0;
        let mut line = 0;
        while line < LINE_COUNT {
            if LINES[line] >> cube & 1 == 1 {
                through[cube][count] = LINES[line];
                count += 1;
            }
            line += 1;
        }
        cube += 1;
    }
    through
};

/// The permutations of the axes.
const AXES: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// The permutations of the layers that keep opposite layers opposite, up to
/// reflection.
const LAYER_PERMUTATIONS: [[u8; SIDE as usize]; 4] =
    [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]];

/// The image of each cell under each automorphism; the first is the identity.
static IMAGES: [[Cube; CUBES as usize]; AUTOMORPHISM_COUNT] = {
    let mut images = [[Cube(0); CUBES as usize]; AUTOMORPHISM_COUNT];
    let mut index = 0;
    while index < AUTOMORPHISM_COUNT {
        let permutation = LAYER_PERMUTATIONS[index % 4];
        let mirrored = index / 4 % 8;
        let axes = AXES[index / 32];
        let mut cube = 0;
        while cube < CUBES {
            let from = Cube(cube).coordinates();
            let mut to = [0; 3];
            let mut axis = 0;
            while axis < 3 {
                let coordinate = permutation[from[axes[axis]] as usize];
                to[axis] = if mirrored >> axis & 1 == 1 {
                    SIDE - 1 - coordinate
                } else {
                    coordinate
                };
                axis += 1;
            }
            images[index][cube as usize] = Cube::at(to);
            cube += 1;
        }
        index += 1;
    }
    images
};

static AUTOMORPHISMS: [Automorphism; AUTOMORPHISM_COUNT] = {
    let mut all = [Automorphism(0); AUTOMORPHISM_COUNT];
    let mut index = 0;
    while index < AUTOMORPHISM_COUNT {
        all[index] = Automorphism(index as u8);
        index += 1;
    }
    all
};

impl Cube {
    /// The cell in a column from the left, a row from the front and a layer from
    /// the bottom, each 0 to 3.
    pub const fn new(column: u8, row: u8, layer: u8) -> Option<Self> {
        if column < SIDE && row < SIDE && layer < SIDE {
            Some(Self::at([column, row, layer]))
        } else {
            None
        }
    }

    /// The column, 0 to 3 from the left.
    pub const fn column(self) -> u8 {
        self.0 % SIDE
    }

    /// The row, 0 to 3 from the front.
    pub const fn row(self) -> u8 {
        self.0 / SIDE % SIDE
    }

    /// The layer, 0 to 3 from the bottom.
    pub const fn layer(self) -> u8 {
        self.0 / (SIDE * SIDE)
    }

    const fn at([column, row, layer]: [u8; 3]) -> Self {
        Self((layer * SIDE + row) * SIDE + column)
    }

    const fn coordinates(self) -> [u8; 3] {
        [self.column(), self.row(), self.layer()]
    }

    const fn bit(self) -> u64 {
        1 << self.0
    }

    const fn place(self) -> Place {
        Place {
            x: self.column(),
            y: self.row(),
            z: self.layer(),
        }
    }
}

/// In the game's notation.
impl fmt::Display for Cube {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'a' + self.column());
        write!(f, "{}{column}{}", self.layer() + 1, self.row() + 1)
    }
}

impl Automorphism {
    /// The image of a cell.
    fn apply(self, cube: Cube) -> Cube {
        IMAGES[self.0 as usize][cube.0 as usize]
    }
}

impl Qubic {
    /// The empty board.
    pub const fn new() -> Self {
        Self {
            boards: [0; 2],
            hash: 0,
            won: false,
        }
    }

    /// The owner of the piece on a cell.
    pub const fn owner(&self, cube: Cube) -> Option<Side> {
        let bit = cube.bit();
        owner([self.boards[0] & bit != 0, self.boards[1] & bit != 0])
    }

    /// The number of moves made.
    pub const fn plies(&self) -> u32 {
        self.occupied().count_ones()
    }

    const fn occupied(&self) -> u64 {
        self.boards[0] | self.boards[1]
    }
}

/// Whether a board has a complete line.
const fn has(board: u64, line: u64) -> bool {
    board & line == line
}

/// The cells of a board, in ascending order.
fn cubes(board: u64) -> impl Iterator<Item = Cube> {
    bits(board).map(Cube)
}

impl TwoPlayerGame for Qubic {
    type Move = Cube;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.won {
            Some(Outcome::Win(!self.to_move()))
        } else if self.occupied() == u64::MAX {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn moves(&self) -> impl Iterator<Item = Cube> {
        cubes(if self.won { 0 } else { !self.occupied() })
    }

    fn play_unchecked(&mut self, cube: Cube) {
        let side = self.to_move();
        let board = &mut self.boards[side.index()];
        *board |= cube.bit();
        self.won = THROUGH[cube.0 as usize]
            .iter()
            .any(|&line| has(*board, line));
        self.hash ^= cube_hash(side, cube);
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        fill_randomly::<_, { CUBES as usize }>(self, Cube(0), draw)
    }

    fn check(&self, cube: Cube) -> Result<(), IllegalMove<Cube>> {
        if self.outcome().is_some() {
            Err(IllegalMove::new(cube, Reason::GameOver))
        } else if self.occupied() & cube.bit() != 0 {
            Err(IllegalMove::new(cube, Reason::Occupied))
        } else {
            Ok(())
        }
    }
}

/// The Zobrist key of a piece on a cell (Zobrist 1970).
const fn cube_hash(side: Side, cube: Cube) -> u64 {
    Rng::new((side as u64) << 8 | cube.0 as u64).next_u64()
}

impl Heuristic for Qubic {
    /// A line on which only one side has pieces counts for that side, eight times
    /// as much for each further piece.
    fn heuristic(&self) -> i32 {
        let own = self.boards[self.to_move().index()];
        let other = self.boards[self.to_move().other().index()];
        LINES
            .iter()
            .map(|line| match (own & line, other & line) {
                (pieces, 0) => weight(pieces),
                (0, pieces) => -weight(pieces),
                _ => 0,
            })
            .sum()
    }
}

/// The weight of a line with these pieces of one side; 0 without pieces.
const fn weight(pieces: u64) -> i32 {
    (1 << (3 * pieces.count_ones())) >> 3
}

impl CompactKey for Qubic {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        self.hash
    }
}

indexed_moves!(Qubic, Cube, CUBES);

impl Encode for Qubic {
    /// A plane for each layer of each side.
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 2 * SIDE as usize,
            rows: SIDE as usize,
            columns: SIDE as usize,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let owners = (0..CUBES).map(|cube| self.owner(Cube(cube)));
        encode_owners(planes, self.to_move(), owners);
    }
}

impl LineGame for Qubic {
    fn winning_lines(&self) -> Vec<Vec<Cube>> {
        LINES.iter().map(|&line| cubes(line).collect()).collect()
    }

    fn owner_of(&self, cube: Cube) -> Option<Side> {
        self.owner(cube)
    }
}

impl Symmetry for Qubic {
    type Transform = Automorphism;

    fn symmetries(&self) -> &'static [Automorphism] {
        &AUTOMORPHISMS
    }

    fn image(&self, transform: Automorphism) -> Self {
        let mut image = Self {
            won: self.won,
            ..Self::new()
        };
        for side in Side::BOTH {
            for cube in cubes(self.boards[side.index()]) {
                let cube = transform.apply(cube);
                image.boards[side.index()] |= cube.bit();
                image.hash ^= cube_hash(side, cube);
            }
        }
        image
    }

    fn move_image(&self, cube: Cube, transform: Automorphism) -> Cube {
        transform.apply(cube)
    }
}

impl Notation for Qubic {
    fn move_text(&self, cube: Cube) -> String {
        cube.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Cube, ParseMoveError> {
        match normalized(text, 3).as_deref().map(str::as_bytes) {
            Some(&[layer @ b'1'..=b'4', column @ b'a'..=b'd', row @ b'1'..=b'4']) => {
                Ok(Cube::at([column - b'a', row - b'1', layer - b'1']))
            }
            _ => Err(ParseMoveError::new(
                text,
                "a layer from 1 to 4, a column from a to d and a row from 1 to 4, as in 2c4",
            )),
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["X", "O"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Layer, column and row"
    }
}

impl Drawing for Qubic {
    fn picture(&self) -> Picture<Cube> {
        let layout = Layout::Layers {
            layers: (1..=SIDE).map(|layer| format!("Layer {layer}")).collect(),
            columns: ('a'..='d').map(String::from).collect(),
            rows: (1..=SIDE).map(|row| row.to_string()).collect(),
        };
        let lines = completed_lines(self.boards, &LINES, |bit| Cube(bit).place());
        picture_of_marks(self, layout, Cube::place, |cube| self.owner(cube), lines)
    }
}

impl Described for Qubic {
    const KEY: &'static str = "qubic";
    const TITLE: &'static str = "Qubic";
    const RULES: &'static str = "\
X and O take turns marking a cell of a cube of four layers, each four by four.
The first to get four in a straight line wins, within a layer or across all
four, vertical, horizontal or diagonal.
A full cube without such a line is a draw.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values).map(|()| Self::new())
    }
}
