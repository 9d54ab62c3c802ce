use alloc::string::{String, ToString};
use core::fmt;

use super::bits::{RandomBits, bits, completed_lines, owner, picture_of_marks};
use super::tic_tac_toe::{FULL, LINES, is_won, nth_cell};
use crate::random::Rng;
use crate::rules::{
    CompactKey, Described, Dihedral, Drawing, Encode, Encoding, Heuristic, IllegalMove,
    IndexedMoves, Layout, Notation, Outcome, ParseMoveError, Picture, Place, Reason, Side,
    SpecError, Symmetry, Tint, TwoPlayerGame, encode_owners, parse_grid_cell,
};

/// Ultimate tic-tac-toe: nine local boards of tic-tac-toe, which are the cells of
/// a global board.
///
/// The cell of a move within its local board determines the local board of the
/// next move. A local board is closed once it is won or full; if the determined
/// board is closed, the next move may be in any open one. Three local boards in a
/// row win the game. If all are closed without such a row, the game is a draw. A
/// local board that is full without a line belongs to no side.
///
/// Local boards are numbered like the cells in each:
///
/// ```text
///  9 |          |          | 78 79 80
///  8 | board 6  | board 7  | 75 76 77     6 7 8
///  7 |          |          | 72 73 74     3 4 5
///  6 |          |          |              0 1 2
///  5 | board 3  | board 4  | board 5
///  4 |          |          |              a cell's number is nine
///  3 |  6  7  8 | 15 16 17 |              times its board's plus its
///  2 |  3  4  5 | 12 13 14 | board 2      own within the board
///  1 |  0  1  2 |  9 10 11 |
///       a  b  c    d  e  f    g  h  i
/// ```
///
/// ```
/// use open_ttt_lib::games::Ultimate;
/// use open_ttt_lib::rules::{Notation, TwoPlayerGame, play_text};
///
/// let mut game = Ultimate::new();
/// play_text(&mut game, "e5 f4")?; // the middle, then right and down
/// let texts: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
/// assert_eq!(texts, ["g1", "h1", "i1", "g2", "h2", "i2", "g3", "h3", "i3"]);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ultimate {
    /// The marks of each side on the nine local boards.
    boards: [[u16; 9]; 2],
    /// The local boards won by each side.
    won: [u16; 2],
    /// The local boards that are won or full.
    closed: u16,
    /// The open local board that the next move must be in, if restricted.
    target: Option<u8>,
    plies: u8,
    hash: u64,
}

/// One of the 81 cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UltimateCell(u8);

const CELLS: u8 = 81;

impl UltimateCell {
    /// The cell in a column from the left and a row from the bottom, each 0 to 8.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < 9 && row < 9 {
            Some(Self::at((column, row)))
        } else {
            None
        }
    }

    /// The column, 0 to 8 from the left.
    pub const fn column(self) -> u8 {
        self.board() % 3 * 3 + self.within() % 3
    }

    /// The row, 0 to 8 from the bottom.
    pub const fn row(self) -> u8 {
        self.board() / 3 * 3 + self.within() / 3
    }

    /// The local board, 0 to 8 from the bottom left.
    pub const fn board(self) -> u8 {
        self.0 / 9
    }

    /// The number within the local board, 0 to 8 from the bottom left: the local
    /// board of the next move.
    pub const fn within(self) -> u8 {
        self.0 % 9
    }

    const fn at((column, row): (u8, u8)) -> Self {
        let board = row / 3 * 3 + column / 3;
        let within = row % 3 * 3 + column % 3;
        Self(board * 9 + within)
    }

    const fn bit(self) -> u16 {
        1 << self.within()
    }

    const fn place(self) -> Place {
        Place::flat(self.column(), self.row())
    }
}

/// In the game's notation.
impl fmt::Display for UltimateCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl Ultimate {
    /// The empty board.
    pub const fn new() -> Self {
        Self {
            boards: [[0; 9]; 2],
            won: [0; 2],
            closed: 0,
            target: None,
            plies: 0,
            hash: 0,
        }
    }

