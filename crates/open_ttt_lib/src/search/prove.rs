use super::budget::Meter;
use super::table::{Bounds, Table};
use super::{Answer, Budget, Score, StopFlag};
use crate::rules::{Outcome, Tactics};

/// Proves what positions are worth: who wins, and how soon.
///
/// It looks for the answer with searches that each ask one question, "is it
/// better than this?", from the extremes inward: the nearest wins and losses are
/// ruled out first, which is cheap and fills the table with what the later
/// questions need. The steps inward grow, so that a value in the middle is
/// reached as soon as by halving the range. What it learns about positions stays
/// in the table from one proof to the next, until [`forget`](Self::forget).
///
/// The game's [`Tactics`] do the rest: moves that lose at once are never tried,
/// and the likely best come first. The plan is that of Pascal Pons' solver for
/// Connect Four (2015), for any game that has such tactics.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_lib::search::{Budget, Prover, Score, StopFlag};
///
/// let mut game = ConnectFour::new();
/// play_text(&mut game, "12345671234567")?;
/// let mut prover = Prover::new(1 << 20);
/// let proof = prover.score(&game, &Budget::UNLIMITED, &StopFlag::new());
/// assert_eq!(proof.map(|(score, _)| score), Some(Score::win_in(7)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Debug)]
pub struct Prover {
    table: Table,
}

/// One proof: the table, and what may be spent.
struct Proof<'a> {
    table: &'a mut Table,
    meter: Meter<'a>,
}

/// What a position is worth, counted from the end of the game.
///
/// A win with the last move that the board has room for counts 1, one that
/// comes a move of the winner earlier 2, and so on; losses are negative and a
/// draw is 0. The same line of play has the same value at each of its
/// positions, negated from one side to the other, so values in the table need
/// no correction for their distance from the root.
type Value = i16;

/// Nearer to the end than this many plies the table costs more than it gives.
const FEWEST_STORED: Value = 6;

/// In positions nearer to the end than this many plies a question costs so
/// little that the first steps may be larger.
const NEAR: Value = 18;

impl Prover {
    /// A prover whose table takes at most this many bytes; it begins small and
    /// grows with the work.
    pub fn new(bytes: usize) -> Self {
        Self {
            table: Table::new(bytes),
        }
    }

    /// Forgets all positions. Needed before positions of another game, or of
    /// the same game with other parameters: keys tell positions of one game
    /// apart, not games.
    pub fn forget(&mut self) {
        self.table.forget();
    }

