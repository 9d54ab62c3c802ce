use core::iter::FusedIterator;

use super::{Iter, Owner, Square};

/// The squares of a board without an owner; made by
/// [`Board::free_squares`](super::Board::free_squares).
#[derive(Clone, Debug)]
pub struct FreeSquares<'a> {
    squares: Iter<'a>,
}

impl<'a> FreeSquares<'a> {
    pub(super) const fn new(squares: Iter<'a>) -> Self {
        Self { squares }
    }
}

fn is_free(square: &Square) -> bool {
    square.owner == Owner::None
}

impl Iterator for FreeSquares<'_> {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        self.squares.find(is_free)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.squares.len()))
    }
}

impl DoubleEndedIterator for FreeSquares<'_> {
    fn next_back(&mut self) -> Option<Square> {
        self.squares.rfind(is_free)
    }
}

impl FusedIterator for FreeSquares<'_> {}
