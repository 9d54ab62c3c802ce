use alloc::vec::Vec;
use core::mem::take;
use core::num::NonZero;

use crate::Score;
use crate::abdada::AbdadaTable;
use crate::budget::BudgetMeter;
use crate::prover::null_window::{Buffers, Interrupt, NullWindowSearch, Value};
use crate::prover::table::Table;
use crate::threads::{bounded, run_together};
use open_ttt_lib::rules::{Outcome, Side, Tactics};

/// Finds the values of positions by null-window searches, within one budget.
pub(crate) struct Driver<'a, G: Tactics> {
    pub(crate) table: &'a mut Table,
    pub(crate) meter: BudgetMeter<'a>,
    pub(crate) threads: NonZero<usize>,
    pub(crate) book: fn(&G) -> Option<Value>,
    /// The number of stores since the table grew.
    pub(crate) stores: usize,
    pub(crate) buffers: Buffers<G::Move>,
}

/// With fewer plies left a search costs so little that the first steps may be
/// larger.
const SMALL_STEP_PLIES: Value = 18;

/// Once no more values than these are left, a search tells whether the first player wins:
/// it does so more often than not, and the values around a draw cost most.
const SIGN_WIDTH: Value = 12;

/// The table grows after so many stores in each slot. Most positions are not needed
/// again, and those that cost most are kept, so a small table that fits the caches
/// gains more than a large one saves.
const STORES_PER_SLOT: usize = 8;

/// A search with fewer stores is not worth a second thread.
const MIN_PARALLEL_STORES: usize = 1_000;

