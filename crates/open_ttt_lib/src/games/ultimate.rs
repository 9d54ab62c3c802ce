use core::fmt;

use super::bits::{Lots, bits};
use super::tic_tac_toe::{FULL, LINES, is_won, nth_cell};
use crate::random::Rng;
use crate::rules::{
    BoardCell, CompactKey, CompletedLine, Described, Dihedral, Drawing, Encode, Encoding,
    Heuristic, IllegalMove, IndexedMoves, Layout, Notation, Outcome, Parameter, ParseMoveError,
    Picture, Place, Reason, Side, SpecError, Symmetry, TwoPlayerGame, encode_owners,
    parse_grid_cell,
};

/// Ultimate tic-tac-toe: nine boards of tic-tac-toe, which are the cells of a
/// tenth.
///
/// The cell that a move takes within its board tells the opponent in which
/// board to answer. A board is closed once it is won or full; who is sent to a
/// closed one plays in any that is open. Three boards in a row win the game.
/// Where no board is open any more and nobody has three in a row, the game is a
/// draw, however many boards each side has: a board that filled up without a
/// line is nobody's.
///
/// Boards are numbered like the cells in each:
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
    /// The nine boards of each side.
    boards: [[u16; 9]; 2],
    /// The boards each side has won.
    won: [u16; 2],
    /// The boards that are won or full.
    closed: u16,
    /// The open board that has to be played in, if it is not any.
    target: Option<u8>,
    plies: u8,
    hash: u64,
}

/// One of the 81 cells of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UltimateCell(u8);

const CELLS: u8 = 81;

impl UltimateCell {
    /// The cell in this column from the left and row from the bottom of the
    /// whole sheet, each 0 to 8.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < 9 && row < 9 {
            Some(Self::at(column, row))
        } else {
            None
        }
    }

    /// The column of the sheet, 0 to 8 from the left.
    pub const fn column(self) -> u8 {
        self.board() % 3 * 3 + self.within() % 3
    }

    /// The row of the sheet, 0 to 8 from the bottom.
    pub const fn row(self) -> u8 {
        self.board() / 3 * 3 + self.within() / 3
    }

    /// The board it is in, 0 to 8 from the bottom left.
    pub const fn board(self) -> u8 {
        self.0 / 9
    }

    /// Its number within its board, and so the board it sends to: 0 to 8 from
    /// the bottom left.
    pub const fn within(self) -> u8 {
        self.0 % 9
    }

    const fn at(column: u8, row: u8) -> Self {
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
    /// The empty sheet.
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

    /// Whose mark is on a cell.
    pub const fn owner(&self, cell: UltimateCell) -> Option<Side> {
        let board = cell.board() as usize;
        if self.boards[0][board] & cell.bit() != 0 {
            Some(Side::First)
        } else if self.boards[1][board] & cell.bit() != 0 {
            Some(Side::Second)
        } else {
            None
        }
    }

    /// Who has won a board, 0 to 8 from the bottom left. Beyond those there is
    /// none.
    pub const fn board_owner(&self, board: u8) -> Option<Side> {
        if board >= 9 {
            None
        } else if self.won[0] >> board & 1 == 1 {
            Some(Side::First)
        } else if self.won[1] >> board & 1 == 1 {
            Some(Side::Second)
        } else {
            None
        }
    }

    /// The board that has to be played in, 0 to 8 from the bottom left; `None`
    /// where any open one will do.
    pub const fn target(&self) -> Option<u8> {
        self.target
    }

    /// How many moves have been made.
    pub const fn plies(&self) -> u32 {
        self.plies as u32
    }

    const fn occupied(&self, board: u8) -> u16 {
        self.boards[0][board as usize] | self.boards[1][board as usize]
    }

    /// The boards in which a mark may be put.
    fn playable(&self) -> u16 {
        match self.target {
            _ if self.outcome().is_some() => 0,
            Some(board) => 1 << board,
            None => FULL & !self.closed,
        }
    }
}

