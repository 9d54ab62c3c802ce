use std::collections::HashSet;
use std::ops::Range;

use super::answer::{self, AnswerError, TaskAnswer};
use super::registry::WorkerRegistry;
use super::task::{Task, TaskId};
use crate::{GameBatch, SelfPlayGame, WorkerStats};

/// The tasks of an iteration and their games.
#[derive(Debug)]
pub(super) struct TaskTracker {
    run: u64,
    iteration: u32,
    tasks: Vec<TrackedTask>,
    /// How many workers were banned in this iteration.
    banned: u32,
}

#[derive(Debug)]
struct TrackedTask {
    numbers: Range<u64>,
    attempt: u32,
    state: TaskState,
}

#[derive(Debug)]
enum TaskState {
    Open,
    /// A worker has returned these games.
    Answered {
        worker: String,
        games: Vec<SelfPlayGame>,
        verification: Verification,
    },
    /// The games were played here.
    PlayedHere(Vec<SelfPlayGame>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verification {
    Skipped,
    Pending,
    Passed,
}

/// What became of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AnswerOutcome {
    /// It is late or a duplicate, or its worker is banned.
    Ignored,
    /// It is accepted; `verify` tells whether its games are to be played again.
    Accepted { verify: bool },
    /// Its games are invalid.
    Invalid(InvalidResult),
}

/// A worker has returned games that are illegal, or that the network doesn't play. It is
/// banned.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidResult {
    pub(super) worker: String,
    pub(super) cause: String,
    /// Games of this worker that earlier iterations used without verification.
    pub(super) unverified: u64,
    /// The tasks to publish again.
    pub(super) reopened: Vec<TaskId>,
}

impl TaskTracker {
    pub(super) fn new(run: u64, iteration: u32, numbers: Range<u64>) -> Self {
        let task = |numbers| TrackedTask {
            numbers,
            attempt: 0,
            state: TaskState::Open,
        };
        Self {
            run,
            iteration,
            tasks: Task::split(numbers).into_iter().map(task).collect(),
            banned: 0,
        }
    }

    /// All tasks in their current attempts.
    pub(super) fn ids(&self) -> Vec<TaskId> {
        (0..self.tasks.len()).map(|index| self.id(index)).collect()
    }

    fn id(&self, index: usize) -> TaskId {
        TaskId {
            run: self.run,
            iteration: self.iteration,
            index: index as u32,
            attempt: self.tasks[index].attempt,
        }
    }

    /// The numbers of a task's games.
    pub(super) fn numbers(&self, index: usize) -> Range<u64> {
        self.tasks[index].numbers.clone()
    }

    /// The tasks without games.
    pub(super) fn open(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.indices(|state| matches!(state, TaskState::Open))
    }

    /// The answered tasks that are still to be verified.
    pub(super) fn to_verify(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.indices(|state| {
            matches!(
                state,
                TaskState::Answered {
                    verification: Verification::Pending,
                    ..
                }
            )
        })
    }

