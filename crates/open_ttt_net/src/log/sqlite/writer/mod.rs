#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rusqlite::{CachedStatement, Connection, ErrorCode, OptionalExtension};
use tokio::sync::oneshot;

use super::file::UPDATE_INDEX;
use super::{Queue, SqliteOpenError, Watchers};
use crate::MatchId;
use crate::log::{AppendError, LogError, MAX_NOTICES};
use crate::replication::Sequence;

/// Maximum number of writes committed together (group commit).
const MAX_GROUP: usize = 4096;

/// How long the writer waits for a group to fill up. The clients of one group
/// usually write again at once, and each group saved saves a dozen system calls
/// and one disk sync, which take about as long.
const GROUP_DELAY: Duration = Duration::from_millis(4);

/// Pause between two attempts to open the file again.
const REOPEN_PAUSE: Duration = Duration::from_secs(1);

/// Opens another connection to the file, to write to it.
pub(super) type Reopen = Box<dyn Fn() -> Result<Connection, SqliteOpenError> + Send>;

/// A queued write and where to send its result.
#[derive(Debug)]
pub(super) struct WriteRequest {
    pub(super) operation: WriteOperation,
    pub(super) reply: oneshot::Sender<Result<(), AppendError>>,
}

#[derive(Debug)]
pub(super) enum WriteOperation {
    Append {
        id: MatchId,
        last: Sequence,
        entry: Bytes,
    },
    Remove {
        id: MatchId,
    },
    SetNotice {
        id: MatchId,
        notice: Option<Bytes>,
    },
    /// Writes and deletes the size of a few of the longest entries.
    Probe,
}

/// The single writer: commits groups of writes, one transaction each.
pub(super) struct Writer {
    connection: Connection,
    /// The key of the latest notice.
    posted: i64,
    /// The ends of recently written logs.
    ends: HashMap<MatchId, LogEnd>,
    unindexed: Unindexed,
    reopen: Reopen,
    /// The size of what is stored, in bytes, for whoever asks.
    used: Arc<AtomicU64>,
    /// Set while it is unknown what the file contains. Nothing is written then.
    failed: Option<Failure>,
}

/// A commit with an unknown result.
#[derive(Debug)]
struct Failure {
    cause: LogError,
    /// When opening the file again last failed.
    tried: Option<Instant>,
}

/// The end of a log: the number of the match in the file, and the sequence
/// number of its last entry.
#[derive(Clone, Copy, Debug)]
struct LogEnd {
    number: i64,
    last: i64,
}

/// A group that is being written.
struct Transaction<'a> {
    connection: &'a Connection,
    append: CachedStatement<'a>,
    posted: &'a mut i64,
    ends: &'a mut HashMap<MatchId, LogEnd>,
    unindexed: &'a Unindexed,
    /// The ends of logs that have grown, in order.
    appended: Vec<LogEnd>,
}

/// A group that was written: which of its writes were stored, and the ends of logs that
/// have grown.
struct Written {
    stored: Vec<bool>,
    appended: Vec<LogEnd>,
}

/// Maximum size of [`Writer::ends`].
const MAX_ENDS: usize = 65_536;

/// The entries that the index does not cover yet.
#[derive(Debug, Default)]
struct Unindexed {
    entries: usize,
    /// The last sequence number of each match, by the number of the match.
    last: HashMap<i64, i64>,
}

/// Number of entries indexed together. Larger batches cost less per entry;
/// smaller ones block other writes for less time, and leave readers fewer
/// entries to scan.
const INDEX_BATCH: usize = 2048;

const NUMBER: &str = "SELECT number FROM matches WHERE match = ?1";

const LAST: &str = "SELECT coalesce(max(sequence), 0) FROM places WHERE match = ?1";

/// Numbers matches in the order of creation, so matches that are played at the
/// same time are neighbours in the index.
const CREATE: &str = "INSERT INTO matches (match) VALUES (?1)";

const APPEND: &str = "INSERT INTO entries (match, sequence, entry) VALUES (?1, ?2, ?3)";

