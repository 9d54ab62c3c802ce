use super::tactics::cells;
use super::{BOARD, BOTTOM, Column, ConnectFour, STRIDE, has_four, winning_cells};
use crate::rules::{Side, TwoPlayerGame};

/// The rows 1, 3 and 5 from the bottom.
const ODD_ROWS: u64 = BOTTOM * 0b01_0101;

/// What a side reaches by following up: it answers each piece with one on top of it.
///
/// That is always possible where a column has an even number of free cells. A piece to the
/// lowest free cell of an odd column is answered in another odd column.
///
/// ```text
///  5  1 1 1 1    The second player follows up and gets the cells with 2. The column with
///  4  2 2 2 2    a piece in row 1 is odd: its lowest free cell belongs to the side that is
///  3  1 1 1 1    first to play there, and the other gets that of another odd column.
///  2  2 ? 2 ?
///  1  1 x 1 x
/// ```
///
/// If the first player can't complete a four there, the second player holds; if one of the
/// second player's own cells completes a four, it wins, because no one can pass: zugzwang.
/// Where it threatens to complete one, the game doesn't go on above.
///
/// The first player can do the same if one of its threats is in an odd row: in the column of
/// this threat it gets the odd rows instead, up to the threat, below which the other side
/// must play at last.
///
/// After claimeven and baseinverse of Allis, "A knowledge-based approach of Connect-Four",
/// 1988, and his rules for zugzwang.
#[derive(Clone, Copy)]
pub(super) struct FollowUp {
    to_move: Side,
    first: u64,
    second: u64,
    landing: u64,
}

impl FollowUp {
    /// A side that follows up wins with at most so many cells left free.
    pub(super) const MAX_UNUSED: u32 = 4;

    /// In a game that isn't over.
    #[inline]
    pub(super) fn new(game: &ConnectFour) -> Self {
        let (own, opponent) = (game.own, game.opponent());
        let to_move = game.to_move();
        let (first, second) = match to_move {
            Side::First => (own, opponent),
            Side::Second => (opponent, own),
        };
        Self {
            to_move,
            first,
            second,
            landing: game.landing(),
        }
    }

    /// Whether this side doesn't lose if it follows up.
    #[inline]
    pub(super) fn holds(&self, side: Side) -> bool {
        match side {
            Side::First => self.first_wins(0),
            Side::Second if self.to_move == Side::First => self.second_answers(),
            // No move takes these.
            Side::Second if has_four(self.first | ODD_ROWS & self.free() & !self.landing) => false,
            Side::Second => self.any_second_move(Self::second_answers),
        }
    }

    /// Whether this side wins if it follows up, with at least so many cells left free.
    #[inline]
    pub(super) fn wins(&self, side: Side, unused: u32) -> bool {
        match side {
            Side::First => self.first_wins(unused),
            Side::Second if !has_four(self.second | self.free() & !ODD_ROWS) => false,
            Side::Second if self.to_move == Side::First => self.second_wins(unused),
            Side::Second => self.any_second_move(|next| next.second_wins(unused)),
        }
    }

    /// Whether the second player has a move to a position like that.
    fn any_second_move(&self, is_reached: impl Fn(&Self) -> bool) -> bool {
        cells(self.landing).any(|cell| {
            is_reached(&Self {
                to_move: Side::First,
                second: self.second | cell,
                landing: self.landing & !cell | cell << 1 & BOARD,
                ..*self
            })
        })
    }

    /// Whether the second player holds with the first player to move.
    #[inline]
    fn second_answers(&self) -> bool {
        let threats = self.winning_cells(self.second) & !ODD_ROWS & !self.landing;
        let first = self.first | ODD_ROWS & self.free() & !above(threats);
        if !has_four(first | self.landing) {
            return true;
        }
        // Of two odd columns each side gets one of the lowest free cells.
        let odd_columns = self.landing & !ODD_ROWS;
        odd_columns.count_ones() == 2 && !cells(odd_columns).any(|cell| has_four(first | cell))
    }

    /// Whether the second player wins with the first player to move.
    #[inline]
    fn second_wins(&self, unused: u32) -> bool {
        // The game ends with a piece in one of these rows.
        let rows = match unused {
            0 => BOARD,
            1..=2 => BOTTOM * 0b1111,
            _ => BOTTOM * 0b11,
        };
        let own = self.free() & !ODD_ROWS & !self.landing & rows;
        has_four(self.second | own) && self.second_answers()
    }

    /// Whether the first player wins with a threat in an odd row.
    #[inline]
    fn first_wins(&self, unused: u32) -> bool {
        const ROW_3: u64 = BOTTOM << 2;
        let high_enough = match unused {
            0..=1 => ODD_ROWS,
            2..=3 => ROW_3,
            _ => 0,
        };
        let threats = self.winning_cells(self.first) & high_enough & !self.landing;
        cells(threats).any(|threat| {
            let column = column_of(threat);
            // Even rows in this column and odd rows in the others.
            let second = (ODD_ROWS ^ column) & self.free() & !above(threat);
            !has_four(self.second | second | self.landing)
        })
    }

    #[inline]
    fn winning_cells(&self, pieces: u64) -> u64 {
        winning_cells(pieces, self.first | self.second)
    }

    #[inline]
    const fn free(&self) -> u64 {
        BOARD & !(self.first | self.second)
    }
}

/// The cells above these in their columns.
#[inline]
const fn above(cells: u64) -> u64 {
    let mut above = cells << 1 & BOARD;
    above |= above << 1 & BOARD;
    above |= above << 1 & BOARD;
    above | above << 1 & BOARD
}

/// The column of a cell.
#[inline]
const fn column_of(cell: u64) -> u64 {
    Column(cell.trailing_zeros() as u8 / STRIDE).cells()
}
