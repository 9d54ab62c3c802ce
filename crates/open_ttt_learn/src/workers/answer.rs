use std::collections::HashMap;

use open_ttt_lib::rules::IndexedMoves;
use serde::{Deserialize, Serialize};

use super::task::{MessageError, TaskId, VERSION, versioned};
use crate::{SelfPlayGame, SelfPlayGameError};

/// The largest answer, in bytes; games of the largest boards take a third of a megabyte.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// The memory for incomplete answers, in bytes.
const MAX_INCOMPLETE_BYTES: usize = 256 << 20;

/// The maximum number of incomplete answers.
const MAX_INCOMPLETE: usize = 4096;

/// The maximum number of parts of an answer.
const MAX_PARTS: u32 = 1 << 16;

/// The longest header line, in bytes.
pub(super) const HEADER: usize = 512;

/// The longest name of a worker or group.
const MAX_NAME: usize = 64;

/// The first line of a message; the bytes of the games follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartHeader {
    version: String,
    pub(super) task: TaskId,
    pub(super) worker: String,
    /// Counted from 0.
    part: u32,
    parts: u32,
}

/// A message: part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerPart<'a> {
    pub(super) header: PartHeader,
    bytes: &'a [u8],
}

/// A worker's answer to a task, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskAnswer {
    pub(super) task: TaskId,
    pub(super) worker: String,
    pub(super) bytes: Vec<u8>,
}

/// Malformed answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("its answer has the wrong number of games")]
    Count,
    /// Games are counted from 1.
    #[error("game {0} of its answer is invalid: {1}")]
    Game(usize, SelfPlayGameError),
    #[error("the random opening of game {0} of its answer is too long")]
    Opening(usize),
}

/// Answers of which some parts have arrived.
#[derive(Debug, Default)]
pub(super) struct IncompleteAnswers {
    answers: HashMap<(String, TaskId), (u32, Vec<u8>)>,
    bytes: usize,
}

/// Whether a worker or group can have this name: a token of a NATS subject.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(allowed)
}

/// Games as bytes.
pub(super) fn bytes(games: &[SelfPlayGame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for game in games {
        game.write(&mut bytes);
    }
    bytes
}

/// An answer as messages of at most `max_message` bytes, each with its unique ID.
///
/// The IDs contain the worker's name: otherwise the broker would drop a second worker's
/// answer as a duplicate, and mix the parts of two workers.
pub(super) fn messages(
    task: TaskId,
    worker: &str,
    games: &[SelfPlayGame],
    max_message: usize,
) -> Vec<(String, Vec<u8>)> {
    let all = bytes(games);
    let room = max_message.saturating_sub(HEADER).max(1);
    let chunks: Vec<_> = all.chunks(room).collect();
    let parts = chunks.len() as u32;
    let message = |(number, chunk): (u32, &[u8])| {
        let header = PartHeader {
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

impl<'a> AnswerPart<'a> {
    /// Reads a message.
    pub(super) fn read(message: &'a [u8]) -> Result<Self, MessageError> {
        let end = message.iter().take(HEADER).position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| MessageError::malformed("it has no header line"))?;
        let header: PartHeader = versioned(&message[..end])?;
        let bytes = &message[end + 1..];
        let fits = header.part < header.parts && header.parts <= MAX_PARTS;
        if !is_name(&header.worker) || !fits || bytes.len() > MAX_BYTES {
            return Err(MessageError::malformed("its header is out of bounds"));
        }
        Ok(Self { header, bytes })
    }
}

impl IncompleteAnswers {
    /// Adds a part, in order or again from the first one. Returns the answer once it is
    /// complete.
    pub(super) fn add(&mut self, part: AnswerPart<'_>) -> Option<TaskAnswer> {
        let (header, more) = (part.header, part.bytes);
        let key = (header.worker, header.task);
        let known = self.answers.remove(&key);
        self.bytes -= known.as_ref().map_or(0, |(_, bytes)| bytes.len());
        let (next, mut bytes) = match known {
            Some(known) if header.part > 0 => known,
            _ => (0, Vec::new()),
        };
        let length = bytes.len() + more.len();
        if next != header.part || length > MAX_BYTES {
            return None;
        }
        if self.bytes + length > MAX_INCOMPLETE_BYTES || self.answers.len() >= MAX_INCOMPLETE {
            // Only hostile workers leave that much behind. What honest ones lose is
            // played again.
            self.clear();
        }
        bytes.extend(more);
        if header.part + 1 < header.parts {
            self.bytes += bytes.len();
            self.answers.insert(key, (next + 1, bytes));
            return None;
        }
        let (worker, task) = key;
        Some(TaskAnswer {
            task,
            worker,
            bytes,
        })
    }

    /// How many bytes are held.
    #[cfg(test)]
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of incomplete answers.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Reads `count` games from this start position, with at most `random_plies` opening
/// plies each, and checks them.
pub(super) fn read<G: IndexedMoves>(
    mut bytes: &[u8],
    count: usize,
    start: &G,
    random_plies: usize,
) -> Result<Vec<SelfPlayGame>, AnswerError> {
    let mut games = Vec::with_capacity(count);
    for number in 1..=count {
        if bytes.is_empty() {
            return Err(AnswerError::Count);
        }
        let invalid = |error| AnswerError::Game(number, error);
        let game = SelfPlayGame::read(&mut bytes).map_err(invalid)?;
        if game.opening > random_plies {
            return Err(AnswerError::Opening(number));
        }
        game.replay(start, |_, _, _| {}).map_err(invalid)?;
        games.push(game);
    }
    bytes.is_empty().then_some(games).ok_or(AnswerError::Count)
}