const SET_NOTICE: &str = "
    INSERT INTO notices (match, posted, notice) VALUES (?1, ?2, ?3)
    ON CONFLICT (match) DO UPDATE
    SET posted = excluded.posted, notice = excluded.notice";

const REMOVE_NOTICE: &str = "DELETE FROM notices WHERE match = ?1";

const NOT_INDEXED: &str = "
    SELECT match, max(sequence), count(*) FROM entries
    WHERE place > (SELECT place FROM indexed) GROUP BY match";

/// The statements that remove a match whose entries are all indexed.
const REMOVE_INDEXED: [&str; 3] = [
    "DELETE FROM entries WHERE place IN (SELECT place FROM places WHERE match = ?1)",
    "DELETE FROM places WHERE match = ?1",
    "DELETE FROM matches WHERE number = ?1",
];

const REMOVE_OLD_NOTICES: &str = "DELETE FROM notices WHERE posted <= ?1";

const USED: &str = "
    SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size";

const PROBE: &str = "INSERT INTO probe VALUES (zeroblob(16384)); DELETE FROM probe";

impl Writer {
    pub(super) fn new(
        connection: Connection,
        reopen: Reopen,
        used: Arc<AtomicU64>,
    ) -> rusqlite::Result<Self> {
        used.store(used_bytes(&connection)?, Ordering::Relaxed);
        Ok(Self {
            posted: last_posted(&connection)?,
            unindexed: Unindexed::read(&connection)?,
            connection,
            ends: HashMap::new(),
            reopen,
            used,
            failed: None,
        })
    }

    /// Writes until the queue is closed and drained.
    pub(super) fn run(mut self, queue: &Queue<WriteRequest>, watchers: &Watchers) {
        let mut previous = 0;
        loop {
            // Not for all of them, as some clients have left; and a single
            // client does not wait.
            queue.wait_for_length(previous * 9 / 10, GROUP_DELAY);
            let group = queue.take(MAX_GROUP);
            if group.is_empty() {
                return;
            }
            previous = group.len();
            self.process(group, watchers);
        }
    }

    /// Commits a group and sends the results.
    fn process(&mut self, group: Vec<WriteRequest>, watchers: &Watchers) {
        let committed = self.recover(watchers).and_then(|()| self.commit(&group));
        let results = match committed {
            Ok(stored) => {
                watchers.notify(appended(&group, &stored));
                let result = |stored: bool| stored.then_some(()).ok_or(AppendError::Conflict);
                stored.into_iter().map(result).collect()
            }
            // Conflicts fail too: the entries they conflict with may be part of
            // this group.
            Err(error) => vec![Err(error); group.len()],
        };
        for (request, result) in group.into_iter().zip(results) {
            // Fails if the caller has dropped its future.
            drop(request.reply.send(result));
        }
    }

    /// Opens the file again after a commit with an unknown result, unless that was tried
    /// just now. What the file contains is read, not remembered.
    fn recover(&mut self, watchers: &Watchers) -> Result<(), AppendError> {
        let Some(Failure { cause, tried }) = &self.failed else {
            return Ok(());
        };
        if tried.is_some_and(|tried| tried.elapsed() < REOPEN_PAUSE) {
            return Err(AppendError::Refused(cause.clone()));
        }
        match self.reopened() {
            Ok((connection, posted, unindexed)) => {
                self.connection = connection;
                self.posted = posted;
                self.unindexed = unindexed;
                self.ends.clear();
                self.failed = None;
                // Of what the failed commit has stored, if it has.
                watchers.notify_all();
                Ok(())
            }
            Err(error) => {
                let cause = LogError::new(format_args!(
                    "it is unknown what was written, and the file can't be opened again: {error}"
                ));
                self.failed = Some(Failure {
                    cause: cause.clone(),
                    tried: Some(Instant::now()),
                });
                Err(AppendError::Refused(cause))
            }
        }
    }

    fn reopened(&self) -> Result<(Connection, i64, Unindexed), LogError> {
        let connection = (self.reopen)().map_err(LogError::new)?;
        let posted = last_posted(&connection).map_err(LogError::new)?;
        let unindexed = Unindexed::read(&connection).map_err(LogError::new)?;
        Ok((connection, posted, unindexed))
    }

