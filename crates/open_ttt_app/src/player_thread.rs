//! A computer player on a thread of its own, with pondering.

use std::collections::HashSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use open_ttt_lib::rules::{History, TwoPlayerGame};
use open_ttt_players::{GameEnd, Player, Turn, request_move};
use open_ttt_search::StopFlag;
use thiserror::Error;

use crate::BoxedPlayer;
use crate::judge_thread::panic_message;

/// The result of a player's turn: a legal move, or the end of the game.
pub type TurnResult<M> = Result<M, GameEnd<M>>;

/// What the thread answers: the result, unless the player has failed.
type Answer<M> = Result<TurnResult<M>, PlayerThreadError>;

/// How long a player ponders if nothing else is set.
const PONDER_LIMIT: Duration = Duration::from_secs(10);

/// How long it ponders at most.
const MAX_PONDERING: Duration = Duration::from_hours(24);

/// A computer player on a thread of its own.
///
/// [`start`](Self::start) starts a search for the player's move, and
/// [`wait`](Self::wait) returns its result. While the opponent is to move,
/// [`ponder`](Self::ponder) calls [`Player::ponder`]. If the player does not
/// implement it, the thread searches the positions after each possible reply
/// instead: a finished search is then returned at once, and a running search for
/// the right reply is continued. Searches for other replies are stopped through
/// their [`StopFlag`] and their results discarded.
///
/// The player therefore gets turns in positions that never occur in the game,
/// which matters to a player with state.
///
/// Dropping the thread stops its search and joins it, which takes as long as the
/// player takes to see the flag.
///
/// ```
/// use std::time::Duration;
///
/// use open_ttt_app::player_thread::PlayerThread;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{History, TwoPlayerGame};
/// use open_ttt_players::MonteCarlo;
///
/// let mut game = History::new(TicTacToe::new());
/// let mut player = PlayerThread::new(Box::new(MonteCarlo::default()))?;
/// player.ponder(&game);
/// game.play_text("b2")?;
/// let result = player.wait(&game, Duration::from_millis(100), |elapsed| drop(elapsed))?;
/// assert!(result.is_ok_and(|m| game.position().check(m).is_ok()));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PlayerThread<G: TwoPlayerGame> {
    name: String,
    /// `drop` takes it, which ends the thread's loop.
    commands: Option<Sender<ThreadCommand<G>>>,
    thread: Option<JoinHandle<()>>,
    /// The search of the opponent's position, while it may run, and the end of its timer.
    pondering: Option<(SearchTask<G>, Sender<()>)>,
    /// How long the player ponders.
    ponder_limit: Duration,
    /// The searches of the positions after the opponent's replies.
    replies: Vec<SearchTask<G>>,
    /// The turn whose result is wanted.
    pending: Option<PendingTurn<G>>,
}

/// A game whose position to search, and the flag that stops the search.
#[derive(Clone, Debug)]
struct SearchTask<G: TwoPlayerGame> {
    game: History<G>,
    stop: StopFlag,
}

#[derive(Debug)]
struct PendingTurn<G: TwoPlayerGame> {
    task: SearchTask<G>,
    result: Receiver<Answer<G::Move>>,
    started: Instant,
}

enum ThreadCommand<G: TwoPlayerGame> {
    Ponder {
        pondering: SearchTask<G>,
        replies: Vec<SearchTask<G>>,
        deadline: Instant,
    },
    TakeTurn {
        task: SearchTask<G>,
        result: Sender<Answer<G::Move>>,
    },
}

