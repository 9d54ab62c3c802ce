use crate::abdada::AbdadaTable;
use crate::budget::BudgetMeter;
use crate::prover::table::{MAX_VALUE, Table, ValueBounds};
use alloc::vec::Vec;
use open_ttt_lib::rules::Tactics;

/// The value of a position, counted from the end of the game.
///
/// A win with the last move that the board has room for is 1, a win one move of the
/// winner earlier 2, and so on; losses are negative and a draw is 0. All positions
/// on a line of best play have the same value, negated from one side to the other,
/// so values in the table need no correction for their distance from the root.
pub(crate) type Value = i16;

/// With fewer plies left the table costs more than it saves.
const MIN_TABLE_PLIES: Value = 8;

/// From this many plies left on, the table is probed for the positions after all
/// moves before the first is searched (enhanced transposition cutoffs, Schaeffer
/// and Plaat, 1996), and moves that it refutes are not searched.
const MIN_ETC_PLIES: Value = 12;

/// With fewer plies left threads ignore what the others are searching: searching a
/// small tree twice costs less than synchronizing.
const MIN_ABDADA_PLIES: Value = 20;

/// Why a search ends without a result, the least urgent reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Interrupt {
    /// Another thread has found the result of a position on the current path.
    Superseded,
    /// Another thread has ended the common search.
    Stopped,
    /// The search has stored as many positions as it may.
    QuotaSpent,
    /// The budget is spent.
    BudgetSpent,
}

/// One thread's null-window search: is the value of a position greater than
/// `alpha`?
pub(crate) struct NullWindowSearch<'t, 'a, G: Tactics> {
    table: &'t Table,
    pub(crate) meter: BudgetMeter<'a>,
    /// How many more positions may be stored.
    pub(crate) quota: usize,
    abdada: Option<&'t AbdadaTable>,
    pub(crate) buffers: Buffers<G::Move>,
}

/// The memory of a search, which the next one can reuse: allocation would take a tenth of
/// the time of short proofs.
#[derive(Debug)]
pub(crate) struct Buffers<M> {
    /// The moves of the positions on the current path.
    moves: Vec<M>,
    /// Those positions, by key, each with its `alpha`.
    path: Vec<(u64, Value)>,
}

impl<M> Default for Buffers<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            path: Vec::new(),
        }
    }
}

impl<'t, 'a, G: Tactics> NullWindowSearch<'t, 'a, G> {
    pub(crate) fn new(
        table: &'t Table,
        meter: BudgetMeter<'a>,
        quota: usize,
        abdada: Option<&'t AbdadaTable>,
    ) -> Self {
        Self {
            table,
            meter,
            quota,
            abdada,
            buffers: Buffers::default(),
        }
    }