    /// Writes a group in one transaction. Returns which writes were stored; the
    /// others have a conflict.
    fn commit(&mut self, group: &[WriteRequest]) -> Result<Vec<bool>, AppendError> {
        let written = self.write(group);
        let committed = match &written {
            Ok(_) => self.connection.execute_batch("COMMIT"),
            Err(_) => Ok(()),
        };
        if let Err(error) = &committed
            && error.sqlite_error_code() != Some(ErrorCode::DiskFull)
        {
            // No retry: a second sync can succeed although the system has
            // discarded the pages that failed in the first.
            let cause = LogError::new(format_args!("it is unknown what was written: {error}"));
            self.roll_back();
            self.failed = Some(Failure {
                cause: cause.clone(),
                tried: None,
            });
            return Err(AppendError::Unknown(cause));
        }
        match committed.and(written) {
            Ok(Written { stored, appended }) => {
                if self.unindexed.is_updated_with(group) {
                    self.unindexed = Unindexed::default();
                } else {
                    self.unindexed.add(&appended);
                }
                // Otherwise the last size is as good: it only tells whether there is room.
                if let Ok(used) = used_bytes(&self.connection) {
                    self.used.store(used, Ordering::Relaxed);
                }
                Ok(stored)
            }
            Err(error) => {
                // They may contain entries of the failed transaction.
                self.ends.clear();
                self.roll_back();
                Err(AppendError::Refused(LogError::new(error)))
            }
        }
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            // Fails only if SQLite has rolled back already.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }

    fn write(&mut self, group: &[WriteRequest]) -> rusqlite::Result<Written> {
        // Never within a group: neither `places` nor `unindexed` knows the
        // entries of the current one.
        if self.ends.len() >= MAX_ENDS {
            self.ends.clear();
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut transaction = Transaction {
            connection: &self.connection,
            append: self.connection.prepare_cached(APPEND)?,
            posted: &mut self.posted,
            ends: &mut self.ends,
            unindexed: &self.unindexed,
            appended: Vec::with_capacity(group.len()),
        };
        let stored = group
            .iter()
            .map(|request| transaction.execute(&request.operation))
            .collect::<rusqlite::Result<_>>()?;
        let Transaction { appended, .. } = transaction;
        if self.unindexed.is_updated_with(group) {
            self.connection.execute_batch(UPDATE_INDEX)?;
        }
        Ok(Written { stored, appended })
    }
}

impl Transaction<'_> {
    /// The end of a log that isn't in `ends`; `None` if the match does not exist.
    fn find_end(&self, id: &MatchId) -> rusqlite::Result<Option<LogEnd>> {
        let mut select = self.connection.prepare_cached(NUMBER)?;
        let number = select.query_row((id.as_str(),), |row| row.get(0));
        let Some(number) = number.optional()? else {
            return Ok(None);
        };
        let last = if let Some(&last) = self.unindexed.last.get(&number) {
            last
        } else {
            let mut select = self.connection.prepare_cached(LAST)?;
            select.query_row((number,), |row| row.get(0))?
        };
        Ok(Some(LogEnd { number, last }))
    }

    /// Returns whether the write was executed; otherwise it has a conflict.
    fn execute(&mut self, operation: &WriteOperation) -> rusqlite::Result<bool> {
        match operation {
            WriteOperation::Append { id, last, entry } => return self.append(id, *last, entry),
            WriteOperation::Remove { id } => self.remove(id)?,
            WriteOperation::SetNotice {
                id,
                notice: Some(notice),
            } => {
                *self.posted += 1;
                let mut set = self.connection.prepare_cached(SET_NOTICE)?;
                set.execute((id.as_str(), *self.posted, &notice[..]))?;
                let mut remove = self.connection.prepare_cached(REMOVE_OLD_NOTICES)?;
                remove.execute((*self.posted - MAX_NOTICES as i64,))?;
            }
            WriteOperation::SetNotice { id, notice: None } => self.remove_notice(id)?,
            WriteOperation::Probe => self.connection.execute_batch(PROBE)?,
        }
        Ok(true)
    }

    fn append(&mut self, id: &MatchId, last: Sequence, entry: &[u8]) -> rusqlite::Result<bool> {
        // SQLite's integers are signed: no entry has a larger number.
        let Ok(next) = i64::try_from(last.next().get()) else {
            return Ok(false);
        };
        // A failed transaction forgets all ends, so they can be ahead of what is written.
        let number = match self.ends.get_mut(id) {
            Some(end) if end.last + 1 == next => {
                end.last = next;
                end.number
            }
            Some(_) => return Ok(false),
            None => {
                let number = match self.find_end(id)? {
                    Some(end) if end.last + 1 == next => end.number,
                    None if next == 1 => {
                        let mut create = self.connection.prepare_cached(CREATE)?;
                        create.insert((id.as_str(),))?
                    }
                    _ => return Ok(false),
                };
                self.ends.insert(id.clone(), LogEnd { number, last: next });
                number
            }
        };
        self.append.execute((number, next, entry))?;
        self.appended.push(LogEnd { number, last: next });
        Ok(true)
    }

    /// Removes a match. Its number and the places of its entries may be used
    /// again.
    fn remove(&mut self, id: &MatchId) -> rusqlite::Result<()> {
        self.remove_notice(id)?;
        let end = match self.ends.remove(id) {
            Some(end) => Some(end),
            None => self.find_end(id)?,
        };
        let Some(LogEnd { number, .. }) = end else {
            return Ok(());
        };
        self.connection.execute_batch(UPDATE_INDEX)?;
        for remove in REMOVE_INDEXED {
            let mut remove = self.connection.prepare_cached(remove)?;
            remove.execute((number,))?;
        }
        // `indexed` must not be behind the last entry, which may be another one
        // now: SQLite gives the place behind it to the next entry.
        self.connection.execute_batch(UPDATE_INDEX)
    }

    fn remove_notice(&self, id: &MatchId) -> rusqlite::Result<()> {
        let mut remove = self.connection.prepare_cached(REMOVE_NOTICE)?;
        remove.execute((id.as_str(),)).map(drop)
    }
}

/// The size of what is stored: pages that are free after a removal don't count.
fn used_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let mut used = connection.prepare_cached(USED)?;
    let used: i64 = used.query_row((), |row| row.get(0))?;
    Ok(used.unsigned_abs())
}

