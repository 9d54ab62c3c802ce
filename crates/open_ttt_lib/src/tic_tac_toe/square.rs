use super::{Owner, Position};

/// A square of a board: where it is and whose.
///
/// ```
/// use open_ttt_lib::tic_tac_toe::{Board, Owner, Position, Square};
///
/// let corner = Position { row: 0, column: 2 };
/// let square = Board::new().get(corner);
/// assert_eq!(square, Square { position: corner, owner: Owner::None });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    /// Where the square is on the board.
    pub position: Position,
    /// Who owns the square.
    pub owner: Owner,
}