    /// What a position is worth, and how many positions were looked at to
    /// prove it. `None` if the budget ran out first; its depth is not used.
    pub fn score<G: Tactics>(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<(Score, u64)> {
        let mut proof = Proof {
            table: &mut self.table,
            meter: Meter::new(budget, stop),
        };
        let value = proof.value(game)?;
        let score = score(value, plies_left(game));
        Some((score, proof.meter.nodes()))
    }

    /// What a position is worth, with all best moves and the line of best play
    /// to the end. `None` if the budget ran out first; its depth is not used.
    ///
    /// In [`Answer::moves`] the score of a move that is not among the best is
    /// a limit, as with [`RootMoves::BestOnly`](super::RootMoves::BestOnly).
    pub fn answer<G: Tactics>(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<Answer<G::Move>> {
        let mut proof = Proof {
            table: &mut self.table,
            meter: Meter::new(budget, stop),
        };
        let left = plies_left(game);
        let value = proof.value(game)?;
        let mut best = Vec::new();
        let mut moves = Vec::new();
        for m in game.moves() {
            let bound = proof.value_of_move(game, m, value)?;
            if bound >= value {
                best.push(m);
                moves.push((m, score(value, left)));
            } else {
                moves.push((m, score(bound, left)));
            }
        }
        moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
        let line = proof.line(game, value)?;
        Some(Answer {
            score: score(value, left),
            best,
            depth: line.len() as u32,
            line,
            moves,
            nodes: proof.meter.nodes(),
            proved: true,
        })
    }
}

impl Proof<'_> {
    /// The exact value of any position.
    fn value<G: Tactics>(&mut self, game: &G) -> Option<Value> {
        const {
            assert!(
                G::UNIQUE,
                "a proof needs keys that tell all positions apart"
            );
        }
        let left = plies_left(game);
        if let Some(value) = value_at_a_glance(game, left) {
            return Some(value);
        }
        // Neither side can win earlier than with its next move but one.
        let mut lower = -(left / 2);
        let mut upper = (left - 1) / 2;
        let mut step = Value::from(left < NEAR);
        let mut questions = 0;
        while lower < upper {
            let middle = lower + (upper - lower) / 2;
            let asked = if lower + upper <= 0 {
                middle.min(lower + step)
            } else {
                middle.max(upper - 1 - step)
            };
            let bound = self.compare(game, left, asked)?;
            if bound > asked {
                lower = bound;
            } else {
                upper = bound;
            }
            questions += 1;
            if questions % 2 == 0 {
                step = 2 * step + 1;
            }
        }
        Some(lower)
    }

    /// What a legal move is worth to who plays it: at least `hoped` if it is
    /// worth that much, and otherwise a limit below it.
    fn value_of_move<G: Tactics>(&mut self, game: &G, m: G::Move, hoped: Value) -> Option<Value> {
        let next = game.after(m);
        let left = plies_left(&next);
        match value_at_a_glance(&next, left) {
            Some(value) => Some(-value),
            None => Some(-self.compare(&next, left, -hoped)?),
        }
    }

    /// Best play from a position of this value to the end.
    fn line<G: Tactics>(&mut self, game: &G, mut value: Value) -> Option<Vec<G::Move>> {
        let mut line = Vec::new();
        let mut at = game.clone();
        while at.outcome().is_none() {
            let mut moves = at.moves().collect::<Vec<_>>().into_iter();
            let keeps = loop {
                let m = moves.next()?;
                if self.value_of_move(&at, m, value)? >= value {
                    break m;
                }
            };
            line.push(keeps);
            at.play_unchecked(keeps);
            value = -value;
        }
        Some(line)
    }

    /// Answers whether a position is worth more than `asked`: if so, with a
    /// value it is at least worth, otherwise with one it is at most worth.
    ///
    /// The side to move must not be able to win at once.
    fn compare<G: Tactics>(&mut self, game: &G, left: Value, asked: Value) -> Option<Value> {
        self.meter.count();
        if self.meter.is_spent() {
            return None;
        }
        let mut moves = game.promising_moves();
        let Some(first) = moves.next() else {
            return Some(-(left / 2));
        };
        if left <= 2 {
            return Some(0);
        }
        // The opponent does not win with its next move, nor we before that.
        let lower = -((left - 2) / 2);
        let upper = (left - 1) / 2;
        if asked < lower {
            return Some(lower);
        }
        if asked >= upper {
            return Some(upper);
        }
        let winner_needed = if asked >= 0 {
            game.to_move()
        } else {
            !game.to_move()
        };
        if !game.can_still_win(winner_needed) {
            return Some(0);
        }
        let key = game.key();
        let mut known = Bounds { lower, upper };
        let stores = left >= FEWEST_STORED;
        if stores && let Some(bounds) = self.table.get(key) {
            known = bounds;
            if known.lower > asked {
                return Some(known.lower);
            }
            if known.upper <= asked {
                return Some(known.upper);
            }
        }
        let mut next = Some(first);
        while let Some(m) = next {
            let bound = -self.compare(&game.after(m), left - 1, -asked - 1)?;
            if bound > asked {
                known.lower = bound;
                if stores {
                    self.table.put(key, known);
                }
                return Some(bound);
            }
            next = moves.next();
        }
        known.upper = asked;
        if stores {
            self.table.put(key, known);
        }
        Some(asked)
    }
}

fn plies_left<G: Tactics>(game: &G) -> Value {
    game.plies_left() as Value
}

/// The value of a position that is over or can be won at once.
fn value_at_a_glance<G: Tactics>(game: &G, left: Value) -> Option<Value> {
    match game.outcome() {
        Some(Outcome::Draw) => Some(0),
        Some(Outcome::Win(side)) => {
            let won = left / 2 + 1;
            Some(if side == game.to_move() { won } else { -won })
        }
        None if game.wins_at_once() => Some((left + 1) / 2),
        None => None,
    }
}

/// A value in a position with so many plies left, as a score: the winner makes
/// the last move, so a win takes an odd number of plies and a loss an even one.
fn score(value: Value, left: Value) -> Score {
    let plies = left + 2 - 2 * value.abs();
    let odd = plies % 2 != 0;
    match value {
        0 => Score::DRAW,
        1.. => Score::win_in((plies - i16::from(!odd)) as u32),
        _ => Score::loss_in((plies - i16::from(odd)) as u32),
    }
}