    /// The owner of the mark on a cell.
    pub const fn owner(&self, cell: UltimateCell) -> Option<Side> {
        let (board, bit) = (cell.board() as usize, cell.bit());
        let [first, second] = &self.boards;
        owner([first[board] & bit != 0, second[board] & bit != 0])
    }

    /// The winner of a local board, 0 to 8 from the bottom left.
    pub const fn board_owner(&self, board: u8) -> Option<Side> {
        if board >= 9 {
            return None;
        }
        owner([self.won[0] >> board & 1 == 1, self.won[1] >> board & 1 == 1])
    }

    /// The local board that the next move must be in, 0 to 8 from the bottom
    /// left; `None` if any open one is allowed.
    pub const fn target(&self) -> Option<u8> {
        self.target
    }

    /// The number of moves made.
    pub const fn plies(&self) -> u32 {
        self.plies as u32
    }

    const fn occupied(&self, board: u8) -> u16 {
        self.boards[0][board as usize] | self.boards[1][board as usize]
    }

    /// The local boards that the next move may be in.
    fn playable(&self) -> u16 {
        match self.target {
            _ if self.outcome().is_some() => 0,
            Some(board) => 1 << board,
            None => FULL & !self.closed,
        }
    }

    /// Plays a move without updating the hash.
    fn mark(&mut self, cell: UltimateCell) {
        let side = self.to_move();
        let board = cell.board();
        let marks = &mut self.boards[side.index()][board as usize];
        *marks |= cell.bit();
        if is_won(*marks) {
            self.won[side.index()] |= 1 << board;
            self.closed |= 1 << board;
        } else if self.occupied(board) == FULL {
            self.closed |= 1 << board;
        }
        let sent_to = cell.within();
        self.target = (self.closed >> sent_to & 1 == 0).then_some(sent_to);
        self.plies += 1;
    }

    /// The free cells of a local board.
    const fn free(&self, board: u8) -> u16 {
        FULL & !self.occupied(board)
    }

    /// The `number`-th free cell of a local board, from 0.
    fn nth_free(&self, board: u8, number: u64) -> UltimateCell {
        let bit = nth_cell(self.free(board), number as usize);
        UltimateCell(board * 9 + bit.trailing_zeros() as u8)
    }

    /// A random free cell of a local board, which must have one.
    fn free_cell(&self, board: u8, random: &mut RandomBits<impl FnMut() -> u64>) -> UltimateCell {
        let number = random.below(u64::from(self.free(board).count_ones()));
        self.nth_free(board, number)
    }

    /// A random free cell of all open local boards; there must be one.
    fn any_free_cell(&self, random: &mut RandomBits<impl FnMut() -> u64>) -> UltimateCell {
        let open = FULL & !self.closed;
        let free = |board| u64::from(self.free(board).count_ones());
        let mut number = random.below(bits(open).map(free).sum());
        let board = bits(open).find(|&board| {
            let here = number < free(board);
            if !here {
                number -= free(board);
            }
            here
        });
        self.nth_free(board.unwrap_or(0), number)
    }
}

impl TwoPlayerGame for Ultimate {
    type Move = UltimateCell;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the side that just moved can have won.
        let moved = !self.to_move();
        if is_won(self.won[moved.index()]) {
            Some(Outcome::Win(moved))
        } else if self.closed == FULL {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn moves(&self) -> impl Iterator<Item = UltimateCell> {
        bits(self.playable()).flat_map(|board| {
            bits(self.free(board)).map(move |within| UltimateCell(board * 9 + within))
        })
    }

    fn play_unchecked(&mut self, cell: UltimateCell) {
        self.hash ^= cell_hash(self.to_move(), cell) ^ target_hash(self.target);
        self.mark(cell);
        self.hash ^= target_hash(self.target);
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut random = RandomBits::new(draw);
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let cell = match self.target {
                Some(board) => self.free_cell(board, &mut random),
                None => self.any_free_cell(&mut random),
            };
            self.mark(cell);
        }
    }

