use core::fmt;

use super::MoveError;
use crate::games::Cell;

/// A position on a board, counted from the top left corner.
///
/// ```text
/// +-------+-------+-------+
/// | (0,0) | (0,1) | (0,2) |
/// +-------+-------+-------+
/// | (1,0) | (1,1) | (1,2) |    (row, column)
/// +-------+-------+-------+
/// | (2,0) | (2,1) | (2,2) |
/// +-------+-------+-------+
/// ```
///
/// A position may be off the board; see
/// [`Board::try_get`](super::Board::try_get) and
/// [`Game::can_move`](super::Game::can_move).
///
/// ```
/// use open_ttt_lib::tic_tac_toe::Position;
///
/// let bottom_left = Position { row: 2, column: 0 };
/// assert_eq!(bottom_left, Position::from((2, 0)));
/// assert_eq!(bottom_left.to_string(), "row 2, column 0");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The row, 0 at the top.
    pub row: i32,
    /// The column, 0 at the left.
    pub column: i32,
}

impl Position {
    /// The position of a cell. Rows of cells count from the bottom.
    pub(super) const fn of(cell: Cell) -> Self {
        Self {
            row: 2 - cell.row() as i32,
            column: cell.column() as i32,
        }
    }
}

/// From row and column.
impl From<(i32, i32)> for Position {
    fn from((row, column): (i32, i32)) -> Self {
        Self { row, column }
    }
}

/// The position of a cell, whose rows count from the bottom.
impl From<Cell> for Position {
    fn from(cell: Cell) -> Self {
        Self::of(cell)
    }
}

/// The cell at a position; [`MoveError::OffBoard`] if the board has no such
/// position.
impl TryFrom<Position> for Cell {
    type Error = MoveError;

    fn try_from(position: Position) -> Result<Self, MoveError> {
        let cell = || {
            let row_from_top = u8::try_from(position.row).ok()?;
            let column = u8::try_from(position.column).ok()?;
            Self::new(column, 2_u8.checked_sub(row_from_top)?)
        };
        cell().ok_or(MoveError::OffBoard { position })
    }
}

/// To row and column.
impl From<Position> for (i32, i32) {
    fn from(position: Position) -> Self {
        (position.row, position.column)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row, self.column)
    }
}
