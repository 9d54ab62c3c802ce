use core::fmt;
use std::collections::HashMap;

use open_ttt_lib::rules::IndexedMoves;
use serde::{Deserialize, Serialize};

use super::task::{TaskId, Unreadable, VERSION, versioned};
use crate::{BadRecord, Record};

/// More bytes no answer has: games of the largest boards take a third of a megabyte.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// More bytes are not kept of answers that have not come to their end.
const MOST_UNFINISHED: usize = 256 << 20;

/// More answers are not begun at the same time.
const MOST_BEGUN: usize = 4096;

/// More parts no answer has.
const MOST_PARTS: u32 = 1 << 16;

/// The first line of a message is not longer, in bytes.
pub(super) const HEADER: usize = 512;

/// How long a worker's name is at most.
const LONGEST_NAME: usize = 64;

/// What stands in the first line of a message; what follows is a part of the games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: String,
    task: TaskId,
    worker: String,
    /// Counted from 0.
    part: u32,
    parts: u32,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) task: TaskId,
    pub(super) worker: String,
    number: u32,
    parts: u32,
    bytes: &'a [u8],
}

/// What a worker gives for a task: games, if one believes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) task: TaskId,
    pub(super) worker: String,
    pub(super) bytes: Vec<u8>,
}

/// An answer is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BadAnswer {
    /// It has not as many games as were asked for.
    Count,
    /// The game with this number in the task, from 1, is none.
    Game(usize, BadRecord),
    /// More moves of this game were drawn by chance than are to be.
    Opening(usize),
}

/// Answers of which parts have come.
#[derive(Debug, Default)]
pub(super) struct Parts {
    begun: HashMap<(String, TaskId), (u32, Vec<u8>)>,
    bytes: usize,
}

/// Whether somebody can be called so: one word of a subject.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(allowed)
}

/// Games as bytes.
pub(super) fn bytes(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records {
        record.write(&mut bytes);
    }
    bytes
}

/// An answer as messages of at most so many bytes, each with the word that tells it
/// from all others.
///
/// The worker's name is in it: if it were the task's alone, a lie that came first
/// would keep the truth out, and the parts of two workers would mix.
pub(super) fn messages(
    task: TaskId,
    worker: &str,
    records: &[Record],
    longest: usize,
) -> Vec<(String, Vec<u8>)> {
    let all = bytes(records);
    let room = longest.saturating_sub(HEADER).max(1);
    let chunks: Vec<_> = all.chunks(room).collect();
    let parts = chunks.len() as u32;
    let message = |(number, chunk): (u32, &[u8])| {
        let header = Header {
            version: VERSION.to_owned(),
            task,
            worker: worker.to_owned(),
            part: number,
            parts,
        };
        let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(chunk);
        (format!("{task}.{worker}.{number}"), bytes)
    };
    (0..).zip(chunks).map(message).collect()
}

impl<'a> Part<'a> {
    /// Reads a message.
    pub(super) fn read(message: &'a [u8]) -> Result<Self, Unreadable> {
        let end = message.iter().take(HEADER).position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| Unreadable::garbage("it has no first line"))?;
        let header: Header = versioned(&message[..end])?;
        let bytes = &message[end + 1..];
        let fits = header.part < header.parts && header.parts <= MOST_PARTS;
        if !is_name(&header.worker) || !fits || bytes.len() > MOST_BYTES {
            return Err(Unreadable::garbage("its first line says what cannot be"));
        }
        Ok(Self {
            task: header.task,
            worker: header.worker,
            number: header.part,
            parts: header.parts,
            bytes,
        })
    }
}

impl Parts {
    /// Adds a part to those that have come; the answer, if it was the last. They
    /// come in order, or begin again from the first.
    pub(super) fn add(&mut self, part: Part<'_>) -> Option<Answer> {
        let key = (part.worker, part.task);
        let begun = self.begun.remove(&key);
        self.bytes -= begun.as_ref().map_or(0, |(_, bytes)| bytes.len());
        let (next, mut bytes) = match begun {
            Some(begun) if part.number > 0 => begun,
            _ => (0, Vec::new()),
        };
        let length = bytes.len() + part.bytes.len();
        if next != part.number || length > MOST_BYTES {
            return None;
        }
        if self.bytes + length > MOST_UNFINISHED || self.begun.len() >= MOST_BEGUN {
            // Honest workers are few and come to an end. Theirs is played again.
            self.clear();
        }
        bytes.extend(part.bytes);
        if part.number + 1 < part.parts {
            self.bytes += bytes.len();
            self.begun.insert(key, (next + 1, bytes));
            return None;
        }
        let (worker, task) = key;
        Some(Answer {
            task,
            worker,
            bytes,
        })
    }

    /// How many bytes are kept.
    #[cfg(test)]
    pub(super) const fn held(&self) -> usize {
        self.bytes
    }

    /// How many answers are begun.
    #[cfg(test)]
    pub(super) fn begun(&self) -> usize {
        self.begun.len()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// The games in these bytes, if they are as many games as were asked for, from this
/// position, with at most so many moves drawn by chance.
pub(super) fn read<G: IndexedMoves>(
    mut bytes: &[u8],
    games: usize,
    start: &G,
    random_plies: usize,
) -> Result<Vec<Record>, BadAnswer> {
    let mut records = Vec::with_capacity(games);
    for number in 1..=games {
        if bytes.is_empty() {
            return Err(BadAnswer::Count);
        }
        let bad = |error| BadAnswer::Game(number, error);
        let record = Record::read(&mut bytes).map_err(bad)?;
        if record.opening > random_plies {
            return Err(BadAnswer::Opening(number));
        }
        record.replay(start, |_, _, _| {}).map_err(bad)?;
        records.push(record);
    }
    if bytes.is_empty() {
        Ok(records)
    } else {
        Err(BadAnswer::Count)
    }
}

impl fmt::Display for BadAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count => f.write_str("it gave more games than were asked for, or fewer"),
            Self::Game(number, error) => write!(f, "game {number} of its answer is none: {error}"),
            Self::Opening(number) => {
                write!(f, "game {number} of its answer begins with too many moves")
            }
        }
    }
}
