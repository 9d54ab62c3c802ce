use super::board::{Board, Rank};
use super::cells::{Cell, Cells};
use super::forced_win::{NEARNESS, search as search_forced_win};
use super::hunt::{Catch, Hunt};
use super::memory::Memory;
use crate::bound::Bound;
use crate::budget::BudgetMeter;
use crate::{Budget, Grade, RootMoves, Score, StopFlag, TimeLimit};
use open_ttt_lib::rules::{LineGame, Side};

/// What a [`line_search`] came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineSearchResult<M> {
    /// The moves thought of with their scores, the best first. A win or a loss
    /// is certain, but need not be the fastest or the slowest; with
    /// [`RootMoves::BestOnly`] a score below the best is a limit.
    pub moves: Vec<(M, Score)>,
    /// How many plies the search looked ahead; 0 if the move was forced or a
    /// win was found by threats.
    pub depth: u32,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// Chooses a move in a game of completing lines as a strong player does: sees
/// wins by threats, its own and those it must meet, and otherwise looks ahead
/// among the few moves that matter.
///
/// First comes [threat search](super::forced_win) for the side to move, within
/// a quarter of the budget. Then alpha-beta search, one ply deeper each time,
/// of the moves with the most weight of lines through them; wins by threats
/// decide its positions, and where one is threatened only moves that may meet
/// it are tried. Last, what it would play is held against the opponent's
/// threats.
///
/// `None` for a game that is over, or whose board has more than 384 cells. The
/// [`Budget`] holds as everywhere; with a depth alone the threat searches look
/// at a fixed number of positions.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Notation, play_text};
/// use open_ttt_search::{Budget, RootMoves, StopFlag, line_search};
///
/// // An open three must be met.
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
    if game.outcome().is_some() {
        return None;
    }
    // Each search has its own nodes, and time to a moment of its own: the first
    // threats to a quarter, looking ahead to three quarters, the last threats to
    // the end.
    let nodes = |some, of| budget.nodes.map(|nodes: u64| nodes.div_ceil(of) * some);
    let time = |some, of| {
        budget.time.map(|time| TimeLimit {
            limit: time.limit * some / of,
            ..time
        })
    };
    let hunted = nodes(1, 4).or(budget.time.is_none().then_some(MOST_HUNTED));
    let part = |nodes, time| Budget {
        depth: None,
        nodes,
        time,
    };
    let mut first = BudgetMeter::new(&part(hunted, time(1, 4)), stop);
    let thinking = part(nodes(2, 4), time(3, 4));
    let mut last = BudgetMeter::new(&part(hunted, budget.time), stop);
    let mut fighter = Fighter {
        hunt: Hunt::new(Board::of(game, NEARNESS)?),
        meter: BudgetMeter::new(&thinking, stop),
        memory: Memory::new(),
    };
    let (moves, depth) = match wanted {
        RootMoves::All => fighter.every_move(budget),
        RootMoves::BestOnly => fighter.best_moves(budget, &mut first, &mut last),
    };
    let moves = moves
        .into_iter()
        .map(|(cell, score)| Some((game.indexed_move(cell.into())?, score)));
    Some(LineSearchResult {
        moves: moves.collect::<Option<_>>()?,
        depth,
        nodes: first.nodes() + fighter.meter.nodes() + last.nodes(),
    })
}

/// A judgement in the unit of a line's worth, or a win or loss seen among the
/// moves that were thought of.
type Value = i32;

/// A win that has happened; each ply before it counts one less.
const WON: Value = 900_000;

/// Beyond every judgement, before every win.
const DECIDED: Value = WON - 1_000;

const BEYOND: Value = WON + 1;

/// The right to move is worth about half of what a good move gains.
const TEMPO: Value = 20;

/// How many moves are thought of: at the root, and in the tree near to it and
/// far from it.
const ROOT_WIDTH: usize = 24;
const WIDTH: usize = 14;
const FAR_WIDTH: usize = 9;

/// A board of at most this many cells is small.
const SMALL: usize = 64;

/// How many positions a search for presses may look at: at the leaves of the
/// tree, within it, and at its root.
const LEAF_PRESSES: u32 = 24;
const INNER_PRESSES: u32 = 200;
const ROOT_PRESSES: u32 = 20_000;

/// How many positions a search for a win by threats may look at where
/// nothing is said about nodes or time.
const MOST_HUNTED: u64 = 20_000;

/// The deepest line that forced answers may lead to.
const MOST_PLIES: i32 = 60;

struct Fighter<'a> {
    hunt: Hunt,
    /// What the search ahead may spend.
    meter: BudgetMeter<'a>,
    memory: Memory,
}

/// Moves with their scores, and how deep the search was.
type Found = (Vec<(Cell, Score)>, u32);

