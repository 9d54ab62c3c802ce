use std::collections::HashSet;
use std::ops::Range;

use super::answer::{self, Answer, BadAnswer};
use super::roster::Roster;
use super::task::{Task, TaskId};
use crate::{Harvest, Help, Record};

/// The tasks of an iteration, and what has been given for them.
#[derive(Debug)]
pub(super) struct Ledger {
    run: u64,
    iteration: u32,
    entries: Vec<Entry>,
    liars: u32,
}

#[derive(Debug)]
struct Entry {
    numbers: Range<u64>,
    attempt: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    Open,
    /// A worker has given these.
    Given {
        worker: String,
        records: Vec<Record>,
        check: Check,
    },
    /// They were played here.
    Known(Vec<Record>),
}

/// Whether an answer is played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Spared,
    Wanted,
    Passed,
}

/// What has become of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It comes too late, or again, or from somebody who is refused.
    Ignored,
    /// It was taken; whether it is to be played again.
    Taken { check: bool },
    /// It is none.
    Lie(Lie),
}

/// A worker has given what cannot be, or what does not come of the network.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lie {
    pub(super) worker: String,
    pub(super) cause: String,
    /// How many of its games were learned from before.
    pub(super) unchecked: u64,
    /// What is to be given out again.
    pub(super) again: Vec<TaskId>,
}

impl Ledger {
    pub(super) fn new(run: u64, iteration: u32, numbers: Range<u64>) -> Self {
        let entry = |numbers| Entry {
            numbers,
            attempt: 0,
            state: State::Open,
        };
        Self {
            run,
            iteration,
            entries: Task::split(numbers).into_iter().map(entry).collect(),
            liars: 0,
        }
    }

    /// All tasks, as they are given out at first or again.
    pub(super) fn ids(&self) -> Vec<TaskId> {
        (0..self.entries.len())
            .map(|index| self.id(index))
            .collect()
    }

    fn id(&self, index: usize) -> TaskId {
        TaskId {
            run: self.run,
            iteration: self.iteration,
            index: index as u32,
            attempt: self.entries[index].attempt,
        }
    }

    /// The games of a task.
    pub(super) fn numbers(&self, index: usize) -> Range<u64> {
        self.entries[index].numbers.clone()
    }

    /// What nobody has given yet.
    pub(super) fn open(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.those(|state| matches!(state, State::Open))
    }

    /// What is still to be played again.
    pub(super) fn to_check(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.those(|state| {
            matches!(
                state,
                State::Given {
                    check: Check::Wanted,
                    ..
                }
            )
        })
    }

    fn those(&self, are: impl Fn(&State) -> bool) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.entries.len()).filter(move |&index| are(&self.entries[index].state))
    }

    pub(super) fn is_done(&self) -> bool {
        self.open().chain(self.to_check()).next().is_none()
    }

    /// Whether an answer to this could still be of use.
    pub(super) fn expects(&self, id: TaskId) -> bool {
        let index = id.index as usize;
        index < self.entries.len()
            && id == self.id(index)
            && matches!(self.entries[index].state, State::Open)
    }

    /// How this is given out again. Somebody from whom nothing is taken has answered:
    /// nobody else will any more.
    pub(super) fn renew(&mut self, id: TaskId) -> Option<TaskId> {
        if !self.expects(id) {
            return None;
        }
        let index = id.index as usize;
        self.entries[index].attempt += 1;
        Some(self.id(index))
    }

    /// Takes an answer. `read` checks the games in it, of which there are to be so
    /// many; `sample` tells whether this one is to be played again.
    pub(super) fn hear(
        &mut self,
        answer: Answer,
        roster: &mut Roster,
        read: impl FnOnce(&[u8], usize) -> Result<Vec<Record>, BadAnswer>,
        sample: impl FnOnce() -> bool,
    ) -> Heard {
        let Answer {
            task,
            worker,
            bytes,
        } = answer;
        if !self.expects(task) || !roster.admits(&worker) {
            return Heard::Ignored;
        }
        let entry = &mut self.entries[task.index as usize];
        let games = entry.numbers.end - entry.numbers.start;
        let records = match read(&bytes, games as usize) {
            Ok(records) => records,
            Err(error) => {
                let Some(mut lie) = self.refuse(worker, error.to_string(), roster) else {
                    return Heard::Ignored;
                };
                lie.again.extend(self.renew(task));
                return Heard::Lie(lie);
            }
        };
        let check = roster.greet(&worker) || sample();
        entry.state = State::Given {
            worker,
            records,
            check: if check { Check::Wanted } else { Check::Spared },
        };
        Heard::Taken { check }
    }

    /// These are the games of a task: they were played here. If a worker has given
    /// others, it has lied.
    pub(super) fn know(
        &mut self,
        index: usize,
        records: Vec<Record>,
        roster: &mut Roster,
    ) -> Option<Lie> {
        let state = &mut self.entries[index].state;
        match state {
            State::Known(_) => None,
            State::Open => {
                *state = State::Known(records);
                None
            }
            State::Given {
                records: given,
                check,
                ..
            } if answer::bytes(given) == answer::bytes(&records) => {
                *check = Check::Passed;
                None
            }
            State::Given { worker, .. } => {
                let worker = core::mem::take(worker);
                *state = State::Known(records);
                let cause = format!(
                    "its games of task {} of iteration {} are not those that the network plays \
                     here",
                    index + 1,
                    self.iteration + 1
                );
                self.refuse(worker, cause, roster)
            }
        }
    }

    /// Throws away what a worker has given and was not found to be right. Nothing if
    /// it was refused before.
    fn refuse(&mut self, worker: String, cause: String, roster: &mut Roster) -> Option<Lie> {
        let unchecked = roster.refuse(&worker)?;
        self.liars += 1;
        let mut again = Vec::new();
        for index in 0..self.entries.len() {
            let entry = &mut self.entries[index];
            if let State::Given {
                worker: by, check, ..
            } = &entry.state
                && *by == worker
                && *check != Check::Passed
            {
                entry.state = State::Open;
                entry.attempt += 1;
                again.push(self.id(index));
            }
        }
        Some(Lie {
            worker,
            cause,
            unchecked,
            again,
        })
    }

    /// What came from others so far.
    pub(super) fn help(&self) -> Help {
        let mut help = Help {
            liars: self.liars,
            ..Help::default()
        };
        let mut workers = HashSet::new();
        for entry in &self.entries {
            if let State::Given {
                worker,
                records,
                check,
            } = &entry.state
            {
                workers.insert(worker);
                help.games += records.len() as u64;
                if *check == Check::Passed {
                    help.checked += records.len() as u64;
                }
            }
        }
        help.workers = workers.len() as u32;
        help
    }

    /// All games, once [it is done](Self::is_done).
    pub(super) fn harvest(self, roster: &mut Roster) -> Harvest {
        let help = Some(self.help());
        let mut all = Vec::new();
        for entry in self.entries {
            match entry.state {
                State::Open => {}
                State::Known(records) => all.extend(records),
                State::Given {
                    worker,
                    records,
                    check,
                } => {
                    if check != Check::Passed {
                        roster.believe(&worker, records.len() as u64);
                    }
                    all.extend(records);
                }
            }
        }
        Harvest { records: all, help }
    }
}
