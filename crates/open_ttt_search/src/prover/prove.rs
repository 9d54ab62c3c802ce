use core::fmt;
use core::num::NonZero;

use crate::budget::BudgetMeter;
use crate::crowd::Crowd;
use crate::prover::question::{Pause, Question, Value};
use crate::prover::table::Table;
use crate::{Answer, Budget, Score, StopFlag};
use open_ttt_lib::rules::{OpeningBook, Outcome, Tactics};

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
/// It works on as many threads as it is [given](Self::with_threads). On one,
/// the same proofs in the same order take the same number of positions.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_search::{Budget, Prover, Score, StopFlag};
///
/// let mut game = ConnectFour::new();
/// play_text(&mut game, "12345671234567")?;
/// let mut prover = Prover::new(1 << 20);
/// let proof = prover.score(&game, &Budget::UNLIMITED, &StopFlag::new());
/// assert_eq!(proof.map(|(score, _)| score), Some(Score::win_in(7)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub struct Prover<G> {
    table: Table,
    threads: NonZero<usize>,
    by_heart: fn(&G) -> Option<Value>,
}

/// One proof: the table, what may be spent, and what is known by heart.
struct Proof<'a, G> {
    table: &'a mut Table,
    meter: BudgetMeter<'a>,
    threads: NonZero<usize>,
    by_heart: fn(&G) -> Option<Value>,
    /// How often something was stored since the table grew.
    stored: usize,
    /// How often something was stored in all.
    effort: usize,
}

/// In positions nearer to the end than this many plies a question costs so
/// little that the first steps may be larger.
const NEAR: Value = 18;

/// A question that stores less than this is not worth a second thread.
const EASY: usize = 1_000;

impl<G: Tactics> Prover<G> {
    const KEY_BITS: u32 = match G::UNIQUE_BITS {
        Some(bits) => bits,
        None => panic!("a proof needs keys that tell all positions apart"),
    };

    /// A prover whose table takes at most this many bytes; it begins small and
    /// grows with the work.
    pub fn new(bytes: usize) -> Self {
        Self {
            table: Table::new(bytes, Self::KEY_BITS),
            threads: NonZero::<usize>::MIN,
            by_heart: |_| None,
        }
    }

    /// The same prover with what the game knows by heart.
    pub fn with_book(self) -> Self
    where
        G: OpeningBook<Value = (Outcome, u32)>,
    {
        let by_heart = |game: &G| {
            let (outcome, plies) = game.book_value()?;
            Some(value_of_end(game, outcome, plies))
        };
        Self { by_heart, ..self }
    }

    /// The same prover at work on so many threads, where the work is hard. They
    /// end with each proof.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
    }

    /// Forgets all positions. Needed before positions of the same game with
    /// other parameters, whose keys may be the same.
    pub fn forget(&mut self) {
        self.table.forget();
    }
}

impl<G: Tactics + Sync> Prover<G> {
    /// What a position is worth, and how many positions were looked at to
    /// prove it. `None` if the budget ran out first; its depth is not used.
    pub fn score(&mut self, game: &G, budget: &Budget, stop: &StopFlag) -> Option<(Score, u64)> {
        let mut proof = self.proof(budget, stop);
        let value = proof.value(game)?;
        let score = score(value, plies_left(game));
        Some((score, proof.meter.nodes()))
    }

