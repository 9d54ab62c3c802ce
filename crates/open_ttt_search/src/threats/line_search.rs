use super::cell_set::Cell;
use super::direct_mapped_table::DirectMappedTable;
use super::four_search::ThreatResult;
use super::line_board::{LineBoard, ThreatKind};
use super::threat_search::ThreatSearch;
use crate::bound::Bound;
use crate::budget::BudgetMeter;
use crate::search_result::sort_best_first;
use crate::turns::RequiresAlternation;
use crate::{Budget, Grade, RootMoves, Score, StopFlag};
use alloc::vec::Vec;
use open_ttt_lib::rules::LineGame;

/// The result of a [`line_search`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineSearchResult<M> {
    /// The moves considered with their scores, the best first. A win or a loss is
    /// certain, but need not be the fastest or the slowest; with
    /// [`RootMoves::BestOnly`] a score below the best is an upper bound.
    pub moves: Vec<(M, Score)>,
    /// The depth searched, in plies; 0 if the move was forced or a win was found by
    /// threats.
    pub depth: u32,
    /// The number of positions visited.
    pub nodes: u64,
}

/// Chooses a move in a line game by threat search and selective alpha-beta search.
///
/// First, a [threat search](super::forced_win) for the side to move, with a quarter
/// of the budget. Then an iteratively deepened alpha-beta search of the moves with
/// the greatest line weights; wins by fours decide its positions, and where one is
/// threatened, only moves that can stop it are searched. Last, a threat search for
/// the opponent against the best moves found.
///
/// `None` for a finished game, or a board of more than 384 cells. If the [`Budget`]
/// limits the depth alone, the threat searches visit a fixed number of positions.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Notation, play_text};
/// use open_ttt_search::{Budget, RootMoves, StopFlag, line_search};
///
/// // An open three must be blocked.
/// let mut game = Mnk::default();
/// play_text(&mut game, "f8 a1 g8 c1 h8")?;
/// let found = line_search(&game, RootMoves::BestOnly, &Budget::depth(4), &StopFlag::new());
/// let best = found.and_then(|result| result.moves.first().map(|&(m, _)| game.move_text(m)));
/// assert!(["e8", "i8"].map(String::from).contains(&best.unwrap_or_default()));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn line_search<G: LineGame>(
    game: &G,
    wanted: RootMoves,
    budget: &Budget,
    stop: &StopFlag,
) -> Option<LineSearchResult<G::Move>> {
    let () = RequiresAlternation::<G>::CHECK;
    if game.outcome().is_some() {
        return None;
    }
    // Each phase has its own nodes, and a deadline at this quarter of the time.
    let meter = |nodes, quarter: u32| {
        let mut part = Budget { nodes, ..*budget };
        if let Some(time) = &mut part.time {
            time.limit = time.limit / 4 * quarter;
        }
        BudgetMeter::new(&part, stop)
    };
    let quarter = budget.nodes.map(|nodes| nodes.div_ceil(4));
    let threat_nodes = quarter.or(budget.time.is_none().then_some(DEFAULT_THREAT_NODES));
    let mut attack_meter = meter(threat_nodes, 1);
    let mut defence_meter = meter(threat_nodes, 4);
    let mut search = LineSearch {
        threats: ThreatSearch::new(LineBoard::new(game)?),
        meter: meter(quarter.map(|nodes| 2 * nodes), 3),
        table: DirectMappedTable::new(VALUE_SLOTS),
    };
    let (moves, depth) = match wanted {
        RootMoves::All => search.score_all_moves(budget),
        RootMoves::BestOnly => search.best_moves(budget, &mut attack_meter, &mut defence_meter),
    };
    let moves = moves
        .into_iter()
        .map(|(cell, score)| Some((game.indexed_move(cell.into())?, score)));
    Some(LineSearchResult {
        moves: moves.collect::<Option<_>>()?,
        depth,
        nodes: attack_meter.nodes() + search.meter.nodes() + defence_meter.nodes(),
    })
}