impl<G> PlayerThread<G>
where
    G: TwoPlayerGame + Send + 'static,
    G::Move: Send,
{
    /// Starts a thread for a player.
    ///
    /// # Errors
    ///
    /// If the operating system cannot start a thread.
    pub fn new(player: BoxedPlayer<G>) -> io::Result<Self> {
        let name = player.player_name().to_owned();
        let (commands, received) = channel();
        let thread = Builder::new().name(name.replace('\0', ""));
        Ok(Self {
            name,
            commands: Some(commands),
            thread: Some(thread.spawn(move || run(player, received))?),
            pondering: None,
            ponder_limit: PONDER_LIMIT,
            replies: Vec::new(),
            pending: None,
        })
    }

    /// Sets how long the player ponders while the opponent is to move; 10 seconds by
    /// default, and a day at most. More is of little use, and a person may have left the
    /// terminal.
    pub const fn ponder_limit(mut self, limit: Duration) -> Self {
        self.ponder_limit = limit;
        self
    }

    /// The player's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts the player's turn in the position of this game.
    pub fn start(&mut self, game: &History<G>) {
        let pending = self.pending.as_ref();
        if pending.is_some_and(|pending| pending.task.is_for(game)) {
            return;
        }
        // A running search of this position continues; all others stop.
        let reply = self.replies.iter().position(|task| task.is_for(game));
        let task = reply.map(|index| self.replies.remove(index));
        self.cancel();
        let task = task.unwrap_or_else(|| SearchTask::new(game.clone()));
        let (sender, result) = channel();
        self.send(ThreadCommand::TakeTurn {
            task: task.clone(),
            result: sender,
        });
        self.pending = Some(PendingTurn {
            task,
            result,
            started: Instant::now(),
        });
    }

    /// Uses the time of the opponent, who is to move in `game`, until the next
    /// [`start`](Self::start), `ponder` or [`cancel`](Self::cancel), and no longer than the
    /// [limit](Self::ponder_limit); a search of the position after a reply that has begun
    /// by then goes on to its end.
    pub fn ponder(&mut self, game: &History<G>) {
        self.cancel();
        let opponent = game.position().to_move();
        let mut seen = HashSet::new();
        self.replies = game
            .position()
            .moves()
            .map(|reply| {
                let mut next = game.clone();
                next.play_unchecked(reply);
                next
            })
            .filter(|next| next.outcome().is_none() && next.position().to_move() != opponent)
            .filter(|next| seen.insert(next.position().clone()))
            .map(SearchTask::new)
            .collect();
        let pondering = SearchTask::new(game.clone());
        let limit = self.ponder_limit.min(MAX_PONDERING);
        self.send(ThreadCommand::Ponder {
            pondering: pondering.clone(),
            replies: self.replies.clone(),
            deadline: Instant::now() + limit,
        });
        let timer = raise_after(limit, pondering.stop.clone());
        self.pondering = Some((pondering, timer));
    }

    /// Waits for the result of the player's turn in this position, and
    /// [starts](Self::start) the turn if necessary.
    ///
    /// Calls `on_tick` each time `tick` has passed, with the time since the start
    /// of the turn.
    ///
    /// A player that returns an illegal move gets another turn, and forfeits with
    /// illegal move number
    /// [`MAX_ILLEGAL_MOVES`](open_ttt_players::MAX_ILLEGAL_MOVES).
    ///
    /// # Errors
    ///
    /// [`PlayerThreadError`] if the player has [failed](Player::failure) or panicked.
    pub fn wait(
        &mut self,
        game: &History<G>,
        tick: Duration,
        mut on_tick: impl FnMut(Duration),
    ) -> Result<TurnResult<G::Move>, PlayerThreadError> {
        loop {
            if let Some(result) = self.poll(game, tick) {
                return result;
            }
            on_tick(self.thinking_time().unwrap_or_default());
        }
    }

    /// Waits at most so long for the result of the player's turn in this position, and
    /// [starts](Self::start) the turn if necessary; `None` if the player needs more time.
    ///
    /// # Errors
    ///
    /// As for [`wait`](Self::wait).
    pub fn poll(
        &mut self,
        game: &History<G>,
        timeout: Duration,
    ) -> Option<Result<TurnResult<G::Move>, PlayerThreadError>> {
        self.start(game);
        let pending = self.pending.as_ref()?;
        match pending.result.recv_timeout(timeout) {
            Ok(result) => {
                self.pending = None;
                Some(result)
            }
            Err(RecvTimeoutError::Timeout) => None,
            // A turn that is wanted has a result unless the player panics.
            Err(RecvTimeoutError::Disconnected) => {
                self.commands = None;
                let panicked = self.thread.take().and_then(|thread| thread.join().err());
                Some(Err(panicked.map_or(PlayerThreadError::Ended, |payload| {
                    PlayerThreadError::Panicked(panic_message(&*payload))
                })))
            }
        }
    }
}