    /// What a position is worth, with all best moves and the line of best play
    /// to the end. `None` if the budget ran out first; its depth is not used.
    ///
    /// In [`Answer::moves`] the score of a move that is not among the best is
    /// a limit, as with [`RootMoves::BestOnly`](crate::RootMoves::BestOnly).
    pub fn answer(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<Answer<G::Move>> {
        self.proof(budget, stop).answer(game)
    }

    /// One move that keeps what a position is worth, with that score: sooner
    /// found than all of them. `None` if the budget ran out first, or if the
    /// game is over.
    pub fn best_move(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<(G::Move, Score)> {
        let mut proof = self.proof(budget, stop);
        let value = proof.value(game)?;
        let m = proof.move_that_keeps(game, value)?;
        Some((m, score(value, plies_left(game))))
    }

    /// Every move with its exact score, the best first; none if the game is
    /// over. `None` if the budget ran out first.
    pub fn moves(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<Vec<(G::Move, Score)>> {
        let mut proof = self.proof(budget, stop);
        let left = plies_left(game);
        let mut moves = game
            .moves()
            .map(|m| Some((m, score(-proof.value(&game.after(m))?, left))))
            .collect::<Option<Vec<_>>>()?;
        moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
        Some(moves)
    }

    fn proof<'a>(&'a mut self, budget: &Budget, stop: &'a StopFlag) -> Proof<'a, G> {
        Proof {
            table: &mut self.table,
            meter: BudgetMeter::new(budget, stop),
            threads: self.threads,
            by_heart: self.by_heart,
            stored: 0,
            effort: 0,
        }
    }
}

impl<G> fmt::Debug for Prover<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prover")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl<G: Tactics + Sync> Proof<'_, G> {
    fn answer(&mut self, game: &G) -> Option<Answer<G::Move>> {
        let left = plies_left(game);
        let value = self.value(game)?;
        let mut best = Vec::new();
        let mut moves = Vec::new();
        for m in game.moves() {
            let bound = self.value_of_move(game, m, value)?;
            if bound >= value {
                best.push(m);
                moves.push((m, score(value, left)));
            } else {
                moves.push((m, score(bound, left)));
            }
        }
        moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
        let line = self.line(game, value)?;
        Some(Answer {
            score: score(value, left),
            best,
            depth: line.len() as u32,
            line,
            moves,
            nodes: self.meter.nodes(),
            proved: true,
        })
    }

    /// What is known of a position without a search.
    fn at_a_glance(&self, game: &G, left: Value) -> Option<Value> {
        value_at_a_glance(game, left).or_else(|| (self.by_heart)(game))
    }

    /// The exact value of any position.
    fn value(&mut self, game: &G) -> Option<Value> {
        let left = plies_left(game);
        if let Some(value) = self.at_a_glance(game, left) {
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
            let bound = self.ask(game, left, asked)?;
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
    fn value_of_move(&mut self, game: &G, m: G::Move, hoped: Value) -> Option<Value> {
        let next = game.after(m);
        let left = plies_left(&next);
        match self.at_a_glance(&next, left) {
            Some(value) => Some(-value),
            None => Some(-self.ask(&next, left, -hoped)?),
        }
    }

    /// A move worth `value`, which is what the position is worth.
    fn move_that_keeps(&mut self, game: &G, value: Value) -> Option<G::Move> {
        // What is known without a search comes first.
        let (mut moves, unknown): (Vec<_>, Vec<_>) = game.moves().partition(|&m| {
            let next = game.after(m);
            self.at_a_glance(&next, plies_left(&next)).is_some()
        });
        moves.extend(unknown);
        for m in moves {
            if self.value_of_move(game, m, value)? >= value {
                return Some(m);
            }
        }
        None
    }

    /// Best play from a position of this value to the end.
    fn line(&mut self, game: &G, mut value: Value) -> Option<Vec<G::Move>> {
        let mut line = Vec::new();
        let mut at = game.clone();
        while at.outcome().is_none() {
            let m = self.move_that_keeps(&at, value)?;
            line.push(m);
            at.play_unchecked(m);
            value = -value;
        }
        Some(line)
    }

    /// Answers whether a position is worth more than `asked`: if so, with a
    /// value it is at least worth, otherwise with one it is at most worth.
    ///
    /// The side to move must not be able to win at once.
    fn ask(&mut self, game: &G, left: Value, asked: Value) -> Option<Value> {
        let effort_before = self.effort;
        loop {
            let room = if self.table.can_grow() {
                self.table.slots().saturating_sub(self.stored)
            } else {
                usize::MAX
            };
            let effort = self.effort - effort_before;
            let threads = self.threads.get();
            let outcome = if threads > 1 && effort >= EASY {
                self.ask_together(game, left, asked, room)
            } else {
                let patience = if threads > 1 {
                    EASY - effort
                } else {
                    usize::MAX
                };
                self.ask_alone(game, left, asked, room.min(patience))
            };
            match outcome {
                Ok(bound) => return Some(bound),
                Err(Pause::Spent) => return None,
                Err(Pause::Full | Pause::Settled | Pause::Overtaken) => {}
            }
            if self.table.can_grow() && self.stored >= self.table.slots() {
                // Written to as often as it has slots, it begins to forget.
                self.table.grow();
                self.stored = 0;
            }
        }
    }

    fn ask_alone(
        &mut self,
        game: &G,
        left: Value,
        asked: Value,
        room: usize,
    ) -> Result<Value, Pause> {
        let mut question = Question::new(self.table, self.meter.clone(), room, None);
        let outcome = question.compare(game, left, asked);
        self.stored += room - question.room;
        self.effort += room - question.room;
        self.meter = question.meter;
        outcome
    }

    /// All threads look for the answer to the same question, each mostly where
    /// the others are not, until the first has it.
    fn ask_together(
        &mut self,
        game: &G,
        left: Value,
        asked: Value,
        room: usize,
    ) -> Result<Value, Pause> {
        let crowd = Crowd::new();
        let room = room.div_ceil(self.threads.get());
        let work = |meter| {
            let mut question = Question::new(&*self.table, meter, room, Some(&crowd));
            let outcome = question.compare(game, left, asked);
            crowd.end();
            (outcome, question.meter.nodes(), room - question.room)
        };
        let share = self.meter.share(self.threads);
        let (others, own) = std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads.get())
                // Where no thread is to be had, the others do its part.
                .filter_map(|_| {
                    let share = share.clone();
                    std::thread::Builder::new()
                        .spawn_scoped(scope, || work(share))
                        .ok()
                })
                .collect();
            let own = work(share);
            let others: Vec<_> = others
                .into_iter()
                .filter_map(|thread| thread.join().ok())
                .collect();
            (others, own)
        });
        let mut outcome = Err(Pause::Settled);
        for (found, nodes, stored) in others.into_iter().chain([own]) {
            self.meter.count(nodes);
            self.stored += stored;
            self.effort += stored;
            outcome = match (outcome, found) {
                (Ok(bound), _) | (_, Ok(bound)) => Ok(bound),
                (Err(Pause::Spent), _) | (_, Err(Pause::Spent)) => Err(Pause::Spent),
                (Err(Pause::Full), _) | (_, Err(Pause::Full)) => Err(Pause::Full),
                (Err(_), Err(_)) => Err(Pause::Settled),
            };
        }
        self.meter.poll();
        outcome
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

/// The value of a position from which best play leads to this end in so many
/// plies: the reverse of [`score`].
fn value_of_end<G: Tactics>(game: &G, outcome: Outcome, plies: u32) -> Value {
    let value = (plies_left(game) + 2 - plies as Value) / 2;
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(side) if side == game.to_move() => value,
        Outcome::Win(_) => -value,
    }
}