impl Ultimate {
    /// Plays a move, but for the hash.
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

    /// One of the free cells of a board that has some.
    fn free_cell(&self, board: u8, lots: &mut Lots<impl FnMut() -> u64>) -> UltimateCell {
        let free = FULL & !self.occupied(board);
        let number = lots.below(u64::from(free.count_ones()));
        let bit = nth_cell(free, number as usize);
        UltimateCell(board * 9 + bit.trailing_zeros() as u8)
    }

    /// One of the free cells of all open boards, of which there are some.
    fn any_free_cell(&self, lots: &mut Lots<impl FnMut() -> u64>) -> UltimateCell {
        let open = FULL & !self.closed;
        let free = |board| u64::from((FULL & !self.occupied(board)).count_ones());
        let mut number = lots.below(bits(open).map(free).sum());
        let board = bits(open).find(|&board| {
            let here = number < free(board);
            if !here {
                number -= free(board);
            }
            here
        });
        let board = board.unwrap_or(0);
        let bit = nth_cell(FULL & !self.occupied(board), number as usize);
        UltimateCell(board * 9 + bit.trailing_zeros() as u8)
    }
}

impl TwoPlayerGame for Ultimate {
    type Move = UltimateCell;

    fn to_move(&self) -> Side {
        Side::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the side that just moved can have won a board.
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
            bits(FULL & !self.occupied(board)).map(move |within| UltimateCell(board * 9 + within))
        })
    }

    fn play_unchecked(&mut self, cell: UltimateCell) {
        self.hash ^= cell_hash(self.to_move(), cell) ^ target_hash(self.target);
        self.mark(cell);
        self.hash ^= target_hash(self.target);
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut lots = Lots::new(draw);
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let cell = match self.target {
                Some(board) => self.free_cell(board, &mut lots),
                None => self.any_free_cell(&mut lots),
            };
            // The hash is not kept up: nobody sees the position.
            self.mark(cell);
        }
    }

    fn check(&self, cell: UltimateCell) -> Result<(), IllegalMove<UltimateCell>> {
        let board = cell.board();
        let reason = if self.outcome().is_some() {
            Reason::GameOver
        } else if self.occupied(board) & cell.bit() != 0 {
            Reason::Occupied
        } else if self.playable() >> board & 1 == 0 {
            Reason::Forbidden
        } else {
            return Ok(());
        };
        Err(IllegalMove {
            attempted: cell,
            reason,
        })
    }
}

/// A number of its own for each mark on each cell, so that a sheet's hash is
/// the exclusive or of its marks' (Zobrist 1970).
const fn cell_hash(side: Side, cell: UltimateCell) -> u64 {
    Rng::new((side as u64) << 8 | cell.0 as u64).next_u64()
}

/// The part of the hash that tells where to play.
const fn target_hash(target: Option<u8>) -> u64 {
    match target {
        Some(board) => Rng::new(2 << 8 | board as u64).next_u64(),
        None => 0,
    }
}

impl Heuristic for Ultimate {
    /// Counts lines of three in which one side has something and the other can
    /// still not stop it by what is there: in each open board 1 for a line with
    /// one mark and 4 for one with two; among the boards 20 for a line with one
    /// board won and 80 for one with two, if the rest of the line is open.
    fn heuristic(&self) -> i32 {
        let own = self.to_move().index();
        let other = 1 - own;
        let open = bits(FULL & !self.closed);
        let in_boards: i32 = open
            .map(|board| {
                let board = board as usize;
                let free = FULL & !self.boards[own][board] & !self.boards[other][board];
                prospects(self.boards[own][board], free)
                    - prospects(self.boards[other][board], free)
            })
            .sum();
        let open = FULL & !self.closed;
        let among_boards = prospects(self.won[own], open) - prospects(self.won[other], open);
        in_boards + 20 * among_boards
    }
}

