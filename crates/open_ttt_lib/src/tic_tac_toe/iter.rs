use core::iter::FusedIterator;
use core::ops::Range;

use super::{Board, Square};

/// All squares of a board; made by [`Board::iter`].
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    board: &'a Board,
    indexes: Range<usize>,
}

impl<'a> Iter<'a> {
    pub(super) const fn new(board: &'a Board) -> Self {
        Self {
            board,
            indexes: 0..9,
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        self.indexes.next().map(|index| self.board.square(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indexes.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Square> {
        let index = self.indexes.next_back()?;
        Some(self.board.square(index))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl FusedIterator for Iter<'_> {}