/// A difference of line weights, or a win or loss among the moves considered.
type Value = i32;

/// A win that has already happened; each ply before it counts one less.
const WON: Value = 900_000;

/// The least value of a win.
const MIN_WIN: Value = WON - 1_000;

const INFINITY: Value = WON + 1;

/// The value of having the move: about half of what a good move gains.
const TEMPO: Value = 20;

/// The numbers of moves considered: at the root, near it and far from it.
const ROOT_WIDTH: usize = 24;
const INNER_WIDTH: usize = 14;
const FAR_WIDTH: usize = 9;

/// The most cells of a board on which twice as many moves are considered.
const SMALL_BOARD: usize = 64;

/// The most positions that a search of fours visits: at the leaves, within the tree
/// and at the root.
const LEAF_FOUR_NODES: u32 = 24;
const INNER_FOUR_NODES: u32 = 200;
const ROOT_FOUR_NODES: u32 = 20_000;

/// The most positions that a threat search visits if the budget limits neither
/// nodes nor time.
const DEFAULT_THREAT_NODES: u64 = 20_000;

/// The ply up to which forced blocks are followed without reducing the depth.
const MAX_PLIES: i32 = 60;

struct LineSearch<'a> {
    threats: ThreatSearch,
    /// The budget of the alpha-beta search.
    meter: BudgetMeter<'a>,
    table: DirectMappedTable<ValueEntry>,
}

/// The result of a search of a position.
#[derive(Clone, Copy, Debug)]
struct ValueEntry {
    value: Value,
    depth: i32,
    bound: Bound,
    /// The best move found, to be tried first.
    best: Cell,
}

const VALUE_SLOTS: usize = 1 << 17;

/// Moves with their scores.
type ScoredMoves = Vec<(Cell, Score)>;

