//! A computer player on a thread of its own, which thinks while the others do.

use core::any::Any;
use core::error::Error;
use core::fmt;
use std::collections::HashSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::{GameEnd, Player, legal_answer};
use open_ttt_search::StopFlag;

use crate::Computer;

/// What a player answers to a position: a legal move, or that it has lost.
pub type Answer<M> = Result<M, GameEnd<M>>;

/// A computer player on a thread of its own.
///
/// [`begin`](Self::begin) lets it start on its move at once, and
/// [`wait`](Self::wait) gets the answer. While the opponent is to move,
/// [`think_ahead`](Self::think_ahead) lets it [ponder](Player::ponder) in its own
/// way, which serves it whatever the reply is. A player that has none works
/// through the positions after each possible reply: an answer found that way is
/// there as soon as it is asked for, and one that is just being thought about is
/// not begun again. A thought that turns out to be about another reply is ended
/// by its [`StopFlag`], and what comes of it is thrown away.
///
/// So the player is asked about positions that never come to be played. One
/// that keeps something between its turns should expect that.
///
/// Dropping the thinker ends its thought and waits for its thread: as long as
/// the player takes to see the flag.
///
/// ```
/// use std::time::Duration;
///
/// use open_ttt_app::thinker::Thinker;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::{Decision, Player, Turn};
/// use open_ttt_lib::rules::{Notation, TwoPlayerGame};
///
/// struct Hasty;
///
/// impl<G: TwoPlayerGame> Player<G> for Hasty {
///     fn player_name(&self) -> &str {
///         "Hasty"
///     }
///     fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
///         turn.game.moves().next().map_or(Decision::Resign, Decision::Play)
///     }
/// }
///
/// let mut game = TicTacToe::new();
/// let mut thinker = Thinker::new(Box::new(Hasty))?;
/// thinker.think_ahead(&game);
/// game.play(game.parse_move("b2")?)?;
/// let answer = thinker.wait(&game, Duration::from_millis(100), |elapsed| drop(elapsed))?;
/// assert_eq!(answer, Ok(game.parse_move("a1")?));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct Thinker<G: TwoPlayerGame> {
    name: String,
    /// Taken by `drop`, so that the thread comes to the end of its orders.
    orders: Option<Sender<Order<G>>>,
    reports: Receiver<Result<Report<G::Move>, ThinkerError>>,
    thread: Option<JoinHandle<()>>,
    /// The opponent's position that it may be pondering.
    pondered: Option<Thought<G>>,
    ahead: Vec<Thought<G>>,
    asked: Option<Asked<G>>,
    tickets: u64,
}

/// A position to answer, and the flag that ends the thought about it.
#[derive(Clone)]
struct Thought<G> {
    game: G,
    stop: StopFlag,
}

/// The question that is to be answered, by its number.
struct Asked<G> {
    thought: Thought<G>,
    ticket: u64,
    since: Instant,
}

enum Order<G> {
    Ahead {
        pondered: Thought<G>,
        replies: Vec<Thought<G>>,
    },
    Answer {
        thought: Thought<G>,
        ticket: u64,
    },
}

struct Report<M> {
    answer: Answer<M>,
    ticket: u64,
}

