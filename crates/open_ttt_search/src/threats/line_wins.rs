use super::cell_set::{Cell, CellSet};
use super::direct_mapped_table::DirectMappedTable;
use super::line_board::{LineBoard, ThreatKind};
use crate::budget::BudgetMeter;
use crate::turns::RequiresAlternation;
use crate::{Budget, StopFlag};
use alloc::vec::Vec;
use open_ttt_lib::rules::LineGame;

/// The result of [`fastest_line_wins`] and [`line_defences`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineWins<M> {
    /// The moves found.
    pub moves: Vec<M>,
    /// The number of moves of both sides within which everything that can happen is decided;
    /// 0 if the budget is too small for that.
    pub plies: u32,
    /// The number of positions visited.
    pub nodes: u64,
}

/// Finds the moves that win within as few moves of both sides as possible, as if everything
/// that can happen within that number was tried.
///
/// If there are `moves`, they are all that win within `plies`, and none wins sooner. If
/// there are none, the side to move has no win within `plies`. The [`Budget`]'s depth is the
/// most plies. A board of more than 384 cells, and a finished game, isn't searched.
///
/// Seven plies are decided within a fraction of a second on a board of 225 cells, because
/// almost all moves are refuted by a pass: an additional piece never hurts its owner (the
/// null-move argument).
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Notation, play_text};
/// use open_ttt_search::{Budget, StopFlag, fastest_line_wins};
///
/// // Two rows cross at h8, the only move that makes two fours at once.
/// let mut game = Mnk::default();
/// play_text(&mut game, "e8 d8 f8 a1 g8 a3 h5 h4 h6 c1 h7 c3")?;
/// let wins = fastest_line_wins(&game, &Budget::depth(7), &StopFlag::new());
/// let moves = wins.moves.iter().map(|&m| game.move_text(m));
/// assert_eq!((moves.collect(), wins.plies), (vec!["h8".to_owned()], 3));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn fastest_line_wins<G: LineGame>(
    game: &G,
    budget: &Budget,
    stop: &StopFlag,
) -> LineWins<G::Move> {
    let wins = LineWinSearch::run(game, budget, stop, LineWinSearch::fastest_wins);
    wins.unwrap_or_else(|| not_searched(Vec::new()))
}

/// Finds the moves that keep the opponent from winning within as many moves of both sides as
/// possible, as if everything that can happen within that number was tried.
///
/// Every move that isn't among `moves` loses within `plies`, which are even, counted from the
/// position. The search goes on as long as some move, but not every one, loses, up to the
/// [`Budget`]'s depth; if every move loses, the `moves` are those that lose last. If none is
/// found to lose, the `moves` are all legal ones. A board of more than 384 cells, and a
/// finished game, isn't searched.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Notation, play_text};
/// use open_ttt_search::{Budget, StopFlag, line_defences};
///
/// // A row of three with two open ends wins in 4, unless one of them is blocked.
/// let mut game = Mnk::default();
/// play_text(&mut game, "f8 a1 g8 c1 h8")?;
/// let defences = line_defences(&game, &Budget::depth(4), &StopFlag::new());
/// let mut moves: Vec<_> = defences.moves.iter().map(|&m| game.move_text(m)).collect();
/// moves.sort();
/// assert_eq!((moves.join(" ").as_str(), defences.plies), ("e8 i8", 4));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn line_defences<G: LineGame>(game: &G, budget: &Budget, stop: &StopFlag) -> LineWins<G::Move> {
    let defences = LineWinSearch::run(game, budget, stop, LineWinSearch::defences);
    defences.unwrap_or_else(|| not_searched(game.moves().collect()))
}

const fn not_searched<M>(moves: Vec<M>) -> LineWins<M> {
    LineWins {
        moves,
        plies: 0,
        nodes: 0,
    }
}

/// A search of everything that can happen within some plies.
///
/// Two facts spare it almost all of that. A piece more never hurts its owner, so that a move
/// which threatens nothing doesn't win: after it the opponent may as well pass. And if the
/// opponent passes, a win found has a *zone*: with one more piece of the opponent anywhere
/// else, the same moves still win. Only answers in the zone have to be tried.
struct LineWinSearch<'a> {
    board: LineBoard,
    /// By position: the most plies within which the side to move is known to have no win.
    no_wins: DirectMappedTable<u32>,
    meter: BudgetMeter<'a>,
}

const NO_WIN_SLOTS: usize = 1 << 18;

/// Cells, and the number of plies for which they are what was looked for.
type Found = (Vec<Cell>, u32);

impl<'a> LineWinSearch<'a> {
    fn run<G: LineGame>(
        game: &G,
        budget: &Budget,
        stop: &'a StopFlag,
        search: impl FnOnce(&mut Self, u32) -> Found,
    ) -> Option<LineWins<G::Move>> {
        let () = RequiresAlternation::<G>::CHECK;
        let board = LineBoard::new(game).filter(|_| game.outcome().is_none());
        let mut this = Self {
            board: board?,
            no_wins: DirectMappedTable::new(NO_WIN_SLOTS),
            meter: BudgetMeter::new(budget, stop),
        };
        this.meter.poll();
        // No game lasts longer.
        let last = this.board.free.len();
        let (cells, plies) = search(&mut this, budget.max_depth().min(last));
        let moves = cells.into_iter();
        Some(LineWins {
            moves: moves
                .filter_map(|cell| game.indexed_move(cell.into()))
                .collect(),
            plies,
            nodes: this.meter.nodes(),
        })
    }