impl Fighter<'_> {
    /// The best move first. What is worse may be known to be worse only.
    fn best_moves(
        &mut self,
        budget: &Budget,
        first: &mut BudgetMeter,
        last: &mut BudgetMeter,
    ) -> Found {
        if search_forced_win(&mut self.hunt, u32::MAX, first) == Catch::Win {
            let plies = self.hunt.line().count() as u32;
            let cell = self.hunt.line().next();
            return (
                cell.map(|cell| (cell, Score::win_in(plies)))
                    .into_iter()
                    .collect(),
                0,
            );
        }
        let own = self.hunt.board.to_move();
        let threats = self.hunt.board.cells(!own, Rank::Finishes);
        if !threats.is_empty() {
            let score = match threats.len() {
                1 => Score::DRAW,
                _ => Score::loss_in(2),
            };
            return (threats.iter().map(|cell| (cell, score)).collect(), 0);
        }
        let moves = self.moves_that_hold();
        let (mut moves, depth) = self.look_ahead(moves, budget, RootMoves::BestOnly);
        self.hold_against_threats(&mut moves, last);
        (moves, depth)
    }

    /// Every move thought of with a score of its own, wins by threats not looked
    /// for at first: for who is to overlook the best.
    fn every_move(&mut self, budget: &Budget) -> Found {
        let own = self.hunt.board.to_move();
        let urgent = Side::BOTH.iter().fold(Cells::NONE, |cells, &side| {
            cells.or(&self.hunt.board.cells(side, Rank::Finishes))
        });
        let mut moves = self.near_cells(ROOT_WIDTH);
        moves.retain(|&cell| !urgent.contains(cell));
        let moves = urgent.iter().chain(moves);
        let moves = moves
            .map(|cell| {
                let wins = self.hunt.board.cells(own, Rank::Finishes).contains(cell);
                (cell, if wins { Score::win_in(1) } else { Score::DRAW })
            })
            .collect();
        self.look_ahead(moves, budget, RootMoves::All)
    }

    /// The moves worth thinking of after which the opponent is not seen to win
    /// by presses, or all of them with the loss they lead to.
    fn moves_that_hold(&mut self) -> Vec<(Cell, Score)> {
        let cells = match self.hunt.defences(ROOT_PRESSES, &mut self.meter) {
            Some(needed) => self.hunt.ranked(needed).cells().collect(),
            None => self.near_cells(ROOT_WIDTH),
        };
        let moves = cells.into_iter().map(|cell| {
            self.hunt.board.play(cell);
            let catch = self.hunt.presses(ROOT_PRESSES, &mut self.meter);
            self.hunt.board.undo(cell);
            let score = match catch {
                Catch::Win => Score::loss_in(1 + self.hunt.line().count() as u32),
                Catch::Nothing | Catch::Unknown => Score::DRAW,
            };
            (cell, score)
        });
        let mut moves: Vec<_> = moves.collect();
        moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
        moves
    }

    /// Searches one ply deeper each time.
    fn look_ahead(
        &mut self,
        mut moves: Vec<(Cell, Score)>,
        budget: &Budget,
        wanted: RootMoves,
    ) -> Found {
        let deepest = budget.depth.unwrap_or(u32::MAX).max(1);
        let mut depth = 0;
        while depth < deepest && (moves.len() > 1 || wanted == RootMoves::All) {
            self.meter.poll();
            let Some(searched) = self.search_root(&moves, depth as i32 + 1, wanted) else {
                break;
            };
            moves = searched;
            depth += 1;
            let decided = match moves.first().map(|&(_, score)| score.grade()) {
                Some(Grade::Evaluation(value)) => value.abs() >= DECIDED,
                Some(Grade::Win | Grade::Loss) | None => true,
            };
            if decided || depth as usize > self.hunt.board.free().len() as usize {
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
    ) -> Option<Vec<(Cell, Score)>> {
        let mut best = -BEYOND;
        let mut searched = Vec::with_capacity(moves.len());
        for &(cell, known) in moves {
            let Grade::Evaluation(_) = known.grade() else {
                searched.push((cell, known));
                continue;
            };
            // A window that opens just below the best keeps ties in sight.
            let alpha = match wanted {
                RootMoves::BestOnly => (best - 1).max(-BEYOND),
                RootMoves::All => -BEYOND,
            };
            self.hunt.board.play(cell);
            let value = self.value(depth - 1, 1, (-BEYOND, -alpha));
            self.hunt.board.undo(cell);
            let value = -value?;
            best = best.max(value);
            searched.push((cell, Score::evaluation(value)));
        }
        searched.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
        Some(searched)
    }

    /// Puts moves after which the opponent wins by threats behind those after
    /// which it is not seen to, as far down the list as there is time for.
    fn hold_against_threats(
        &mut self,
        moves: &mut Vec<(Cell, Score)>,
        meter: &mut BudgetMeter<'_>,
    ) {
        for _ in 0..moves.len() {
            let Some(&(cell, score)) = moves.first() else {
                return;
            };
            if !matches!(score.grade(), Grade::Evaluation(_)) {
                return;
            }
            self.hunt.board.play(cell);
            let catch = search_forced_win(&mut self.hunt, u32::MAX, meter);
            self.hunt.board.undo(cell);
            if catch != Catch::Win {
                return;
            }
            let plies = 1 + self.hunt.line().count() as u32;
            moves.remove(0);
            moves.push((cell, Score::loss_in(plies)));
        }
    }

    /// The value of a position for the side to move, so many plies from the
    /// root, looking `depth` plies further; `None` if the budget ran out.
    fn value(&mut self, depth: i32, plies: i32, (alpha, beta): (Value, Value)) -> Option<Value> {
        self.meter.count(1);
        if self.meter.is_spent() {
            return None;
        }
        let board = &mut self.hunt.board;
        let own = board.to_move();
        if !board.cells(own, Rank::Finishes).is_empty() {
            return Some(WON - plies - 1);
        }
        let threats = board.cells(!own, Rank::Finishes);
        if threats.len() > 1 {
            return Some(plies + 2 - WON);
        }
        if let Some(cell) = threats.first()
            && plies < MOST_PLIES
        {
            board.play(cell);
            let value = self.value(depth, plies + 1, (-beta, -alpha));
            self.hunt.board.undo(cell);
            return value.map(|value| -value);
        }
        if board.total(own) == 0 && board.total(!own) == 0 {
            return Some(0);
        }
        let allowed = if depth > 1 {
            INNER_PRESSES
        } else {
            LEAF_PRESSES
        };
        let key = board.hash();
        let seen = self.memory.get(key);
        if let Some(seen) = seen.filter(|seen| seen.depth >= depth) {
            let value = from_here(seen.value, -plies);
            match seen.bound {
                Bound::Exact => return Some(value),
                Bound::Lower if value >= beta => return Some(value),
                Bound::Upper if value <= alpha => return Some(value),
                Bound::Lower | Bound::Upper => {}
            }
        }
        if self.hunt.presses(allowed, &mut self.meter) == Catch::Win {
            return Some(WON - plies - self.hunt.line().count() as Value);
        }
        if depth <= 0 {
            let board = &self.hunt.board;
            return Some(board.total(own) - board.total(!own) + TEMPO);
        }
        let needed = (depth > 1)
            .then(|| self.hunt.defences(INNER_PRESSES, &mut self.meter))
            .flatten();
        let cells = match needed {
            Some(needed) => self.hunt.ranked(needed).cells().collect(),
            None if depth > 2 => self.near_cells(WIDTH),
            None => self.near_cells(FAR_WIDTH),
        };
        self.best_of(
            cells,
            seen.map(|seen| seen.best),
            depth,
            plies,
            (alpha, beta),
        )
    }

    /// The value of the best of these moves, by principal variation search
    /// (Marsland and Campbell 1982).
    fn best_of(
        &mut self,
        mut cells: Vec<Cell>,
        first: Option<Cell>,
        depth: i32,
        plies: i32,
        (alpha, beta): (Value, Value),
    ) -> Option<Value> {
        if let Some(at) = cells.iter().position(|&cell| Some(cell) == first) {
            cells[..=at].rotate_right(1);
        }
        let key = self.hunt.board.hash();
        let mut best = (-BEYOND, cells.first().copied()?);
        let mut floor = alpha;
        for (index, cell) in cells.into_iter().enumerate() {
            self.hunt.board.play(cell);
            let mut search = |floor: Value, ceiling: Value| {
                let value = self.value(depth - 1, plies + 1, (-ceiling, -floor));
                value.map(|value| -value)
            };
            let value = match index {
                0 => search(floor, beta),
                _ => match search(floor, floor + 1) {
                    Some(value) if value > floor && value < beta => search(floor, beta),
                    other => other,
                },
            };
            self.hunt.board.undo(cell);
            let value = value?;
            if value > best.0 {
                best = (value, cell);
            }
            floor = floor.max(value);
            if floor >= beta {
                break;
            }
        }
        let (value, cell) = best;
        let bound = if value >= beta {
            Bound::Lower
        } else if value > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let kept = from_here(value, plies);
        self.memory.put(key, kept, depth, bound, cell);
        Some(value)
    }

    /// The free cells with the most open lines through them, the best first;
    /// twice as many where the board is small and every cell is near.
    fn near_cells(&self, most: usize) -> Vec<Cell> {
        let small = self.hunt.board.size() <= SMALL;
        let most = if small { 2 * most } else { most };
        let ranked = self.hunt.ranked(*self.hunt.board.free());
        ranked.cells().take(most).collect()
    }
}

/// A win or loss so many plies from the root, counted from a position that is
/// so many plies from it.
fn from_here(value: Value, plies: i32) -> Value {
    match value {
        DECIDED.. => value + plies,
        _ if value <= -DECIDED => value - plies,
        _ => value,
    }
}