impl LineSearch<'_> {
    fn board(&mut self) -> &mut LineBoard {
        &mut self.threats.fours.board
    }

    /// Searches for the best move. Returns the moves, the best first, and the depth.
    fn best_moves(
        &mut self,
        budget: &Budget,
        attack_meter: &mut BudgetMeter<'_>,
        defence_meter: &mut BudgetMeter<'_>,
    ) -> (ScoredMoves, u32) {
        if self.threats.deepen(u32::MAX, attack_meter) == ThreatResult::Win {
            let score = Score::win_in(self.threats.line().len() as u32);
            let first = self.threats.line().next();
            return (first.map(|cell| (cell, score)).into_iter().collect(), 0);
        }
        let opponent = !self.board().to_move;
        let must_block = self.board().cells(opponent, ThreatKind::Five);
        if !must_block.is_empty() {
            let score = match must_block.len() {
                1 => Score::DRAW,
                _ => Score::loss_in(2),
            };
            return (must_block.iter().map(|cell| (cell, score)).collect(), 0);
        }
        let moves = self.moves_against_fours();
        let (mut moves, depth) = self.deepen(moves, budget, RootMoves::BestOnly);
        self.verify_best(&mut moves, defence_meter);
        (moves, depth)
    }

    /// Gives every move considered a score of its own, without looking for a win by
    /// threats first.
    fn score_all_moves(&mut self, budget: &Budget) -> (ScoredMoves, u32) {
        let own = self.board().to_move;
        let [own_fives, other_fives] =
            [own, !own].map(|side| self.board().cells(side, ThreatKind::Five));
        let urgent = own_fives.union(&other_fives);
        let mut moves = self.best_cells(ROOT_WIDTH);
        moves.retain(|&cell| !urgent.contains(cell));
        let score = |cell| {
            if own_fives.contains(cell) {
                Score::win_in(1)
            } else {
                Score::DRAW
            }
        };
        let moves = urgent.iter().chain(moves).map(|cell| (cell, score(cell)));
        self.deepen(moves.collect(), budget, RootMoves::All)
    }

    /// The moves worth considering, those after which the opponent is not found to
    /// win by fours first.
    fn moves_against_fours(&mut self) -> ScoredMoves {
        let cells = match self.threats.must_block(ROOT_FOUR_NODES, &mut self.meter) {
            Some(cells) => self.board().ordered(&cells, usize::MAX),
            None => self.best_cells(ROOT_WIDTH),
        };
        let moves = cells.into_iter().map(|cell| {
            self.board().play(cell);
            let result = self.threats.wins_by_fours(ROOT_FOUR_NODES, &mut self.meter);
            self.board().undo(cell);
            (cell, self.score_after(result))
        });
        let mut moves: Vec<_> = moves.collect();
        sort_best_first(&mut moves);
        moves
    }

    /// The score of a move by the opponent's threat search after it.
    fn score_after(&self, result: ThreatResult) -> Score {
        match result {
            ThreatResult::Win => Score::loss_in(1 + self.threats.line().len() as u32),
            ThreatResult::NoWin | ThreatResult::Unknown => Score::DRAW,
        }
    }

    /// Iterative deepening. Returns the moves in order and the depth completed.
    fn deepen(
        &mut self,
        mut moves: ScoredMoves,
        budget: &Budget,
        wanted: RootMoves,
    ) -> (ScoredMoves, u32) {
        let max_depth = budget.depth.unwrap_or(u32::MAX).max(1);
        let mut depth = 0;
        while depth < max_depth && (moves.len() > 1 || wanted == RootMoves::All) {
            self.meter.poll();
            let Some(searched) = self.search_root(&moves, depth as i32 + 1, wanted) else {
                break;
            };
            moves = searched;
            depth += 1;
            let is_decided = match moves.first().map(|&(_, score)| score.grade()) {
                Some(Grade::Evaluation(value)) => value.abs() >= MIN_WIN,
                Some(Grade::Win | Grade::Loss) | None => true,
            };
            if is_decided || depth > self.board().free.len() {
                break;
            }
        }
        (moves, depth)
    }

    fn search_root(
        &mut self,
        moves: &[(Cell, Score)],
        depth: i32,
        wanted: RootMoves,
    ) -> Option<ScoredMoves> {
        let mut best = -INFINITY;
        let mut searched = Vec::with_capacity(moves.len());
        for &(cell, known) in moves {
            let Grade::Evaluation(_) = known.grade() else {
                searched.push((cell, known));
                continue;
            };
            // A window that begins just below the best value shows ties.
            let alpha = match wanted {
                RootMoves::BestOnly => (best - 1).max(-INFINITY),
                RootMoves::All => -INFINITY,
            };
            self.board().play(cell);
            let value = self.value(depth - 1, 1, (-INFINITY, -alpha));
            self.board().undo(cell);
            let value = -value?;
            best = best.max(value);
            searched.push((cell, Score::evaluation(value)));
        }
        sort_best_first(&mut searched);
        Some(searched)
    }

    /// Moves a best move to the end of the list if the opponent is found to win by
    /// threats after it, and goes on with the next, as far as the budget allows.
    fn verify_best(&mut self, moves: &mut ScoredMoves, meter: &mut BudgetMeter<'_>) {
        for _ in 0..moves.len() {
            let Some(&(cell, score)) = moves.first() else {
                return;
            };
            if !matches!(score.grade(), Grade::Evaluation(_)) {
                return;
            }
            self.board().play(cell);
            let result = self.threats.deepen(u32::MAX, meter);
            self.board().undo(cell);
            if result != ThreatResult::Win {
                return;
            }
            moves.remove(0);
            moves.push((cell, self.score_after(result)));
        }
    }

    /// The value of a position for the side to move, `plies` from the root, searched
    /// to this depth; `None` if the budget ran out.
    fn value(&mut self, depth: i32, plies: i32, (alpha, beta): (Value, Value)) -> Option<Value> {
        self.meter.count(1);
        if self.meter.is_spent() {
            return None;
        }
        let board = &mut self.threats.fours.board;
        let own = board.to_move;
        if !board.cells(own, ThreatKind::Five).is_empty() {
            return Some(WON - plies - 1);
        }
        let must_block = board.cells(!own, ThreatKind::Five);
        if must_block.len() > 1 {
            return Some(plies + 2 - WON);
        }
        if let Some(cell) = must_block.first()
            && plies < MAX_PLIES
        {
            board.play(cell);
            let value = self.value(depth, plies + 1, (-beta, -alpha));
            self.board().undo(cell);
            return value.map(|value| -value);
        }
        let weights = [own, !own].map(|side| board.total_weight(side));
        if weights == [0, 0] {
            return Some(0);
        }
        let entry = self.table.get(board.hash());
        if let Some(entry) = entry.filter(|entry| entry.depth >= depth) {
            let value = to_entry(entry.value, -plies);
            let is_enough = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if is_enough {
                return Some(value);
            }
        }
        let four_nodes = if depth > 1 {
            INNER_FOUR_NODES
        } else {
            LEAF_FOUR_NODES
        };
        if self.threats.wins_by_fours(four_nodes, &mut self.meter) == ThreatResult::Win {
            return Some(WON - plies - self.threats.line().len() as Value);
        }
        if depth <= 0 {
            return Some(weights[0] - weights[1] + TEMPO);
        }
        let must_block = (depth > 1)
            .then(|| self.threats.must_block(INNER_FOUR_NODES, &mut self.meter))
            .flatten();
        let mut cells = match must_block {
            Some(cells) => self.board().ordered(&cells, usize::MAX),
            None if depth > 2 => self.best_cells(INNER_WIDTH),
            None => self.best_cells(FAR_WIDTH),
        };
        let first = entry.map(|entry| entry.best);
        if let Some(index) = cells.iter().position(|&cell| Some(cell) == first) {
            cells[..=index].rotate_right(1);
        }
        self.best_value(&cells, depth, plies, (alpha, beta))
    }

    /// The value of the best of these moves, by principal variation search (Marsland
    /// and Campbell 1982).
    fn best_value(
        &mut self,
        cells: &[Cell],
        depth: i32,
        plies: i32,
        (alpha, beta): (Value, Value),
    ) -> Option<Value> {
        let key = self.board().hash();
        let mut best = (-INFINITY, cells.first().copied()?);
        let mut lower = alpha;
        for (index, &cell) in cells.iter().enumerate() {
            self.board().play(cell);
            let mut search = |lower: Value, upper: Value| {
                let value = self.value(depth - 1, plies + 1, (-upper, -lower));
                value.map(|value| -value)
            };
            let value = match index {
                0 => search(lower, beta),
                _ => match search(lower, lower + 1) {
                    Some(value) if value > lower && value < beta => search(lower, beta),
                    other => other,
                },
            };
            self.board().undo(cell);
            let value = value?;
            if value > best.0 {
                best = (value, cell);
            }
            lower = lower.max(value);
            if lower >= beta {
                break;
            }
        }
        let (value, best) = best;
        let bound = if value >= beta {
            Bound::Lower
        } else if value > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = ValueEntry {
            value: to_entry(value, plies),
            depth,
            bound,
            best,
        };
        self.table.insert(key, entry);
        Some(value)
    }

    /// The best free cells in the order of moves, up to this number; on a small
    /// board up to twice as many.
    fn best_cells(&self, max: usize) -> Vec<Cell> {
        let board = &self.threats.fours.board;
        let is_small = board.cell_count() <= SMALL_BOARD;
        board.ordered(&board.free, if is_small { 2 * max } else { max })
    }
}

/// Converts a value from plies counted from the root to plies counted from a
/// position that is `plies` from it.
fn to_entry(value: Value, plies: i32) -> Value {
    match value {
        MIN_WIN.. => value + plies,
        _ if value <= -MIN_WIN => value - plies,
        _ => value,
    }
}