impl<G: TwoPlayerGame> PlayerThread<G> {
    /// For how long the player has been thinking about its turn; `None` if it isn't its
    /// turn.
    pub fn thinking_time(&self) -> Option<Duration> {
        self.pending
            .as_ref()
            .map(|pending| pending.started.elapsed())
    }

    /// Stops all searches.
    pub fn cancel(&mut self) {
        let turn = self.pending.take().map(|pending| pending.task);
        let pondering = self.pondering.take().map(|(task, _)| task);
        // The last first: the thread would begin the next one when one of them stops.
        let replies = self.replies.drain(..).rev();
        for task in replies.chain(pondering).chain(turn) {
            task.stop.raise();
        }
    }

    /// If the thread has ended, `wait` returns the error.
    fn send(&self, command: ThreadCommand<G>) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(command);
        }
    }
}

impl<G: TwoPlayerGame> Drop for PlayerThread<G> {
    fn drop(&mut self) {
        self.cancel();
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // Nobody wants to know of a panic any more.
            let _ = thread.join();
        }
    }
}

impl<G: TwoPlayerGame> SearchTask<G> {
    fn new(game: History<G>) -> Self {
        Self {
            game,
            stop: StopFlag::new(),
        }
    }

    /// Whether the player's answer would be the same in this game.
    fn is_for(&self, game: &History<G>) -> bool {
        self.game.position() == game.position() && self.game.earlier() == game.earlier()
    }

    fn turn(&self) -> Turn<'_, G> {
        Turn::of(&self.game).with_stop(self.stop.clone())
    }
}

/// Why a player's thread returns no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayerThreadError {
    /// The player has [failed](Player::failure), and says why.
    #[error("{0}")]
    Failed(String),
    /// The player panicked, with this message.
    #[error("the player panicked: {0}")]
    Panicked(String),
    /// The player panicked earlier.
    #[error("the player panicked earlier")]
    Ended,
}

/// The thread's loop: executes commands until their sender is dropped.
fn run<G: TwoPlayerGame>(mut player: BoxedPlayer<G>, commands: Receiver<ThreadCommand<G>>) {
    // The results of the latest ponder command.
    let mut finished: Vec<(SearchTask<G>, Answer<G::Move>)> = Vec::new();
    for command in commands {
        match command {
            ThreadCommand::Ponder {
                pondering,
                replies,
                deadline,
            } => {
                finished.clear();
                if pondering.stop.is_raised() || player.ponder(&pondering.turn()) {
                    continue;
                }
                for task in replies {
                    if Instant::now() >= deadline {
                        break;
                    }
                    if let Some(result) = take_turn(&mut player, &task) {
                        finished.push((task, result));
                    }
                }
            }
            ThreadCommand::TakeTurn { task, result } => {
                let known = finished
                    .drain(..)
                    .find(|(known, _)| known.is_for(&task.game));
                let found = match known {
                    Some((_, result)) => Some(result),
                    None => take_turn(&mut player, &task),
                };
                if let Some(found) = found {
                    // The receiver is gone if the turn has been cancelled.
                    let _ = result.send(found);
                }
            }
        }
    }
}

/// The result of a turn, unless the search is stopped.
fn take_turn<G: TwoPlayerGame>(
    player: &mut BoxedPlayer<G>,
    task: &SearchTask<G>,
) -> Option<Answer<G::Move>> {
    if task.stop.is_raised() {
        return None;
    }
    let result = request_move(task.turn(), player);
    if task.stop.is_raised() {
        return None;
    }
    let failure = player.failure();
    Some(match failure {
        Some(failure) => Err(PlayerThreadError::Failed(failure.to_owned())),
        None => Ok(result),
    })
}

/// Raises a flag after this time, unless the returned sender is dropped before.
fn raise_after(time: Duration, stop: StopFlag) -> Sender<()> {
    let (sender, is_over) = channel();
    let timer = Builder::new().name("ponder timer".to_owned());
    // Without a timer the player ponders until its turn.
    let _ = timer.spawn(move || {
        if is_over.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
            stop.raise();
        }
    });
    sender
}
