use core::any::Any;
use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use open_ttt_coach::{Hint, PositionValues, Review, hint, review};
use open_ttt_lib::rules::{Drawing, History, Notation, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};

use crate::clock;
use crate::judge_factory::BoxedJudge;

/// How long a position is searched at most: long enough to prove most, and a person who
/// left the terminal costs no more.
const POSITION_TIME: Duration = Duration::from_secs(2);

/// How long a whole game is searched at most.
const GAME_TIME: Duration = Duration::from_secs(4);

/// A judge on a thread of its own, which sleeps unless it has a task. It has one at a time.
///
/// Dropping it stops the search and joins the thread.
#[derive(Debug)]
pub(crate) struct JudgeThread<G: TwoPlayerGame> {
    /// `drop` takes it, which ends the thread's loop.
    tasks: Option<Sender<Task<G>>>,
    findings: Receiver<(u64, Finding<G::Move>)>,
    thread: Option<JoinHandle<()>>,
    /// The number of the latest task.
    number: u64,
    /// The flag that stops the latest task; `None` if it has ended.
    running: Option<StopFlag>,
}

/// What the judge has found.
#[derive(Clone, Debug)]
pub(crate) enum Finding<M> {
    /// Better values of the position; more will follow.
    Values(PositionValues<M>),
    /// The last values of the position, and the hint that they give.
    Judged(PositionValues<M>, Option<Hint<M>>),
    /// So many moves of the game are judged.
    Progress(usize),
    /// The whole game is judged.
    Reviewed(Review<M>),
}

#[derive(Debug)]
struct Task<G: TwoPlayerGame> {
    number: u64,
    work: Work,
    game: History<G>,
    stop: StopFlag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Position,
    Game,
}

impl<G> JudgeThread<G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// Starts a thread for a judge.
    ///
    /// # Errors
    ///
    /// If the operating system cannot start a thread.
    pub(crate) fn new(judge: BoxedJudge<G>) -> io::Result<Self> {
        let (tasks, received) = channel();
        let (sender, findings) = channel();
        let thread = Builder::new().name("judge".to_owned());
        Ok(Self {
            tasks: Some(tasks),
            findings,
            thread: Some(thread.spawn(move || run(judge, received, &sender))?),
            number: 0,
            running: None,
        })
    }

    /// Judges the current position of this game, in place of what is being judged.
    pub(crate) fn judge(&mut self, game: History<G>) {
        self.start(Work::Position, game);
    }

    /// Judges every move of this game, in place of what is being judged.
    pub(crate) fn review(&mut self, game: History<G>) {
        self.start(Work::Game, game);
    }

    fn start(&mut self, work: Work, game: History<G>) {
        self.cancel();
        self.number += 1;
        let stop = StopFlag::new();
        let task = Task {
            number: self.number,
            work,
            game,
            stop: stop.clone(),
        };
        if let Some(tasks) = &self.tasks {
            // Without a thread, `poll` returns the error.
            let _ = tasks.send(task);
        }
        self.running = Some(stop);
    }

    /// The next finding about the latest task, if there is one.
    ///
    /// # Errors
    ///
    /// The judge's message if it has panicked.
    pub(crate) fn poll(&mut self) -> Result<Option<Finding<G::Move>>, String> {
        loop {
            match self.findings.try_recv() {
                // What was found about an earlier task is of no use any more.
                Ok((number, _)) if number != self.number || self.running.is_none() => {}
                Ok((_, finding)) => {
                    if matches!(finding, Finding::Judged(..) | Finding::Reviewed(_)) {
                        self.running = None;
                    }
                    return Ok(Some(finding));
                }
                Err(TryRecvError::Empty) => return Ok(None),
                Err(TryRecvError::Disconnected) => {
                    self.cancel();
                    let panicked = self.thread.take().and_then(|thread| thread.join().err());
                    return Err(panicked.map_or_else(
                        || "the judge has ended".to_owned(),
                        |payload| panic_message(&*payload),
                    ));
                }
            }
        }
    }
}

impl<G: TwoPlayerGame> JudgeThread<G> {
    /// Whether more is to be found about the latest task.
    pub(crate) const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Stops the search.
    pub(crate) fn cancel(&mut self) {
        if let Some(stop) = self.running.take() {
            stop.raise();
        }
    }
}

impl<G: TwoPlayerGame> Drop for JudgeThread<G> {
    fn drop(&mut self) {
        self.cancel();
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // Nobody wants to know of a panic any more.
            let _ = thread.join();
        }
    }
}

/// The thread's loop: does its tasks until their sender is dropped.
fn run<G: Notation + Drawing>(
    mut judge: BoxedJudge<G>,
    tasks: Receiver<Task<G>>,
    findings: &Sender<(u64, Finding<G::Move>)>,
) {
    for task in tasks {
        if task.stop.is_raised() {
            continue;
        }
        let send = |finding| {
            // The receiver is gone if the screen has been left.
            let _ = findings.send((task.number, finding));
        };
        let last = match task.work {
            Work::Position => {
                let turn = Turn::of(&task.game).with_stop(task.stop.clone());
                let budget = Budget::time(POSITION_TIME, clock());
                let mut report = |values: &PositionValues<_>| send(Finding::Values(values.clone()));
                let values = judge.judge(&turn, &budget, &mut report);
                if task.stop.is_raised() {
                    continue;
                }
                let hint = hint(task.game.position(), &values);
                Finding::Judged(values, hint)
            }
            Work::Game => {
                let budget = Budget::time(GAME_TIME, clock());
                let progress = |judged| send(Finding::Progress(judged));
                let reviewed = review(&task.game, &mut judge, &budget, &task.stop, progress);
                Finding::Reviewed(reviewed)
            }
        };
        send(last);
    }
}

/// The message of a panic.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