impl<G> Thinker<G>
where
    G: TwoPlayerGame + Send + 'static,
    G::Move: Send,
{
    /// Gives a player a thread.
    ///
    /// # Errors
    ///
    /// If the operating system has no thread to give.
    pub fn new(player: Computer<G>) -> io::Result<Self> {
        let name = player.player_name().to_owned();
        let (orders, orders_there) = channel();
        let (reports_there, reports) = channel();
        let thread = Builder::new().name(name.replace('\0', "")).spawn(move || {
            let work = AssertUnwindSafe(|| work(player, &orders_there, &reports_there));
            if let Err(payload) = catch_unwind(work) {
                let error = ThinkerError::Panicked(panic_message(&*payload));
                // Nobody listens any more if the thinker has been dropped.
                let _ = reports_there.send(Err(error));
            }
        })?;
        Ok(Self {
            name,
            orders: Some(orders),
            reports,
            thread: Some(thread),
            pondered: None,
            ahead: Vec::new(),
            asked: None,
            tickets: 0,
        })
    }

    /// What the player is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lets the player begin to think about its move in this position.
    pub fn begin(&mut self, game: &G) {
        if self
            .asked
            .as_ref()
            .is_some_and(|asked| asked.thought.game == *game)
        {
            return;
        }
        self.drop_question();
        self.end_pondering();
        self.ahead.retain(|thought| {
            let wanted = thought.game == *game;
            if !wanted {
                thought.stop.raise();
            }
            wanted
        });
        // Whoever is thinking about this very position goes on.
        let thought = self
            .ahead
            .pop()
            .unwrap_or_else(|| Thought::about(game.clone()));
        self.tickets += 1;
        let ticket = self.tickets;
        self.order(Order::Answer {
            thought: thought.clone(),
            ticket,
        });
        self.asked = Some(Asked {
            thought,
            ticket,
            since: Instant::now(),
        });
    }

    /// Lets the player think about the positions that the opponent, who is to
    /// move, can bring about, until the next [`begin`](Self::begin),
    /// `think_ahead` or [`rest`](Self::rest).
    pub fn think_ahead(&mut self, game: &G) {
        self.rest();
        let opponent = game.to_move();
        let mut seen = HashSet::new();
        self.ahead = game
            .moves()
            .map(|reply| game.after(reply))
            .filter(|next| next.outcome().is_none() && next.to_move() != opponent)
            .filter(|next| seen.insert(next.clone()))
            .map(Thought::about)
            .collect();
        let pondered = Thought::about(game.clone());
        self.order(Order::Ahead {
            pondered: pondered.clone(),
            replies: self.ahead.clone(),
        });
        self.pondered = Some(pondered);
    }

    /// Ends whatever the player is thinking about.
    pub fn rest(&mut self) {
        self.drop_question();
        self.end_pondering();
        for thought in self.ahead.drain(..) {
            thought.stop.raise();
        }
    }

    /// Waits for the answer to this position, which the player
    /// [begins](Self::begin) to think about unless it has begun already.
    ///
    /// Each time `tick` has passed `on_tick` is told for how long the player
    /// has been thinking.
    ///
    /// An illegal move is not an answer: the player is asked again, and loses
    /// with the last of
    /// [`MOST_ILLEGAL_MOVES`](open_ttt_players::MOST_ILLEGAL_MOVES).
    ///
    /// # Errors
    ///
    /// [`ThinkerError`] if there will never be an answer.
    pub fn wait(
        &mut self,
        game: &G,
        tick: Duration,
        mut on_tick: impl FnMut(Duration),
    ) -> Result<Answer<G::Move>, ThinkerError> {
        self.begin(game);
        loop {
            let Some(asked) = &self.asked else {
                return Err(ThinkerError::Ended);
            };
            match self.reports.recv_timeout(tick) {
                Ok(Ok(report)) if report.ticket == asked.ticket => {
                    self.asked = None;
                    return Ok(report.answer);
                }
                // The answer to an earlier question, no longer wanted.
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => on_tick(asked.since.elapsed()),
                Err(RecvTimeoutError::Disconnected) => return Err(ThinkerError::Ended),
            }
        }
    }
}

impl<G: TwoPlayerGame> Thinker<G> {
    fn drop_question(&mut self) {
        if let Some(asked) = self.asked.take() {
            asked.thought.stop.raise();
        }
    }

    fn end_pondering(&mut self) {
        if let Some(pondered) = self.pondered.take() {
            pondered.stop.raise();
        }
    }

    /// Gives an order. If the thread has ended, `wait` will say so.
    fn order(&self, order: Order<G>) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(order);
        }
    }
}

impl<G: TwoPlayerGame> Drop for Thinker<G> {
    fn drop(&mut self) {
        self.drop_question();
        self.end_pondering();
        for thought in &self.ahead {
            thought.stop.raise();
        }
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // The thread catches what its player throws.
            let _ = thread.join();
        }
    }
}

impl<G: TwoPlayerGame> fmt::Debug for Thinker<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thinker")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<G> Thought<G> {
    fn about(game: G) -> Self {
        Self {
            game,
            stop: StopFlag::new(),
        }
    }
}

/// Why a thinker gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThinkerError {
    /// Its player panicked, with this message.
    Panicked(String),
    /// Its player panicked earlier.
    Ended,
}

impl fmt::Display for ThinkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked(message) => write!(f, "the player panicked: {message}"),
            Self::Ended => f.write_str("the player panicked earlier"),
        }
    }
}

impl Error for ThinkerError {}

/// What the thread does: one order after the other, until there are no more.
fn work<G: TwoPlayerGame>(
    mut player: Computer<G>,
    orders: &Receiver<Order<G>>,
    reports: &Sender<Result<Report<G::Move>, ThinkerError>>,
) {
    // The answers found ahead in this turn.
    let mut known: Vec<(G, Answer<G::Move>)> = Vec::new();
    for order in orders {
        match order {
            Order::Ahead { pondered, replies } => {
                known.clear();
                if pondered.stop.is_raised() || player.ponder(&pondered.game, &pondered.stop) {
                    continue;
                }
                for thought in replies {
                    if let Some(answer) = answer(&mut player, &thought) {
                        known.push((thought.game, answer));
                    }
                }
            }
            Order::Answer { thought, ticket } => {
                let found = known.iter().find(|(game, _)| *game == thought.game);
                let answer = match found {
                    Some(&(_, answer)) => Some(answer),
                    None => answer(&mut player, &thought),
                };
                known.clear();
                if let Some(answer) = answer {
                    // Nobody listens any more if the thinker is being dropped.
                    let _ = reports.send(Ok(Report { answer, ticket }));
                }
            }
        }
    }
}

/// The player's answer, unless it is no longer wanted.
fn answer<G: TwoPlayerGame>(
    player: &mut Computer<G>,
    thought: &Thought<G>,
) -> Option<Answer<G::Move>> {
    let Thought { game, stop } = thought;
    if stop.is_raised() {
        return None;
    }
    let answer = legal_answer(game, player, stop);
    (!stop.is_raised()).then_some(answer)
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
