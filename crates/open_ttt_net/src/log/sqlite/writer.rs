use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use tokio::sync::oneshot;

use super::file::INDEX;
use super::{Queue, Watchers};
use crate::MatchId;
use crate::log::{AppendError, LogError};
use crate::replication::Sequence;

/// The most writes that are made durable together.
const GROUP: usize = 4096;

/// How long a group may wait for those who wrote to the one before it. They come
/// soon: who is told of a move answers it. What one group saves is a dozen calls to
/// the system and a wait for the disk, which takes as long.
const GATHER: Duration = Duration::from_millis(4);

/// What is to be written, and who wants to know what became of it.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) what: What,
    pub(super) answer: oneshot::Sender<Result<(), AppendError>>,
}

#[derive(Debug)]
pub(super) enum What {
    Append {
        id: MatchId,
        last: Sequence,
        entry: Bytes,
    },
    Post {
        id: MatchId,
        notice: Option<Bytes>,
    },
    /// As much as some of the longest entries, and gone again.
    Probe,
}

/// The one who writes: groups of writes, each group in one transaction.
pub(super) struct Writer {
    connection: Connection,
    /// The number of the notice put up last.
    posted: i64,
    /// How far matches go that were written to lately.
    ends: HashMap<MatchId, End>,
    tail: Tail,
    /// Once it is unclear what the disk holds, nothing more is written.
    broken: Option<LogError>,
}

/// Where a match ends: its number in the file, and that of its last entry.
#[derive(Clone, Copy, Debug)]
struct End {
    number: i64,
    last: i64,
}

/// So many ends are remembered.
const ENDS: usize = 65_536;

/// The entries behind the index.
#[derive(Debug, Default)]
struct Tail {
    entries: usize,
    /// The last of each match, by its number in the file.
    last: HashMap<i64, i64>,
}

/// So many entries are indexed at once: the more, the cheaper each; the fewer,
/// the shorter the others wait meanwhile, and the sooner a reader has looked
/// through those that are not.
const TAIL: usize = 2048;

const NUMBER: &str = "SELECT number FROM matches WHERE match = ?1";

const LAST: &str = "SELECT coalesce(max(sequence), 0) FROM places WHERE match = ?1";

/// Numbered in the order they begin, so that those that are played at the same
/// time are neighbours in the index.
const BEGIN: &str = "INSERT INTO matches (match) VALUES (?1)";

const APPEND: &str = "INSERT INTO entries (match, sequence, entry) VALUES (?1, ?2, ?3)";

const POST: &str = "
    INSERT INTO notices (match, posted, notice) VALUES (?1, ?2, ?3)
    ON CONFLICT (match) DO UPDATE
    SET posted = excluded.posted, notice = excluded.notice";

const TAKE_DOWN: &str = "DELETE FROM notices WHERE match = ?1";

impl Writer {
    pub(super) fn new(connection: Connection) -> rusqlite::Result<Self> {
        let posted = "SELECT coalesce(max(posted), 0) FROM notices";
        let posted = connection.query_row(posted, (), |row| row.get(0))?;
        Ok(Self {
            connection,
            posted,
            ends: HashMap::new(),
            tail: Tail::default(),
            broken: None,
        })
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self, queue: &Queue<Write>, watchers: &Watchers) {
        let mut before = 0;
        loop {
            // Not for all of them, for some have left; nor does one wait for itself.
            queue.gather(before * 9 / 10, GATHER);
            let group = queue.take(GROUP);
            before = group.len();
            if group.is_empty() {
                return;
            }
            match self.store(&group) {
                Ok(stored) => {
                    let appended = group.iter().zip(&stored).filter(|(_, stored)| **stored);
                    watchers.tell(appended.filter_map(|(write, _)| write.what.appended()));
                    for (write, stored) in group.into_iter().zip(stored) {
                        write.tell(if stored {
                            Ok(())
                        } else {
                            Err(AppendError::Conflict)
                        });
                    }
                }
                Err(error) => {
                    // Also those with a conflict: what they had it with is not
                    // there either.
                    for write in group {
                        write.tell(Err(error.clone()));
                    }
                }
            }
        }
    }

