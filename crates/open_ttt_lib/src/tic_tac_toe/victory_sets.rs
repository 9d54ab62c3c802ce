use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::FusedIterator;

use super::board::position;
use super::{Board, Owner, Square};
use crate::games::tic_tac_toe::LINES;

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
/// `VictorySets` is `Copy` because [`GameState`](super::GameState) is. A copy
/// iterates independently.
#[derive(Clone, Copy)]
pub struct VictorySets {
    /// In reading order.
    owners: [Owner; 9],
    /// The remaining sets as bits, in the order of [`SETS`].
    remaining: u8,
}

/// The lines of the rules in the order documented above.
const SETS: [u16; 8] = [
    LINES[2], LINES[1], LINES[0], LINES[3], LINES[4], LINES[5], LINES[7], LINES[6],
];

/// The squares of each set as indices in reading order.
const SQUARES: [[usize; 3]; 8] = {
    let mut squares = [[0; 3]; 8];
    let mut set = 0;
    while set < SETS.len() {
        let (mut index, mut found) = (0, 0);
        while index < 9 {
            let bit = (2 - index / 3) * 3 + index % 3;
            if SETS[set] >> bit & 1 == 1 {
                squares[set][found] = index;
                found += 1;
            }
            index += 1;
        }
        set += 1;
    }
    squares
};

impl VictorySets {
    /// All eight sets.
    pub(super) fn all(board: &Board) -> Self {
        Self {
            owners: board.owners(),
            remaining: u8::MAX,
        }
    }

    /// The sets that `marks`, the cells of a player as bits, complete.
    pub(super) fn complete(board: &Board, marks: u16) -> Self {
        let filled = |set: &usize| marks & SETS[*set] == SETS[*set];
        Self {
            owners: board.owners(),
            remaining: (0..SETS.len())
                .filter(filled)
                .fold(0, |sets, set| sets | 1 << set),
        }
    }

    fn squares(&self, set: u32) -> [Square; 3] {
        SQUARES[set as usize].map(|index| Square {
            position: position(index),
            owner: self.owners[index],
        })
    }
}

#[expect(
    clippy::copy_iterator,
    reason = "the design document has it both as an iterator and in a state that is Copy"
)]
impl Iterator for VictorySets {
    type Item = [Square; 3];

    fn next(&mut self) -> Option<[Square; 3]> {
        (self.remaining != 0).then(|| {
            let set = self.remaining.trailing_zeros();
            self.remaining &= self.remaining - 1;
            self.squares(set)
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let sets = self.remaining.count_ones() as usize;
        (sets, Some(sets))
    }
}

impl DoubleEndedIterator for VictorySets {
    fn next_back(&mut self) -> Option<[Square; 3]> {
        self.remaining.checked_ilog2().map(|set| {
            self.remaining &= !(1 << set);
            self.squares(set)
        })
    }
}

impl ExactSizeIterator for VictorySets {}

impl FusedIterator for VictorySets {}

/// Equal if the remaining squares are equal.
impl PartialEq for VictorySets {
    fn eq(&self, other: &Self) -> bool {
        Iterator::eq(*self, *other)
    }
}

impl Eq for VictorySets {}

impl Hash for VictorySets {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for squares in *self {
            squares.hash(state);
        }
    }
}

/// A list of the remaining sets.
impl fmt::Debug for VictorySets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}
