use super::{Owner, Position};

/// A square of a board.
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
    /// The position on the board.
    pub position: Position,
    /// The owner.
    pub owner: Owner,
}
