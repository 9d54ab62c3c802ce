use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::bits::{RandomBits, bits, completed_lines, owner, picture_of_marks};
use crate::rules::{
    CompactKey, DecisiveMoves, Described, Dihedral, Drawing, Encode, Encoding, IllegalMove,
    IndexedMoves, Layout, LineGame, Notation, Outcome, ParseMoveError, Picture, Place, Reason,
    Side, SpecError, Symmetry, Tactics, TwoPlayerGame, encode_owners, parse_grid_cell,
};

/// Tic-tac-toe for searches: two nine-bit boards.
///
/// ```text
///    +---+---+---+
///  3 | 6 | 7 | 8 |
///    +---+---+---+     bit numbers; the first side, X, owns
///  2 | 3 | 4 | 5 |     the bits of one board and the second,
///    +---+---+---+     O, those of the other
///  1 | 0 | 1 | 2 |
///    +---+---+---+
///      a   b   c
/// ```
///
/// [`tic_tac_toe`](crate::tic_tac_toe) is more convenient for an application.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "b2 a1 b1 a2 b3")?;
/// assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TicTacToe {
    boards: [u16; 2],
}

/// One of the nine cells of tic-tac-toe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u8);

/// All cells.
pub(crate) const FULL: u16 = 0o777;

/// The eight lines: rows from the bottom, columns from the left, diagonals.
pub(crate) const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

impl Cell {
    /// The cell in a column from the left and a row from the bottom, each 0 to 2.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < 3 && row < 3 {
            Some(Self::at((column, row)))
        } else {
            None
        }
    }

    /// The cell in a column and a row of the board.
    pub(crate) const fn at((column, row): (u8, u8)) -> Self {
        Self(row * 3 + column)
    }

    /// The column, 0 to 2 from the left.
    pub const fn column(self) -> u8 {
        self.0 % 3
    }

    /// The row, 0 to 2 from the bottom.
    pub const fn row(self) -> u8 {
        self.0 / 3
    }

    pub(crate) const fn bit(self) -> u16 {
        1 << self.0
    }
}

/// In the game's notation.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl TicTacToe {
    /// The empty board.
    pub const fn new() -> Self {
        Self { boards: [0; 2] }
    }

    /// The position with these marks, if it is reachable: the numbers of marks
    /// match alternating turns, and no move was made after the end.
    pub fn from_cells(cells: [Option<Side>; 9]) -> Option<Self> {
        let mut boards = [0; 2];
        for (index, owner) in cells.into_iter().enumerate() {
            if let Some(side) = owner {
                boards[side.index()] |= 1 << index;
            }
        }
        Self::from_boards(boards)
    }

    pub(crate) fn from_boards(boards: [u16; 2]) -> Option<Self> {
        let [first, second] = boards;
        let (ones, twos) = (first.count_ones(), second.count_ones());
        let alternating = ones == twos || ones == twos + 1;
        // The winner made the last move.
        let one_ended = !(has_line(first) && has_line(second));
        let first_ended_it = !has_line(first) || ones == twos + 1;
        let second_ended_it = !has_line(second) || ones == twos;
        ((first | second) <= FULL
            && first & second == 0
            && alternating
            && one_ended
            && first_ended_it
            && second_ended_it)
            .then_some(Self { boards })
    }

    /// The owner of the mark on a cell.
    pub const fn owner(&self, cell: Cell) -> Option<Side> {
        let bit = cell.bit();
        owner([self.boards[0] & bit != 0, self.boards[1] & bit != 0])
    }

    /// The cells of each side as bits.
    pub(crate) const fn boards(&self) -> [u16; 2] {
        self.boards
    }

    /// The number of moves made.
    pub const fn plies(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// The free cells that complete a line of a side.
    fn winning_cells(&self, side: Side) -> u16 {
        let own = self.boards[side.index()];
        let free = FULL & !self.occupied();
        bits(free)
            .map(|cell| Cell(cell).bit())
            .filter(|bit| has_line(own | bit))
            .fold(0, |cells, bit| cells | bit)
    }

    const fn occupied(&self) -> u16 {
        self.boards[0] | self.boards[1]
    }
}

/// Whether a board has a complete line.
pub(crate) const fn has_line(board: u16) -> bool {
    // A loop, because iterators aren't const.
    let mut i = 0;
    while i < LINES.len() {
        if board & LINES[i] == LINES[i] {
            return true;
        }
        i += 1;
    }
    false
}

/// [`has_line`] of every board.
static WON: [bool; 512] = {
    let mut won = [false; 512];
    let mut board = 0;
    while board < won.len() {
        won[board] = has_line(board as u16);
        board += 1;
    }
    won
};

/// [`has_line`] by table look-up.
pub(crate) fn is_won(board: u16) -> bool {
    WON[(board & FULL) as usize]
}

/// The set bits of every board, in ascending order.
static NTH_CELLS: [[u16; 9]; 512] = {
    let mut cells = [[0; 9]; 512];
    let mut board = 0;
    while board < cells.len() {
        let mut cell = 0;
        let mut count = 0;
        while cell < 9 {
            if board >> cell & 1 == 1 {
                cells[board][count] = 1 << cell;
                count += 1;
            }
            cell += 1;
        }
        board += 1;
    }
    cells
};