    /// The moves that win soonest.
    fn fastest_wins(&mut self, max_plies: u32) -> Found {
        let fives = self.board.cells(self.board.to_move, ThreatKind::Five);
        if !fives.is_empty() && max_plies > 0 {
            return (fives.iter().collect(), 1);
        }
        let mut searched = max_plies.min(1);
        for plies in (3..=max_plies).step_by(2) {
            let cells = self.board.ordered(&self.candidates(plies), usize::MAX);
            let mut wins = Vec::new();
            for cell in cells {
                if self.wins_by(cell, plies).is_some() {
                    wins.push(cell);
                }
            }
            if self.meter.is_over() {
                break;
            }
            searched = plies;
            if !wins.is_empty() {
                return (wins, plies);
            }
        }
        (Vec::new(), searched)
    }

    /// The moves after which the opponent wins latest, or doesn't win as far as is searched.
    fn defences(&mut self, max_plies: u32) -> Found {
        let mut best = self.board.ordered(&self.board.free, usize::MAX);
        let mut searched = 0;
        if !self
            .board
            .cells(self.board.to_move, ThreatKind::Five)
            .is_empty()
        {
            // Other moves may lose, but who would play them?
            return (best, searched);
        }
        for plies in (2..=max_plies).step_by(2) {
            self.board.pass();
            let threat = self.wins(plies - 1);
            self.board.pass();
            let mut left = best.clone();
            if let Some(zone) = threat {
                left.retain(|&cell| zone.contains(cell) && !self.loses_by(cell, plies - 1));
            }
            if self.meter.is_over() {
                break;
            }
            searched = plies;
            if left.is_empty() {
                break;
            }
            best = left;
        }
        (best, searched)
    }

    /// Whether the opponent wins within so many plies after a move.
    fn loses_by(&mut self, cell: Cell, plies: u32) -> bool {
        self.board.play(cell);
        let wins = self.wins(plies).is_some();
        self.board.undo(cell);
        wins
    }

    /// Whether the side to move wins within so many plies, an odd number: if so, a zone of
    /// this win.
    fn wins(&mut self, plies: u32) -> Option<CellSet> {
        let fives = self.board.cells(self.board.to_move, ThreatKind::Five);
        match fives.len() {
            0 => {}
            1 => return Some(fives),
            // One piece can't take both.
            _ => return Some(CellSet::EMPTY),
        }
        let key = self.board.hash();
        let known = self.no_wins.get(key).unwrap_or(1);
        if known >= plies {
            return None;
        }
        self.meter.count(1);
        for plies in (known + 2..=plies).step_by(2) {
            for cell in self.board.ordered(&self.candidates(plies), usize::MAX) {
                if self.meter.is_spent() {
                    return None;
                }
                let zone = self.wins_by(cell, plies);
                if zone.is_some() {
                    return zone;
                }
            }
        }
        if !self.meter.is_spent() {
            self.no_wins.insert(key, plies);
        }
        None
    }

    /// The moves that may win within so many plies where none wins sooner.
    ///
    /// A piece that helps to win lies on a line that its owner can complete in time, or on one
    /// that the opponent could. Any other is as good as a pass, and if a pass won, then so
    /// would moving at once, and sooner.
    fn candidates(&self, plies: u32) -> CellSet {
        let board = &self.board;
        let own = |kind| board.cells(board.to_move, kind);
        let useful = match plies {
            // Only a double four is in time.
            ..=3 => own(ThreatKind::Four),
            4..=5 => own(ThreatKind::Four)
                .union(&own(ThreatKind::Three))
                .union(&board.cells(!board.to_move, ThreatKind::Four)),
            _ => {
                let own_moves = plies as usize / 2 + 1;
                let own = board.cells_within(board.to_move, own_moves);
                own.union(&board.cells_within(!board.to_move, own_moves - 1))
            }
        };
        let must_block = board.cells(!board.to_move, ThreatKind::Five);
        match must_block.len() {
            0 => useful,
            1 => must_block,
            _ => CellSet::EMPTY,
        }
    }

    /// Whether a move that doesn't complete a line wins within so many plies: if so, a zone of
    /// this win.
    fn wins_by(&mut self, cell: Cell, plies: u32) -> Option<CellSet> {
        // A piece more on one of these would give the opponent a five.
        let mut zone = self.board.cells(!self.board.to_move, ThreatKind::Four);
        zone.insert(cell);
        self.board.play(cell);
        let rest = self.every_answer_loses(plies - 1);
        self.board.undo(cell);
        rest.map(|rest| zone.union(&rest))
    }

    /// Whether the side to move loses within so many plies, an even number, whatever it
    /// does: if so, a zone of the opponent's win.
    fn every_answer_loses(&mut self, plies: u32) -> Option<CellSet> {
        let board = &mut self.board;
        let attacker = !board.to_move;
        if board.free.is_empty() || !board.cells(board.to_move, ThreatKind::Five).is_empty() {
            return None;
        }
        let fives = board.cells(attacker, ThreatKind::Five);
        if fives.len() > 1 {
            return Some(fives);
        }
        if plies < 4 {
            return None;
        }
        if let Some(block) = fives.first() {
            board.play(block);
            let rest = self.wins(plies - 1);
            self.board.undo(block);
            return rest.map(|rest| rest.union(&fives));
        }
        board.pass();
        let threat = self.wins(plies - 1);
        self.board.pass();
        for cell in self.board.ordered(&threat?, usize::MAX) {
            if !self.loses_by(cell, plies - 1) {
                return None;
            }
        }
        // The answers differ, so no zone holds for all of them.
        Some(self.board.free)
    }
}