/// What the lines that can still be completed are worth: 1 with one cell, 4
/// with two.
fn prospects(own: u16, free: u16) -> i32 {
    LINES
        .iter()
        .filter(|&line| (own | free) & line == *line)
        .map(|line| [0, 1, 4, 0][(own & line).count_ones() as usize])
        .sum()
}

impl CompactKey for Ultimate {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        self.hash
    }
}

impl IndexedMoves for Ultimate {
    fn move_count(&self) -> usize {
        CELLS as usize
    }

    fn move_index(&self, cell: UltimateCell) -> usize {
        cell.0 as usize
    }

    fn indexed_move(&self, index: usize) -> Option<UltimateCell> {
        (index < CELLS as usize).then_some(UltimateCell(index as u8))
    }
}

impl Encode for Ultimate {
    /// The nine boards are the cells of a plane, and each place within a board
    /// has a plane: what a line within a board is, is then the same at every
    /// cell, and a board's neighbours are the boards it makes lines with. On a
    /// sheet of nine by nine, neighbours often belong to different boards.
    ///
    /// The planes: the mover's marks at each of the nine places, the opponent's,
    /// the boards the mover has won, those the opponent has won, and the board
    /// that has to be played in.
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
        let set_image = |set| bits(set).fold(0, |image, bit| image | 1 << carry(bit, transform));
        let target = self.target.map(|board| carry(board, transform));
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
        UltimateCell(carry(cell.board(), transform) * 9 + carry(cell.within(), transform))
    }
}

/// Where a board goes on the sheet, or a cell within its board.
const fn carry(number: u8, transform: Dihedral) -> u8 {
    let (column, row) = transform.apply((number % 3, number / 3), (3, 3));
    row * 3 + column
}

impl Notation for Ultimate {
    fn move_text(&self, cell: UltimateCell) -> String {
        cell.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<UltimateCell, ParseMoveError> {
        parse_grid_cell(text, 9, 9).map(|(column, row)| UltimateCell::at(column, row))
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["X", "O"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Coordinates"
    }
}

impl Drawing for Ultimate {
    /// The lines shown are those within the boards that win the game.
    fn picture(&self) -> Picture<UltimateCell> {
        let cells = (0..CELLS).map(UltimateCell).map(|cell| BoardCell {
            place: cell.place(),
            owner: self.owner(cell),
            playable: self.check(cell).is_ok().then_some(cell),
        });
        let lines = Side::BOTH.into_iter().flat_map(|side| {
            let won = self.won[side.index()];
            let complete = LINES.iter().filter(|&line| won & line == *line);
            let decisive = complete.fold(0, |boards, line| boards | line);
            bits(decisive).flat_map(move |board| {
                let marks = self.boards[side.index()][board as usize];
                let complete = LINES.iter().filter(move |&line| marks & line == *line);
                complete.map(move |&line| CompletedLine {
                    side,
                    places: bits(line)
                        .map(|within| UltimateCell(board * 9 + within).place())
                        .collect(),
                })
            })
        });
        Picture {
            layout: Layout::Grid {
                columns: ('a'..='i').map(String::from).collect(),
                rows: (1..=9).map(|row| row.to_string()).collect(),
                block: Some(3),
            },
            marks: ["X", "O"],
            cells: cells.collect(),
            lines: lines.collect(),
            points: None,
        }
    }
}

impl Described for Ultimate {
    const KEY: &'static str = "ultimate";
    const TITLE: &'static str = "Ultimate tic-tac-toe";
    const RULES: &'static str = "\
X and O take turns to mark a cell of a sheet of nine small boards. The place of
the cell within its small board tells in which one the opponent has to answer.
Three marks in a row win a small board. One that is won or full is closed: who
is sent there plays in any open one.
Three small boards in a row win. A small board that filled up without a line is
nobody's; when none is open any more, the game is a draw.";
    const PARAMETERS: &'static [Parameter] = &[];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::new())
    }

    fn parameters(&self) -> Vec<u32> {
        Vec::new()
    }
}