    /// Which of them are stored now; the others have a conflict.
    fn store(&mut self, group: &[Write]) -> Result<Vec<bool>, AppendError> {
        if let Some(broken) = &self.broken {
            return Err(AppendError::Refused(broken.clone()));
        }
        let written = self.write(group);
        let committed = match &written {
            Ok(_) => self.connection.execute_batch("COMMIT"),
            Err(_) => Ok(()),
        };
        if let Err(error) = &committed
            && error.sqlite_error_code() != Some(ErrorCode::DiskFull)
        {
            // Another try might succeed on what the system has forgotten to
            // write, so this is the end of it.
            let cause = LogError::new(format_args!(
                "it is unclear what has been written; open the store again: {error}"
            ));
            self.broken = Some(cause.clone());
            return Err(AppendError::Unknown(cause));
        }
        match committed.and(written) {
            Ok(stored) => {
                self.follow(group, &stored);
                Ok(stored)
            }
            Err(error) => {
                // Some of them may not have come to be.
                self.ends.clear();
                if !self.connection.is_autocommit() {
                    // Fails only where there is nothing to be undone any more.
                    let _ = self.connection.execute_batch("ROLLBACK");
                }
                Err(AppendError::Refused(LogError::new(error)))
            }
        }
    }

    fn write(&mut self, group: &[Write]) -> rusqlite::Result<Vec<bool>> {
        // Not within a group: what it appends is in neither index nor tail yet.
        if self.ends.len() >= ENDS {
            self.ends.clear();
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let stored = group
            .iter()
            .map(|write| self.write_one(&write.what))
            .collect::<rusqlite::Result<_>>()?;
        if self.tail.is_full_with(group) {
            self.connection.execute_batch(INDEX)?;
        }
        Ok(stored)
    }

    /// Keeps up with a group that is committed.
    fn follow(&mut self, group: &[Write], stored: &[bool]) {
        if self.tail.is_full_with(group) {
            self.tail = Tail::default();
            return;
        }
        let stored = group.iter().zip(stored).filter(|(_, stored)| **stored);
        for id in stored.filter_map(|(write, _)| write.what.appended()) {
            self.tail.entries += 1;
            if let Some(end) = self.ends.get(id) {
                self.tail.last.insert(end.number, end.last);
            }
        }
    }

    /// Where a match ends; none if it has not begun.
    fn end(&mut self, id: &MatchId) -> rusqlite::Result<Option<End>> {
        if let Some(end) = self.ends.get(id) {
            return Ok(Some(*end));
        }
        let mut select = self.connection.prepare_cached(NUMBER)?;
        let number = select.query_row((id.as_str(),), |row| row.get(0));
        let Some(number) = number.optional()? else {
            return Ok(None);
        };
        let last = if let Some(&last) = self.tail.last.get(&number) {
            last
        } else {
            let mut select = self.connection.prepare_cached(LAST)?;
            select.query_row((number,), |row| row.get(0))?
        };
        let end = End { number, last };
        self.ends.insert(id.clone(), end);
        Ok(Some(end))
    }

    fn write_one(&mut self, what: &What) -> rusqlite::Result<bool> {
        match what {
            What::Append { id, last, entry } => {
                // So far nobody counts: the one before it is missing.
                let Ok(next) = i64::try_from(last.next().get()) else {
                    return Ok(false);
                };
                let end = match self.end(id)? {
                    Some(end) if end.last + 1 == next => end,
                    None if next == 1 => {
                        let mut begin = self.connection.prepare_cached(BEGIN)?;
                        let number = begin.insert((id.as_str(),))?;
                        End { number, last: 0 }
                    }
                    _ => return Ok(false),
                };
                let mut append = self.connection.prepare_cached(APPEND)?;
                append.execute((end.number, next, &entry[..]))?;
                self.ends.insert(id.clone(), End { last: next, ..end });
            }
            What::Post {
                id,
                notice: Some(notice),
            } => {
                self.posted += 1;
                self.connection.prepare_cached(POST)?.execute((
                    id.as_str(),
                    self.posted,
                    &notice[..],
                ))?;
            }
            What::Post { id, notice: None } => {
                self.connection
                    .prepare_cached(TAKE_DOWN)?
                    .execute((id.as_str(),))?;
            }
            What::Probe => self
                .connection
                .execute_batch("INSERT INTO probe VALUES (zeroblob(16384)); DELETE FROM probe")?,
        }
        Ok(true)
    }
}

impl Tail {
    /// Whether it is time to index it together with this group.
    const fn is_full_with(&self, group: &[Write]) -> bool {
        self.entries + group.len() >= TAIL
    }
}

impl Write {
    fn tell(self, result: Result<(), AppendError>) {
        // Who no longer waits does not want to know.
        drop(self.answer.send(result));
    }
}

impl What {
    fn appended(&self) -> Option<&MatchId> {
        match self {
            Self::Append { id, .. } => Some(id),
            Self::Post { .. } | Self::Probe => None,
        }
    }
}