    fn check(&self, cell: UltimateCell) -> Result<(), IllegalMove<UltimateCell>> {
        let board = cell.board();
        if self.outcome().is_some() {
            Err(IllegalMove::new(cell, Reason::GameOver))
        } else if self.occupied(board) & cell.bit() != 0 {
            Err(IllegalMove::new(cell, Reason::Occupied))
        } else if self.playable() >> board & 1 == 0 {
            Err(IllegalMove::new(cell, Reason::Forbidden))
        } else {
            Ok(())
        }
    }
}

/// The Zobrist key of a mark on a cell (Zobrist 1970).
const fn cell_hash(side: Side, cell: UltimateCell) -> u64 {
    Rng::new((side as u64) << 8 | cell.0 as u64).next_u64()
}

/// The Zobrist key of the local board of the next move.
const fn target_hash(target: Option<u8>) -> u64 {
    match target {
        Some(board) => Rng::new(2 << 8 | board as u64).next_u64(),
        None => 0,
    }
}

impl Heuristic for Ultimate {
    /// Weighs the lines of three that a side can still complete: on each open local
    /// board 1 for a line with one mark and 4 for one with two; on the global board
    /// 20 and 80.
    fn heuristic(&self) -> i32 {
        let own = self.to_move().index();
        let other = 1 - own;
        let in_boards: i32 = bits(FULL & !self.closed)
            .map(|board| {
                let [own, other] = [own, other].map(|side| self.boards[side][board as usize]);
                line_weights(own, other) - line_weights(other, own)
            })
            .sum();
        let weight = |side: usize| line_weights(self.won[side], self.closed & !self.won[side]);
        in_boards + 20 * (weight(own) - weight(other))
    }
}

/// How many cells of each line are in a set of cells of each row: two bits for each of
/// the [`LINES`].
const CELLS_IN_LINES: [[u16; 8]; 3] = {
    let mut counts = [[0; 8]; 3];
    let mut set = 0;
    while set < 24 {
        let (row, cells) = (set / 8, set % 8);
        let mut line = 0;
        while line < LINES.len() {
            let count = (LINES[line] >> (3 * row) & cells as u16).count_ones() as u16;
            counts[row][cells] |= count << (2 * line);
            line += 1;
        }
        set += 1;
    }
    counts
};

/// How many cells of each line are in a set of cells, as in [`CELLS_IN_LINES`].
fn cells_in_lines(set: u16) -> u16 {
    (0..3)
        .map(|row| CELLS_IN_LINES[row][(set >> (3 * row) & 7) as usize])
        .sum()
}

/// The weights of the lines without a blocked cell: 1 with one own cell, 4 with two.
fn line_weights(own: u16, blocked: u16) -> i32 {
    /// The lower bit of each line's two.
    const LOWER: u16 = 0x5555;
    let [own, blocked] = [own, blocked].map(cells_in_lines);
    let open = !(blocked | blocked >> 1) & LOWER;
    let (low, high) = (own & open, own >> 1 & open);
    ((low & !high).count_ones() + 4 * (high & !low).count_ones()) as i32
}

impl CompactKey for Ultimate {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        self.hash
    }
}

indexed_moves!(Ultimate, UltimateCell, CELLS);

impl Encode for Ultimate {
    /// The local boards are the cells of a plane, and each position within a local
    /// board has a plane. A line of a local board then looks the same at every
    /// cell, and neighbouring cells are local boards that form lines. On a plane
    /// of nine by nine, neighbouring cells often belong to different local boards.
    ///
    /// The planes: nine of the mover's marks, nine of the opponent's, the local
    /// boards won by the mover, those won by the opponent, and the local board of
    /// the next move.
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 21,
            rows: 3,
            columns: 3,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let (marks, rest) = planes.split_at_mut(2 * CELLS as usize);
        let (won, target) = rest.split_at_mut(18);
        let by_place = (0..9).flat_map(|within| (0..9).map(move |board| board * 9 + within));
        let owners = by_place.map(|cell| self.owner(UltimateCell(cell)));
        encode_owners(marks, self.to_move(), owners);
        let winners = (0..9).map(|board| self.board_owner(board));
        encode_owners(won, self.to_move(), winners);
        for (board, number) in (0..).zip(target) {
            *number = f32::from(u8::from(self.target == Some(board)));
        }
    }
}

