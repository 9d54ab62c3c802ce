use super::follow_up::FollowUp;
use super::ranked_moves::{AHEAD, BEHIND, Completions, RankedMoves, SIDEWAYS, completes_above};
use super::{BOARD, BOTTOM, COLUMNS, Column, ConnectFour, ROWS, has_four, winning_cells};
use crate::rules::{Side, Tactics, TwoPlayerGame};

const TOP: u64 = BOTTOM << (ROWS - 1);

impl Tactics for ConnectFour {
    #[inline]
    fn plies_left(&self) -> u32 {
        u32::from(COLUMNS * ROWS) - self.plies()
    }

    #[inline]
    fn wins_at_once(&self) -> bool {
        self.wins() & self.landing() != 0
    }

    #[inline]
    fn wins_with_second_move(&self) -> Option<bool> {
        let landing = self.landing();
        let possible = self.non_losing_cells();
        if possible & possible.wrapping_sub(1) == 0 {
            return Some(possible != 0 && self.leaves_no_defence(possible));
        }
        let own = self.own;
        let wins = self.wins();
        let completions = Completions::new(own);

        // A threat in a cell to which the opponent can play must be answered. The cell
        // above the new piece is one.
        let immediate = completions.by(landing);
        let above = completes_above(own) | wins >> 1;
        let mut once = above;
        let mut twice = 0;
        for &cells in immediate.as_flattened() {
            twice |= once & cells;
            once |= cells;
        }

        // Nor can the opponent answer a threat that has another one above it: both
        // are new,
        let free = BOARD & !self.occupied;
        let [down, level, up] = SIDEWAYS;
        let [by_down, by_level, by_up] = completions.all();
        let [now_down, now_level, now_up] = &immediate;
        let mut decisive = twice
            | now_down[AHEAD] & by_level[AHEAD] & free >> level
            | now_level[AHEAD] & by_up[AHEAD] & free >> up
            | now_up[BEHIND] & by_level[BEHIND] & free << level
            | now_level[BEHIND] & by_down[BEHIND] & free << down;
        // or the upper one was there before.
        decisive |= above & wins >> 2;
        let below_wins = landing & wins >> 1;
        if below_wins != 0 {
            for &cells in completions.by(below_wins).as_flattened() {
                decisive |= cells;
            }
        }
        Some(decisive & possible != 0 || self.has_zugzwang(possible, wins))
    }

    #[inline]
    fn non_losing_moves(&self) -> impl Iterator<Item = Column> {
        let cells = self.non_losing_cells();
        RankedMoves::new(cells, self.own, self.wins(), BOARD & !self.occupied)
    }

    fn can_still_win(&self, side: Side) -> bool {
        has_four(BOARD & !self.pieces(!side))
    }

    /// The other side can follow up: it answers each piece with one on top of it.
    #[inline]
    fn can_force_win(&self, side: Side) -> bool {
        self.can_still_win(side) && !FollowUp::new(self).holds(!side)
    }

    /// By following up, until the opponent has to play below a threat.
    #[inline]
    fn wins_within(&self, side: Side, plies: u32) -> bool {
        let unused = self.plies_left().saturating_sub(plies);
        unused <= FollowUp::MAX_UNUSED && FollowUp::new(self).wins(side, unused)
    }
}

impl ConnectFour {
    /// The cells that complete a four of the side to move.
    #[inline]
    fn wins(&self) -> u64 {
        winning_cells(self.own, self.occupied)
    }

    /// The cells of the non-losing moves.
    #[inline]
    fn non_losing_cells(&self) -> u64 {
        let threats = winning_cells(self.opponent(), self.occupied);
        defences(self.landing(), threats)
    }

    /// Whether the opponent has moves after a move to this cell, but no non-losing one.
    #[inline]
    fn leaves_no_defence(&self, cell: u64) -> bool {
        let landing = (self.landing() + cell) & BOARD;
        let threats = winning_cells(self.own | cell, self.occupied | cell);
        landing != 0 && defences(landing, threats) == 0
    }

    /// Whether one of these moves brings the opponent into zugzwang: without a threat to
    /// answer, each of its moves is below one.
    #[inline]
    fn has_zugzwang(&self, possible: u64, wins: u64) -> bool {
        // The move neither opens a cell that the opponent can use, nor leaves one.
        let quiet = possible & (TOP | wins >> 2);
        let tops = self.landing() & TOP;
        quiet != 0
            && tops & tops.wrapping_sub(1) == 0
            && cells(quiet).any(|cell| tops & !cell == 0 && self.leaves_no_defence(cell))
    }

    #[inline]
    fn pieces(&self, side: Side) -> u64 {
        if side == self.to_move() {
            self.own
        } else {
            self.opponent()
        }
    }
}

/// Those of the landing cells that answer the threats of the opponent and aren't below
/// one.
#[inline]
const fn defences(landing: u64, threats: u64) -> u64 {
    let forced = landing & threats;
    let possible = if forced == 0 {
        landing
    } else if forced.is_power_of_two() {
        forced
    } else {
        // One move can't stop two threats.
        0
    };
    possible & !(threats >> 1)
}

/// The cells of a set, one by one.
pub(super) fn cells(mut set: u64) -> impl Iterator<Item = u64> {
    core::iter::from_fn(move || {
        let cell = set & set.wrapping_neg();
        set ^= cell;
        (cell != 0).then_some(cell)
    })
}