/// The `number`-th set bit of a board, from 0.
pub(crate) fn nth_cell(board: u16, number: usize) -> u16 {
    NTH_CELLS[(board & FULL) as usize][number % 9]
}

/// The cells of a board, in ascending order.
pub(crate) fn cells(board: u16) -> impl Iterator<Item = Cell> {
    bits(board).map(Cell)
}

impl TwoPlayerGame for TicTacToe {
    type Move = Cell;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the side that just moved can have completed a line.
        let moved = !self.to_move();
        if has_line(self.boards[moved.index()]) {
            Some(Outcome::Win(moved))
        } else if self.occupied() == FULL {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn moves(&self) -> impl Iterator<Item = Cell> {
        let over = self.outcome().is_some();
        cells(if over { 0 } else { FULL & !self.occupied() })
    }

    fn play_unchecked(&mut self, cell: Cell) {
        self.boards[self.to_move().index()] |= cell.bit();
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut random = RandomBits::new(draw);
        let mut mover = self.to_move();
        let [mut own, mut other] = self.boards;
        if mover == Side::Second {
            (own, other) = (other, own);
        }
        let mut free = FULL & !self.occupied();
        for count in (1..=free.count_ones() as u64).rev() {
            let cell = nth_cell(free, random.below(count) as usize);
            own |= cell;
            if is_won(own) {
                return Outcome::Win(mover);
            }
            free ^= cell;
            (own, other) = (other, own);
            mover = !mover;
        }
        Outcome::Draw
    }

    fn check(&self, cell: Cell) -> Result<(), IllegalMove<Cell>> {
        if self.outcome().is_some() {
            Err(IllegalMove::new(cell, Reason::GameOver))
        } else if self.occupied() & cell.bit() != 0 {
            Err(IllegalMove::new(cell, Reason::Occupied))
        } else {
            Ok(())
        }
    }
}

impl DecisiveMoves for TicTacToe {}

impl CompactKey for TicTacToe {
    const UNIQUE_BITS: Option<u32> = Some(18);

    fn key(&self) -> u64 {
        u64::from(self.boards[0]) | u64::from(self.boards[1]) << 9
    }
}

impl Tactics for TicTacToe {
    fn plies_left(&self) -> u32 {
        9 - self.plies()
    }

    fn wins_at_once(&self) -> bool {
        self.winning_cells(self.to_move()) != 0
    }

    fn non_losing_moves(&self) -> impl Iterator<Item = Cell> {
        let free = FULL & !self.occupied();
        let threats = self.winning_cells(!self.to_move());
        let possible = match threats.count_ones() {
            0 => free,
            1 => threats,
            // One move can't stop two threats.
            _ => 0,
        };
        // The centre is on four lines, a corner on three and an edge on two.
        let groups = [0o020, 0o505, 0o252];
        groups
            .into_iter()
            .flat_map(move |group| bits(possible & group).map(Cell))
    }

    fn can_still_win(&self, side: Side) -> bool {
        has_line(FULL & !self.boards[side.other().index()])
    }
}

indexed_moves!(TicTacToe, Cell, 9);

impl Encode for TicTacToe {
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 2,
            rows: 3,
            columns: 3,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let owners = (0..9).map(|cell| self.owner(Cell(cell)));
        encode_owners(planes, self.to_move(), owners);
    }
}

impl LineGame for TicTacToe {
    fn winning_lines(&self) -> Vec<Vec<Cell>> {
        LINES.map(|line| cells(line).collect()).into()
    }

    fn owner_of(&self, cell: Cell) -> Option<Side> {
        self.owner(cell)
    }
}

impl Symmetry for TicTacToe {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        Dihedral::SQUARE
    }

    fn image(&self, transform: Dihedral) -> Self {
        let image = |board| {
            bits(board).fold(0, |image, cell| {
                image | self.move_image(Cell(cell), transform).bit()
            })
        };
        Self {
            boards: self.boards.map(image),
        }
    }

    fn move_image(&self, cell: Cell, transform: Dihedral) -> Cell {
        Cell::at(transform.apply((cell.column(), cell.row()), (3, 3)))
    }
}

impl Notation for TicTacToe {
    fn move_text(&self, cell: Cell) -> String {
        cell.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Cell, ParseMoveError> {
        parse_grid_cell(text, 3, 3).map(Cell::at)
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["X", "O"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Coordinates"
    }
}

impl Drawing for TicTacToe {
    fn picture(&self) -> Picture<Cell> {
        let place = |cell: Cell| Place::flat(cell.column(), cell.row());
        let lines = completed_lines(self.boards, &LINES, |bit| place(Cell(bit)));
        picture_of_marks(
            self,
            Layout::grid(3, 3),
            place,
            |cell| self.owner(cell),
            lines,
        )
    }
}

impl Described for TicTacToe {
    const KEY: &'static str = "ttt";
    const TITLE: &'static str = "Tic-tac-toe";
    const RULES: &'static str = "\
X and O take turns marking a cell of a three-by-three board.
The first to get three in a row, column or diagonal wins.
A full board without such a line is a draw, a cat's game.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values).map(|()| Self::new())
    }
}