    /// Returns a lower bound of the position's value above `alpha`, or an upper
    /// bound at or below it.
    ///
    /// The side to move must not be able to win at once.
    pub(crate) fn search(
        &mut self,
        game: &G,
        left: Value,
        alpha: Value,
    ) -> Result<Value, Interrupt> {
        self.meter.count(1);
        if self.meter.is_spent() {
            return Err(Interrupt::BudgetSpent);
        }
        // This side cannot win with its next move.
        let upper = (left - 1) / 2;
        if alpha >= upper {
            return Ok(upper);
        }
        // At best it wins with its second move, or else with its third.
        let third = (left - 3).max(0) / 2;
        let upper = match game.wins_with_second_move() {
            Some(true) => return Ok(upper),
            Some(false) if alpha >= third => return Ok(third),
            Some(false) => third,
            None => upper,
        };
        let mut moves = game.non_losing_moves();
        let Some(first) = moves.next() else {
            return Ok(-(left / 2));
        };
        // The opponent cannot win with its next move.
        let lower = -((left - 2) / 2);
        if alpha < lower {
            return Ok(lower);
        }
        let Some(second) = moves.next() else {
            // The position after a forced move is in the table, which is enough.
            return Ok(-self.search(&game.after(first), left - 1, -alpha - 1)?);
        };
        // Who must win, and how fast, for a value on its side of the window.
        let (must_win, value) = if alpha >= 0 {
            (game.to_move(), alpha + 1)
        } else {
            (!game.to_move(), -alpha)
        };
        if !game.can_force_win(must_win) {
            return Ok(0);
        }
        let plies = (left + 2 - 2 * value).max(0) as u32;
        if game.wins_within(must_win, plies) {
            return Ok(if alpha >= 0 { value } else { -value });
        }
        let moves = [first, second].into_iter().chain(moves);
        let mut known = ValueBounds { lower, upper };
        let key = (left >= MIN_TABLE_PLIES && upper <= MAX_VALUE).then(|| game.key());
        if let Some(entry) = key.and_then(|key| self.table.get(key)) {
            if let Some(bound) = entry.cutoff(alpha) {
                return Ok(bound);
            }
            known = entry;
        }
        let bound = if let Some(key) = key.filter(|_| left >= MIN_ETC_PLIES) {
            let start = self.buffers.moves.len();
            self.buffers.moves.extend(moves);
            self.buffers.path.push((key, alpha));
            let bound = self.search_listed(game, start, left, alpha);
            self.buffers.path.pop();
            self.buffers.moves.truncate(start);
            if let Err(Interrupt::Superseded) = bound {
                return self.known_bound(key, alpha).ok_or(Interrupt::Superseded);
            }
            bound?
        } else {
            let mut best = lower;
            for m in moves {
                best = best.max(-self.search(&game.after(m), left - 1, -alpha - 1)?);
                if best > alpha {
                    break;
                }
            }
            best
        };
        if let Some(key) = key {
            if bound > alpha {
                known.lower = bound;
            } else {
                known.upper = bound;
            }
            self.table.put(key, known, left);
            self.quota = self.quota.checked_sub(1).ok_or(Interrupt::QuotaSpent)?;
        }
        Ok(bound)
    }

    /// The same search of the moves listed from `start` on.
    fn search_listed(
        &mut self,
        game: &G,
        start: usize,
        left: Value,
        alpha: Value,
    ) -> Result<Value, Interrupt> {
        let mut best = -((left - 2) / 2);
        let mut end = start;
        for index in start..self.buffers.moves.len() {
            let m = self.buffers.moves[index];
            if let Some(known) = self.table.get(game.after(m).key()) {
                if -known.upper > alpha {
                    return Ok(-known.upper);
                }
                if -known.lower <= alpha {
                    best = best.max(-known.lower);
                    continue;
                }
            }
            self.buffers.moves[end] = m;
            end += 1;
        }
        let abdada = self.abdada.filter(|_| left >= MIN_ABDADA_PLIES);
        let mut deferred = start;
        for index in start..end {
            let m = self.buffers.moves[index];
            let next = game.after(m);
            if let Some(abdada) = abdada {
                if abdada.is_stopped() {
                    return Err(Interrupt::Stopped);
                }
                if self.is_superseded() {
                    return Err(Interrupt::Superseded);
                }
                if index > start && abdada.is_searching(move_hash(&next)) {
                    self.buffers.moves[deferred] = m;
                    deferred += 1;
                    continue;
                }
                abdada.start(move_hash(&next));
            }
            let bound = self.search(&next, left - 1, -alpha - 1);
            if let Some(abdada) = abdada {
                abdada.finish(move_hash(&next));
            }
            best = best.max(-bound?);
            if best > alpha {
                return Ok(best);
            }
        }
        for index in start..deferred {
            let next = game.after(self.buffers.moves[index]);
            best = best.max(-self.search(&next, left - 1, -alpha - 1)?);
            if best > alpha {
                break;
            }
        }
        Ok(best)
    }

    /// The result of this search, if the table has it.
    fn known_bound(&self, key: u64, alpha: Value) -> Option<Value> {
        self.table.get(key)?.cutoff(alpha)
    }

    /// Whether the table has the result of a position on the current path.
    fn is_superseded(&self) -> bool {
        let mut path = self.buffers.path.iter();
        path.any(|&(key, alpha)| self.known_bound(key, alpha).is_some())
    }
}

/// The hash in the [`AbdadaTable`] of the move that leads to a position; never 0.
fn move_hash<G: Tactics>(next: &G) -> u64 {
    next.key()
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(32)
        | 1 << 63
}