impl Symmetry for Ultimate {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        Dihedral::SQUARE
    }

    fn image(&self, transform: Dihedral) -> Self {
        let set_image = |set| bits(set).fold(0, |image, bit| image | 1 << image_of(bit, transform));
        let target = self.target.map(|board| image_of(board, transform));
        let mut image = Self {
            boards: [[0; 9]; 2],
            won: self.won.map(set_image),
            closed: set_image(self.closed),
            target,
            plies: self.plies,
            hash: target_hash(target),
        };
        for side in Side::BOTH {
            for (board, &marks) in (0..).zip(&self.boards[side.index()]) {
                for within in bits(marks) {
                    let cell = self.move_image(UltimateCell(board * 9 + within), transform);
                    image.boards[side.index()][cell.board() as usize] |= cell.bit();
                    image.hash ^= cell_hash(side, cell);
                }
            }
        }
        image
    }

    fn move_image(&self, cell: UltimateCell, transform: Dihedral) -> UltimateCell {
        UltimateCell(image_of(cell.board(), transform) * 9 + image_of(cell.within(), transform))
    }
}

/// The image of a local board, or of a cell within its local board.
const fn image_of(number: u8, transform: Dihedral) -> u8 {
    let (column, row) = transform.apply((number % 3, number / 3), (3, 3));
    row * 3 + column
}

impl Notation for Ultimate {
    fn move_text(&self, cell: UltimateCell) -> String {
        cell.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<UltimateCell, ParseMoveError> {
        parse_grid_cell(text, 9, 9).map(UltimateCell::at)
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["X", "O"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Coordinates"
    }
}

impl Drawing for Ultimate {
    /// The lines are those within the local boards that win the game, and those of the local
    /// boards.
    fn picture(&self) -> Picture<UltimateCell> {
        let decisive = self.won.map(|won| {
            let rows = LINES.iter().filter(|&line| won & line == *line);
            rows.fold(0, |boards, row| boards | row)
        });
        let lines = (0..9).flat_map(|board| {
            // No marks on the boards that decide nothing.
            let marks =
                |side: usize| self.boards[side][board as usize] * (decisive[side] >> board & 1);
            let place = |within| UltimateCell(board * 9 + within).place();
            completed_lines([marks(0), marks(1)], &LINES, place)
        });
        let local_board = |board| UltimateCell(9 * board).place();
        let block_lines = completed_lines(self.won, &LINES, local_board);
        let layout = Layout::Grid {
            columns: ('a'..='i').map(String::from).collect(),
            rows: (1..=9).map(|row| row.to_string()).collect(),
            block: Some(3),
        };
        let owner = |cell| self.owner(cell);
        let mut picture =
            picture_of_marks(self, layout, UltimateCell::place, owner, lines.collect());
        picture.block_lines = block_lines;
        for cell in &mut picture.cells {
            let board = cell.place.y / 3 * 3 + cell.place.x / 3;
            cell.tint = self.board_owner(board).map(Tint::Side);
        }
        picture
    }
}

impl Described for Ultimate {
    const KEY: &'static str = "ultimate";
    const TITLE: &'static str = "Ultimate tic-tac-toe";
    const RULES: &'static str = "\
X and O take turns marking a cell on one of nine small boards. The cell's
position within its small board decides which small board comes next.
Three in a row win a small board. A small board that is won or full is closed;
if it comes next, any open one may be played.
Three small boards in a row win the game. A full small board without a line
belongs to nobody. If no board is open any more, the game is a draw.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values).map(|()| Self::new())
    }
}