impl<G: Tactics + Sync> Driver<'_, G> {
    /// The exact value of any position. `None` if the budget is spent.
    pub(crate) fn value(&mut self, game: &G) -> Option<Value> {
        self.value_from(game, Value::MIN)
    }

    /// The exact value of a position that is at least `lower`. `None` if the budget is
    /// spent.
    pub(crate) fn value_from(&mut self, game: &G, lower: Value) -> Option<Value> {
        let left = plies_left(game);
        if let Some(value) = self.static_value(game, left) {
            return Some(value);
        }
        // Neither side can win before its second move from here.
        let mut lower = lower.max(-(left / 2));
        let mut upper = (left - 1) / 2;
        let mut step = Value::from(left < SMALL_STEP_PLIES);
        let mut searches = 0;
        while lower < upper {
            let middle = lower + (upper - lower) / 2;
            let alpha = if lower < 0 && 0 < upper && upper - lower <= SIGN_WIDTH {
                Value::from(game.to_move() == Side::First) - 1
            } else if lower + upper <= 0 {
                middle.min(lower + step)
            } else {
                middle.max(upper - 1 - step)
            };
            let bound = self.probe(game, left, alpha)?;
            if bound > alpha {
                lower = bound;
            } else {
                upper = bound;
            }
            searches += 1;
            if searches % 2 == 0 {
                step = 2 * step + 1;
            }
        }
        Some(lower)
    }

    /// The value of a legal move for its player: a lower bound if that is at least
    /// `target`, and otherwise an upper bound below it.
    pub(crate) fn value_of_move(&mut self, game: &G, m: G::Move, target: Value) -> Option<Value> {
        let next = game.after(m);
        let left = plies_left(&next);
        match self.static_value(&next, left) {
            Some(value) => Some(-value),
            None => Some(-self.probe(&next, left, -target)?),
        }
    }

    /// A best move of a position of this value.
    pub(crate) fn best_move(&mut self, game: &G, value: Value) -> Option<G::Move> {
        // Moves that need no search come first.
        let (mut moves, unknown): (Vec<_>, Vec<_>) = game.moves().partition(|&m| {
            let next = game.after(m);
            self.static_value(&next, plies_left(&next)).is_some()
        });
        moves.extend(unknown);
        for m in moves {
            if self.value_of_move(game, m, value)? >= value {
                return Some(m);
            }
        }
        None
    }

    /// The moves of best play from a position of this value, to the end or until the
    /// budget is spent.
    pub(crate) fn principal_variation(&mut self, game: &G, mut value: Value) -> Vec<G::Move> {
        let mut pv = Vec::new();
        let mut at = game.clone();
        while at.outcome().is_none()
            && let Some(m) = self.best_move(&at, value)
        {
            pv.push(m);
            at.play_unchecked(m);
            value = -value;
        }
        pv
    }

    /// The value of a position that needs no search: it is over, can be won at once
    /// or is in the book.
    fn static_value(&self, game: &G, left: Value) -> Option<Value> {
        match game.outcome() {
            Some(outcome) => Some(value_of_outcome(game, outcome, 0)),
            None if game.wins_at_once() => Some((left + 1) / 2),
            None => (self.book)(game),
        }
    }

    /// Searches a position in the null window above `alpha`: returns a lower bound
    /// above `alpha` or an upper bound at or below it.
    ///
    /// The side to move must not be able to win at once.
    fn probe(&mut self, game: &G, left: Value, alpha: Value) -> Option<Value> {
        let mut all_stores = 0;
        loop {
            let mut quota = if self.table.can_grow() {
                self.max_stores().saturating_sub(self.stores)
            } else {
                usize::MAX
            };
            let mut threads = self.threads;
            if threads.get() > 1 && all_stores < MIN_PARALLEL_STORES {
                threads = NonZero::<usize>::MIN;
                quota = quota.min(MIN_PARALLEL_STORES - all_stores);
            }
            let (bound, stores) = if threads == NonZero::<usize>::MIN {
                self.search_alone(game, left, alpha, quota)
            } else {
                self.search_together(game, left, alpha, quota, threads)
            };
            all_stores += stores;
            self.stores += stores;
            match bound {
                Ok(bound) => return Some(bound),
                Err(Interrupt::BudgetSpent) => return None,
                Err(Interrupt::QuotaSpent | Interrupt::Stopped | Interrupt::Superseded) => {}
            }
            if self.table.can_grow() && self.stores >= self.max_stores() {
                self.table.grow();
                self.stores = 0;
            }
        }
    }

    /// How many positions may be stored before the table should grow.
    fn max_stores(&self) -> usize {
        STORES_PER_SLOT * self.table.slots()
    }

    /// The same search with a quota of stores. Returns the number of stores, too.
    fn search_alone(
        &mut self,
        game: &G,
        left: Value,
        alpha: Value,
        quota: usize,
    ) -> (Result<Value, Interrupt>, usize) {
        let meter = self.meter.share(NonZero::<usize>::MIN);
        let mut search = NullWindowSearch::new(self.table, meter, quota, None);
        search.buffers = take(&mut self.buffers);
        let bound = search.search(game, left, alpha);
        self.buffers = take(&mut search.buffers);
        self.meter.count(search.meter.nodes());
        let stores = quota - search.quota;
        self.meter.poll();
        (bound, stores)
    }

    /// The same on this many threads, until the first of them completes it.
    fn search_together(
        &mut self,
        game: &G,
        left: Value,
        alpha: Value,
        quota: usize,
        threads: NonZero<usize>,
    ) -> (Result<Value, Interrupt>, usize) {
        let abdada = AbdadaTable::new();
        let threads = bounded(threads);
        let quota = quota.div_ceil(threads.get());
        let share = self.meter.share(threads);
        let table = &*self.table;
        let work = || {
            let mut search = NullWindowSearch::new(table, share.clone(), quota, Some(&abdada));
            let bound = search.search(game, left, alpha);
            abdada.stop();
            (bound, search.meter.nodes(), quota - search.quota)
        };
        let results = run_together(work, (1..threads.get()).map(|_| work));
        let mut result = (Err(Interrupt::Superseded), 0);
        for (bound, nodes, stores) in results {
            self.meter.count(nodes);
            result.1 += stores;
            result.0 = match (result.0, bound) {
                (Ok(bound), _) | (_, Ok(bound)) => Ok(bound),
                (Err(a), Err(b)) => Err(a.max(b)),
            };
        }
        self.meter.poll();
        result
    }
}

/// The number of plies to the end of the game if nobody wins.
pub(crate) fn plies_left<G: Tactics>(game: &G) -> Value {
    game.plies_left() as Value
}

/// The score of a position with this value and so many plies left. The winner makes
/// the last move, so a win takes an odd number of plies and a loss an even one.
pub(crate) fn score(value: Value, left: Value) -> Score {
    let plies = left + 2 - 2 * value.abs();
    let odd = plies % 2 != 0;
    match value {
        0 => Score::DRAW,
        1.. => Score::win_in((plies - i16::from(!odd)) as u32),
        _ => Score::loss_in((plies - i16::from(odd)) as u32),
    }
}

/// The value of a position from which best play leads to this outcome in so many
/// plies: the reverse of [`score`].
pub(crate) fn value_of_outcome<G: Tactics>(game: &G, outcome: Outcome, plies: u32) -> Value {
    let value = (plies_left(game) + 2 - plies as Value) / 2;
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(side) if side == game.to_move() => value,
        Outcome::Win(_) => -value,
    }
}
