use core::array;
use core::fmt;
use core::iter::FusedIterator;

use super::board::position;
use super::{Board, Owner, Square};

/// Lines of three squares that win the game if a player owns all of one.
///
/// [`Board::victory_sets`] yields all eight.
/// [`GameState::PlayerXWin`](super::GameState::PlayerXWin) and
/// [`PlayerOWin`](super::GameState::PlayerOWin) have those that the winner owns:
/// one line, or two if the last mark completed both. The squares are a snapshot of
/// the board.
///
/// Rows come first, from the top, then columns from the left, then the
/// diagonal from the top left and the one from the top right. Within a line
/// the squares are in reading order, so the first and the last are the ends of
/// the line to draw.
///
/// ```
/// use open_ttt_lib::tic_tac_toe::{Board, Position};
///
/// let falling = Board::new().victory_sets().nth(6);
/// let ends = falling.map(|[from, _, to]| (from.position, to.position));
/// let corner = |row, column| Position { row, column };
/// assert_eq!(ends, Some((corner(0, 0), corner(2, 2))));
/// ```
///
/// A copy iterates independently.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct VictorySets {
    /// The owners of the squares of each remaining set, in the order of [`SQUARES`].
    remaining: [Option<[Owner; 3]>; 8],
}

/// The squares of each set, as indices in reading order.
const SQUARES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

impl VictorySets {
    /// All eight sets.
    pub(super) fn all(board: &Board) -> Self {
        let owners = board.owners();
        Self {
            remaining: SQUARES.map(|set| Some(set.map(|index| owners[index]))),
        }
    }

    /// The sets that a player has completed.
    pub(super) fn complete(board: &Board, player: Owner) -> Self {
        let owned = |set: Option<_>| set.filter(|owners| *owners == [player; 3]);
        Self {
            remaining: Self::all(board).remaining.map(owned),
        }
    }

    fn take(&mut self, set: usize) -> Option<[Square; 3]> {
        let owners = self.remaining[set].take()?;
        Some(array::from_fn(|at| Square {
            position: position(SQUARES[set][at]),
            owner: owners[at],
        }))
    }
}

#[expect(
    clippy::copy_iterator,
    reason = "the design document has it both as an iterator and in a state that is Copy"
)]
impl Iterator for VictorySets {
    type Item = [Square; 3];

    fn next(&mut self) -> Option<[Square; 3]> {
        (0..SQUARES.len()).find_map(|set| self.take(set))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let sets = self.remaining.iter().flatten().count();
        (sets, Some(sets))
    }
}

impl DoubleEndedIterator for VictorySets {
    fn next_back(&mut self) -> Option<[Square; 3]> {
        (0..SQUARES.len()).rev().find_map(|set| self.take(set))
    }
}

impl ExactSizeIterator for VictorySets {}

impl FusedIterator for VictorySets {}

/// A list of the remaining sets.
impl fmt::Debug for VictorySets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}