    fn indices(
        &self,
        has_state: impl Fn(&TaskState) -> bool,
    ) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.tasks.len()).filter(move |&index| has_state(&self.tasks[index].state))
    }

    pub(super) fn is_done(&self) -> bool {
        self.open().chain(self.to_verify()).next().is_none()
    }

    /// Whether this attempt of a task is open.
    pub(super) fn is_open(&self, id: TaskId) -> bool {
        let index = id.index as usize;
        index < self.tasks.len()
            && id == self.id(index)
            && matches!(self.tasks[index].state, TaskState::Open)
    }

    /// Starts another attempt of an open task whose current one was consumed by a banned
    /// worker.
    pub(super) fn retry(&mut self, id: TaskId) -> Option<TaskId> {
        if !self.is_open(id) {
            return None;
        }
        let index = id.index as usize;
        self.tasks[index].attempt += 1;
        Some(self.id(index))
    }

    /// Handles a worker's answer. `read` checks the bytes for that many games; `sample`
    /// decides whether to verify an answer that isn't the worker's first.
    pub(super) fn handle_answer(
        &mut self,
        answer: TaskAnswer,
        registry: &mut WorkerRegistry,
        read: impl FnOnce(&[u8], usize) -> Result<Vec<SelfPlayGame>, AnswerError>,
        sample: impl FnOnce() -> bool,
    ) -> AnswerOutcome {
        let (id, worker) = (answer.task, answer.worker);
        if !self.is_open(id) || !registry.admits(&worker) {
            return AnswerOutcome::Ignored;
        }
        let task = &mut self.tasks[id.index as usize];
        let count = task.numbers.end - task.numbers.start;
        let games = match read(&answer.bytes, count as usize) {
            Ok(games) => games,
            Err(error) => {
                let Some(mut invalid) = self.ban(worker, error.to_string(), registry) else {
                    return AnswerOutcome::Ignored;
                };
                invalid.reopened.extend(self.retry(id));
                return AnswerOutcome::Invalid(invalid);
            }
        };
        let verify = registry.is_first_answer(&worker) || sample();
        task.state = TaskState::Answered {
            worker,
            games,
            verification: if verify {
                Verification::Pending
            } else {
                Verification::Skipped
            },
        };
        AnswerOutcome::Accepted { verify }
    }

    /// Records the games of a task that was played here, and verifies its answer.
    pub(super) fn record_played_here(
        &mut self,
        index: usize,
        games: Vec<SelfPlayGame>,
        registry: &mut WorkerRegistry,
    ) -> Option<InvalidResult> {
        let state = &mut self.tasks[index].state;
        match state {
            TaskState::PlayedHere(_) => {}
            TaskState::Open => *state = TaskState::PlayedHere(games),
            TaskState::Answered {
                games: answered,
                verification,
                ..
            } if answer::bytes(answered) == answer::bytes(&games) => {
                *verification = Verification::Passed;
            }
            TaskState::Answered { worker, .. } => {
                let worker = core::mem::take(worker);
                *state = TaskState::PlayedHere(games);
                let cause = format!(
                    "its games of task {} of iteration {} don't match the network's",
                    index + 1,
                    self.iteration + 1
                );
                return self.ban(worker, cause, registry);
            }
        }
        None
    }

    /// Bans a worker and discards its unverified games. `None` if it was banned before.
    fn ban(
        &mut self,
        worker: String,
        cause: String,
        registry: &mut WorkerRegistry,
    ) -> Option<InvalidResult> {
        let unverified = registry.ban(&worker)?;
        self.banned += 1;
        let mut reopened = Vec::new();
        for index in 0..self.tasks.len() {
            let task = &mut self.tasks[index];
            if let TaskState::Answered {
                worker: by,
                verification,
                ..
            } = &task.state
                && *by == worker
                && *verification != Verification::Passed
            {
                task.state = TaskState::Open;
                task.attempt += 1;
                reopened.push(self.id(index));
            }
        }
        Some(InvalidResult {
            worker,
            cause,
            unverified,
            reopened,
        })
    }

    /// What workers have contributed so far.
    pub(super) fn stats(&self) -> WorkerStats {
        let mut stats = WorkerStats {
            banned: self.banned,
            ..WorkerStats::default()
        };
        let mut workers = HashSet::new();
        for task in &self.tasks {
            if let TaskState::Answered {
                worker,
                games,
                verification,
            } = &task.state
            {
                workers.insert(worker);
                stats.games += games.len() as u64;
                if *verification == Verification::Passed {
                    stats.verified += games.len() as u64;
                }
            }
        }
        stats.workers = workers.len() as u32;
        stats
    }

    /// All games, once [all tasks are done](Self::is_done).
    pub(super) fn into_batch(self, registry: &mut WorkerRegistry) -> GameBatch {
        let worker_stats = Some(self.stats());
        let mut all = Vec::new();
        for task in self.tasks {
            match task.state {
                TaskState::Open => {}
                TaskState::PlayedHere(games) => all.extend(games),
                TaskState::Answered {
                    worker,
                    games,
                    verification,
                } => {
                    if verification != Verification::Passed {
                        registry.add_unverified(&worker, games.len() as u64);
                    }
                    all.extend(games);
                }
            }
        }
        GameBatch {
            games: all,
            worker_stats,
        }
    }
}
