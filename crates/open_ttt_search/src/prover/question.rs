use crate::budget::BudgetMeter;
use crate::crowd::Crowd;
use crate::prover::table::{Bounds, MOST_BOUND, Table};
use open_ttt_lib::rules::Tactics;

/// What a position is worth, counted from the end of the game.
///
/// A win with the last move that the board has room for counts 1, one that
/// comes a move of the winner earlier 2, and so on; losses are negative and a
/// draw is 0. The same line of play has the same value at each of its
/// positions, negated from one side to the other, so values in the table need
/// no correction for their distance from the root.
pub(crate) type Value = i16;

/// Nearer to the end than this many plies the table costs more than it gives.
const FEWEST_STORED: Value = 6;

/// From so many plies before the end the table is asked about the positions
/// after all moves before the first is searched ("enhanced transposition
/// cutoffs", Schaeffer and Plaat 1996).
const ASKED_AHEAD: Value = 10;

/// Nearer to the end than this many plies threads do not heed each other: to
/// do a small piece of work twice costs less than to speak about it.
const SHARED_AHEAD: Value = 20;

/// Why a thread ends its search without an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pause {
    /// The budget is spent.
    Spent,
    /// It has stored as much as it may.
    Full,
    /// Another thread has ended the common search.
    Settled,
    /// Another thread has answered what was asked of an earlier position.
    Overtaken,
}

/// One thread's search for the answer to a question: is a position worth more
/// than this?
pub(crate) struct Question<'t, 'a, G: Tactics> {
    table: &'t Table,
    pub(crate) meter: BudgetMeter<'a>,
    /// How often something may still be stored.
    pub(crate) room: usize,
    crowd: Option<&'t Crowd>,
    /// The moves to try at the positions of the line being looked at.
    moves: Vec<G::Move>,
    /// The positions of that line, by key, with what is asked of them.
    line: Vec<(u64, Value)>,
}

impl<'t, 'a, G: Tactics> Question<'t, 'a, G> {
    pub(crate) fn new(
        table: &'t Table,
        meter: BudgetMeter<'a>,
        room: usize,
        crowd: Option<&'t Crowd>,
    ) -> Self {
        Self {
            table,
            meter,
            room,
            crowd,
            moves: Vec::new(),
            line: Vec::new(),
        }
    }

    /// Answers whether a position is worth more than `asked`: if so, with a
    /// value it is at least worth, otherwise with one it is at most worth.
    ///
    /// The side to move must not be able to win at once.
    pub(crate) fn compare(&mut self, game: &G, left: Value, asked: Value) -> Result<Value, Pause> {
        self.meter.count(1);
        if self.meter.is_spent() {
            return Err(Pause::Spent);
        }
        let mut moves = game.non_losing_moves();
        let Some(first) = moves.next() else {
            return Ok(-(left / 2));
        };
        if left <= 2 {
            return Ok(0);
        }
        // The opponent does not win with its next move, nor we before that.
        let lower = -((left - 2) / 2);
        let upper = (left - 1) / 2;
        if asked < lower {
            return Ok(lower);
        }
        if asked >= upper {
            return Ok(upper);
        }
        let winner_needed = if asked >= 0 {
            game.to_move()
        } else {
            !game.to_move()
        };
        if !game.can_still_win(winner_needed) {
            return Ok(0);
        }
        if left < FEWEST_STORED || upper > MOST_BOUND {
            for m in core::iter::once(first).chain(moves) {
                let bound = -self.compare(&game.after(m), left - 1, -asked - 1)?;
                if bound > asked {
                    return Ok(bound);
                }
            }
            return Ok(asked);
        }
        let key = game.key();
        let mut known = self.table.get(key).unwrap_or(Bounds { lower, upper });
        if let Some(bound) = known.answer(asked) {
            return Ok(bound);
        }
        let bound = if left < ASKED_AHEAD {
            let mut next = Some(first);
            loop {
                let Some(m) = next else {
                    break asked;
                };
                let bound = -self.compare(&game.after(m), left - 1, -asked - 1)?;
                if bound > asked {
                    break bound;
                }
                next = moves.next();
            }
        } else {
            let start = self.moves.len();
            self.moves.push(first);
            self.moves.extend(moves);
            self.line.push((key, asked));
            let bound = self.compare_listed(game, start, left, asked);
            self.line.pop();
            self.moves.truncate(start);
            if let Err(Pause::Overtaken) = bound {
                return self.known_answer(key, asked).ok_or(Pause::Overtaken);
            }
            bound?
        };
        if bound > asked {
            known.lower = bound;
        } else {
            known.upper = bound;
        }
        self.put(key, known)?;
        Ok(bound)
    }

    /// The same with the moves to try listed from `start` on.
    fn compare_listed(
        &mut self,
        game: &G,
        start: usize,
        left: Value,
        asked: Value,
    ) -> Result<Value, Pause> {
        let end = self.moves.len();
        for &m in &self.moves[start..] {
            let known = self.table.get(game.after(m).key());
            if let Some(Bounds { upper, .. }) = known
                && -upper > asked
            {
                return Ok(-upper);
            }
        }
        let crowd = self.crowd.filter(|_| left >= SHARED_AHEAD);
        let mut put_off = start;
        for index in start..end {
            let m = self.moves[index];
            let next = game.after(m);
            if let Some(crowd) = crowd {
                if crowd.is_over() {
                    return Err(Pause::Settled);
                }
                if self.is_overtaken() {
                    return Err(Pause::Overtaken);
                }
                if index > start && crowd.is_claimed(claim(&next)) {
                    self.moves[put_off] = m;
                    put_off += 1;
                    continue;
                }
                crowd.claim(claim(&next));
            }
            let bound = self.compare(&next, left - 1, -asked - 1);
            if let Some(crowd) = crowd {
                crowd.disclaim(claim(&next));
            }
            let bound = -bound?;
            if bound > asked {
                return Ok(bound);
            }
        }
        for index in start..put_off {
            let next = game.after(self.moves[index]);
            let bound = -self.compare(&next, left - 1, -asked - 1)?;
            if bound > asked {
                return Ok(bound);
            }
        }
        Ok(asked)
    }

    /// What the table answers to a question, if it can.
    fn known_answer(&self, key: u64, asked: Value) -> Option<Value> {
        self.table.get(key)?.answer(asked)
    }

    /// Whether somebody has answered meanwhile what led here.
    fn is_overtaken(&self) -> bool {
        let mut line = self.line.iter();
        line.any(|&(key, asked)| self.known_answer(key, asked).is_some())
    }

    fn put(&mut self, key: u64, bounds: Bounds) -> Result<(), Pause> {
        self.table.put(key, bounds);
        self.room = self.room.checked_sub(1).ok_or(Pause::Full)?;
        Ok(())
    }
}

/// The number by which the threads of a crowd know a position; 0 would be
/// nobody's.
fn claim<G: Tactics>(game: &G) -> u64 {
    game.key()
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(32)
        | 1 << 63
}