/// The key of the latest notice in a file.
fn last_posted(connection: &Connection) -> rusqlite::Result<i64> {
    let posted = "SELECT coalesce(max(posted), 0) FROM notices";
    connection.query_row(posted, (), |row| row.get(0))
}

impl Unindexed {
    /// Reads them from a file whose index could not be updated when it was
    /// opened.
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut unindexed = Self::default();
        let mut select = connection.prepare(NOT_INDEXED)?;
        let mut rows = select.query(())?;
        while let Some(row) = rows.next()? {
            unindexed.last.insert(row.get(0)?, row.get(1)?);
            unindexed.entries += row.get::<_, u32>(2)? as usize;
        }
        Ok(unindexed)
    }

    /// Adds entries that were stored.
    fn add(&mut self, appended: &[LogEnd]) {
        self.entries += appended.len();
        let ends = appended.iter().map(|end| (end.number, end.last));
        self.last.extend(ends);
    }

    /// Whether the index is updated with this group: the entries fill a batch,
    /// or a removal has updated it already.
    fn is_updated_with(&self, group: &[WriteRequest]) -> bool {
        let mut operations = group.iter().map(|request| &request.operation);
        self.entries + group.len() >= INDEX_BATCH
            || operations.any(|operation| matches!(operation, WriteOperation::Remove { .. }))
    }
}

/// The matches that the stored appends of a group belong to.
fn appended<'a>(
    group: &'a [WriteRequest],
    stored: &'a [bool],
) -> impl Iterator<Item = &'a MatchId> {
    let stored = group.iter().zip(stored).filter(|(_, stored)| **stored);
    stored.filter_map(|(request, _)| match &request.operation {
        WriteOperation::Append { id, .. } => Some(id),
        WriteOperation::Remove { .. }
        | WriteOperation::SetNotice { .. }
        | WriteOperation::Probe => None,
    })
}
