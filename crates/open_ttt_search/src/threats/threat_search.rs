use super::cell_set::{Cell, CellSet};
use super::direct_mapped_table::DirectMappedTable;
use super::four_search::{FourSearch, NO_WIN_SLOTS, ThreatResult};
use super::line_board::{LineBoard, ThreatKind};
use crate::budget::BudgetMeter;

/// Threat-space search (Allis, van den Herik and Huntjens 1994): looks for a win in
/// which the attacker makes only threats and the defender only moves that can stop
/// them.
///
/// A four has one block. A three threatens to win by fours; the defences are the
/// cells that this win uses and those by which the defender gets fours. In the
/// terms of lambda search (Thomsen 2000), fours are threats of the first order and
/// threes of the second.
///
/// A win found is one against every defence. Finding none proves nothing.
#[derive(Debug)]
pub(super) struct ThreatSearch {
    pub(super) fours: FourSearch<LineBoard>,
    /// Positions without a win by some number of threes.
    no_wins: DirectMappedTable<u32>,
    /// Whether a limit cut the search short.
    is_limited: bool,
}

/// The limits of a threat search.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The most positions that one search of fours visits.
    four_nodes: u32,
    /// The most threes in a line that do not block a five.
    threes: u32,
}

impl ThreatSearch {
    pub(super) fn new(board: LineBoard) -> Self {
        Self {
            fours: FourSearch::new(board),
            no_wins: DirectMappedTable::new(NO_WIN_SLOTS),
            is_limited: false,
        }
    }

    /// The line of the last win found, from its first move.
    pub(super) fn line(&self) -> impl ExactSizeIterator<Item = Cell> {
        self.fours.line.iter().rev().copied()
    }

    /// Looks for a win with more and more threes in a line, up to `max_threes`.
    pub(super) fn deepen(&mut self, max_threes: u32, meter: &mut BudgetMeter<'_>) -> ThreatResult {
        meter.poll();
        for threes in 0..=max_threes {
            self.no_wins.clear();
            self.is_limited = false;
            let four_nodes = match threes {
                0 => u32::MAX,
                _ => 64 << threes.min(20),
            };
            let result = self.visit(Limits { four_nodes, threes }, meter);
            if result == ThreatResult::Win || meter.is_spent() || !self.is_limited {
                return result;
            }
        }
        ThreatResult::NoWin
    }

    /// Looks for a win by fours alone.
    pub(super) fn wins_by_fours(
        &mut self,
        max_nodes: u32,
        meter: &mut BudgetMeter<'_>,
    ) -> ThreatResult {
        let result = self.fours.search((), max_nodes, meter);
        self.is_limited |= result == ThreatResult::Unknown;
        result
    }

    /// The cells that can stop the win by fours that the opponent of the side to
    /// move threatens; `None` if none is found to be threatened. The side to move
    /// must not be able to complete a line at once.
    pub(super) fn must_block(
        &mut self,
        max_nodes: u32,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<CellSet> {
        self.fours.board.pass();
        let result = self.wins_by_fours(max_nodes, meter);
        let cells = (result == ThreatResult::Win).then(|| self.fours.blocking_cells(()));
        self.fours.board.pass();
        cells
    }

    /// Looks for a win within the limits. The attacker is to move.
    fn visit(&mut self, limits: Limits, meter: &mut BudgetMeter<'_>) -> ThreatResult {
        match self.wins_by_fours(limits.four_nodes, meter) {
            ThreatResult::Win => return ThreatResult::Win,
            _ if meter.is_spent() => return ThreatResult::Unknown,
            ThreatResult::NoWin | ThreatResult::Unknown => {}
        }
        meter.count(1);
        let board = &self.fours.board;
        let must_block = board.cells(!board.to_move, ThreatKind::Five);
        if must_block.len() > 1 {
            return ThreatResult::NoWin;
        }
        let candidates = board
            .blocking_threats(ThreatKind::Three)
            .union(&board.blocking_threats(ThreatKind::Four))
            .union(&must_block);
        if candidates.is_empty() {
            return ThreatResult::NoWin;
        }
        // A forced block costs nothing.
        let cost = u32::from(must_block.is_empty());
        let Some(threes) = limits.threes.checked_sub(cost) else {
            self.is_limited = true;
            return ThreatResult::NoWin;
        };
        let key = self.fours.board.hash();
        if self
            .no_wins
            .get(key)
            .is_some_and(|threes| threes >= limits.threes)
        {
            return ThreatResult::NoWin;
        }
        for cell in self.fours.board.ordered(&candidates, usize::MAX) {
            self.fours.board.play(cell);
            let result = self.visit_defences(Limits { threes, ..limits }, meter);
            self.fours.board.undo(cell);
            if result == ThreatResult::Win {
                self.fours.line.push(cell);
            }
            if result != ThreatResult::NoWin {
                return result;
            }
        }
        self.no_wins.insert(key, limits.threes);
        ThreatResult::NoWin
    }

    /// Tries every defence against a threat. The defender is to move.
    fn visit_defences(&mut self, limits: Limits, meter: &mut BudgetMeter<'_>) -> ThreatResult {
        let board = &self.fours.board;
        let defender = board.to_move;
        if !board.cells(defender, ThreatKind::Five).is_empty() {
            return ThreatResult::NoWin;
        }
        let fives = board.cells(!defender, ThreatKind::Five);
        let defences = if !fives.is_empty() {
            fives
        } else if let Some(defences) = self.must_block(limits.four_nodes, meter) {
            defences
        } else if meter.is_spent() {
            return ThreatResult::Unknown;
        } else {
            return ThreatResult::NoWin;
        };
        for cell in self.fours.board.ordered(&defences, usize::MAX) {
            self.fours.board.play(cell);
            let result = self.visit(limits, meter);
            self.fours.board.undo(cell);
            if result != ThreatResult::Win {
                return result;
            }
            self.fours.line.push(cell);
        }
        ThreatResult::Win
    }
}
