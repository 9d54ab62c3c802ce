mod file;
mod lock_file;
mod queue;
mod reader;
mod snapshot;
mod writer;

use core::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{self, BoxFuture};
use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use file::LogFile;
pub use file::SqliteOpenError;
use queue::Queue;
use reader::ReadRequest;
pub use snapshot::SqliteFile;
use writer::{Reopen, WriteOperation, WriteRequest, Writer};

use super::watchers::Watchers;
use super::{AppendError, LogError, LogFuture, LogStream, MatchLog, StoreRoom, check_length};
use crate::MatchId;
use crate::lock::lock;
use crate::replication::Sequence;

/// Maximum number of queued writes: 64 MiB of the longest entries.
const WRITE_QUEUE: usize = 16_384;

/// Maximum number of queued reads.
const READ_QUEUE: usize = 16_384;

/// Number of reader threads.
const READERS: usize = 2;

/// A store in a file, for one server.
///
/// The file is an `SQLite` database with a write-ahead log.
/// [`append`](MatchLog::append) acknowledges an entry once it is on the disk.
/// Concurrent appends share one transaction and one disk sync (group commit),
/// so each costs less the more there are.
///
/// The file is locked. The files `-wal`, `-shm` and `-lock` appear beside it.
/// `-wal` is part of the data until the store is closed; without it, a store that
/// was not closed does not open. [`SqliteFile`] copies a store.
///
/// When the disk is full, writes are refused until there is room again; a store
/// that exists can be opened and read. When
/// the disk does not report whether a write succeeded, its result is
/// [`AppendError::Unknown`], and the store refuses all writes until it has
/// opened the file again and read what it contains. It tries that with the next
/// write, and then once a second while there are writes.
///
/// ```
/// use open_ttt_net::log::{MatchLog, SqliteLog};
/// use open_ttt_net::replication::Sequence;
///
/// # let folder = std::env::temp_dir().join(format!("open_ttt-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("matches.db");
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let log = SqliteLog::open(&path)?;
/// let id = "k3h9zq4m2x7d".parse()?;
/// log.append(&id, Sequence::START, "b2".into()).await?;
/// drop(log);
///
/// let log = SqliteLog::open(&path)?;
/// assert_eq!(log.read(&id, Sequence::START, 10).await?, ["b2"]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteLog {
    shared: Arc<Shared>,
    /// The size of what is stored, in bytes, as the writer has last seen it.
    used: Arc<AtomicU64>,
    limit: u64,
    /// Closed when all threads have ended.
    threads_ended: watch::Receiver<()>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    writes: Queue<WriteRequest>,
    reads: Queue<ReadRequest>,
    watchers: Arc<Watchers>,
}

impl SqliteLog {
    /// Opens a file, or creates it. Blocks while it reads from the disk.
    ///
    /// # Errors
    ///
    /// If the file is in use, damaged, of another version or application, or
    /// the operating system refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SqliteOpenError> {
        Self::open_limited(path, u64::MAX)
    }

    /// Like [`open`](Self::open), but limits the file to `max_bytes`. Writes
    /// that do not fit are refused. The write-ahead log is not counted.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_limited(path: impl AsRef<Path>, max_bytes: u64) -> Result<Self, SqliteOpenError> {
        let path = path.as_ref();
        let (file, connection) = LogFile::open(path)?;
        let file = Arc::new(file);
        let failed = |error: rusqlite::Error| SqliteOpenError::failed(path, error);
        limit_size(&connection, max_bytes).map_err(failed)?;
        let used = Arc::default();
        let reopen = reopening(&file, path, max_bytes);
        let writer = Writer::new(connection, reopen, Arc::clone(&used)).map_err(failed)?;
        let (running, threads_ended) = watch::channel(());
        let log = Self {
            shared: Arc::new(Shared {
                writes: Queue::new(WRITE_QUEUE),
                reads: Queue::new(READ_QUEUE),
                watchers: Arc::default(),
            }),
            used,
            limit: max_bytes,
            threads_ended,
            threads: Mutex::default(),
        };
        let held = (Arc::clone(&file), running);
        log.spawn(path, "match log writer", held.clone(), |shared| {
            writer.run(&shared.writes, &shared.watchers);
        })?;
        for _ in 0..READERS {
            let connection = file.connect()?;
            log.spawn(path, "match log reader", held.clone(), move |shared| {
                reader::run(&connection, &shared.reads);
            })?;
        }
        Ok(log)
    }

    /// Starts a thread, which drops `held` at its end.
    fn spawn(
        &self,
        path: &Path,
        name: &str,
        held: impl Send + 'static,
        work: impl FnOnce(&Shared) + Send + 'static,
    ) -> Result<(), SqliteOpenError> {
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            let _held = held;
            work(&shared);
        });
        let thread = thread.map_err(|error| SqliteOpenError::failed(path, error))?;
        lock(&self.threads).push(thread);
        Ok(())
    }
}

impl MatchLog for SqliteLog {
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        if let Err(error) = check_length(&entry) {
            return future::ready(Err(AppendError::Refused(error))).boxed();
        }
        let id = id.clone();
        self.shared
            .write(WriteOperation::Append { id, last, entry })
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        self.shared.entries(id, after, limit)
    }

    fn last(&self, id: &MatchId) -> LogFuture<'_, Option<(Sequence, Bytes)>> {
        let id = id.clone();
        self.shared
            .read(move |connection| reader::last(connection, &id))
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream {
        let (shared, watched) = (Arc::clone(&self.shared), id.clone());
        let read = move |after, limit| shared.entries(&watched, after, limit);
        self.shared.watchers.watch(id, after, read)
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn matches(&self, after: Option<&MatchId>, limit: usize) -> LogFuture<'_, Vec<MatchId>> {
        let after = after.cloned();
        self.shared
            .read(move |connection| reader::matches(connection, after.as_ref(), limit))
    }

    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        let id = id.clone();
        self.shared.write(WriteOperation::Remove { id })
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        if let Err(error) = notice.as_ref().map_or(Ok(()), check_length) {
            return future::ready(Err(error)).boxed();
        }
        let id = id.clone();
        self.shared.write(WriteOperation::SetNotice { id, notice })
    }

    fn notices(&self, limit: usize) -> LogFuture<'_, Vec<(MatchId, Bytes)>> {
        self.shared
            .read(move |connection| reader::notices(connection, limit))
    }

    fn room(&self) -> Option<StoreRoom> {
        Some(StoreRoom {
            used: self.used.load(Ordering::Relaxed),
            limit: self.limit,
        })
    }

    fn check(&self) -> LogFuture<'_, ()> {
        let written = self.shared.write::<LogError>(WriteOperation::Probe);
        let read = self.notices(1);
        async move {
            written.await?;
            read.await.map(|_notices| ())
        }
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.shared.close();
        let mut threads_ended = self.threads_ended.clone();
        async move {
            // Nothing is ever sent. The error says that all senders are gone.
            while threads_ended.changed().await.is_ok() {}
        }
        .boxed()
    }
}

impl Shared {
    fn write<E: From<AppendError> + Send + 'static>(
        &self,
        operation: WriteOperation,
    ) -> LogFuture<'static, (), E> {
        let (reply, result) = oneshot::channel();
        if let Err(error) = self.writes.push(WriteRequest { operation, reply }) {
            return future::ready(Err(AppendError::Refused(error).into())).boxed();
        }
        async {
            let lost = |_| Err(AppendError::Unknown(LogError::new("the writer has failed")));
            result.await.unwrap_or_else(lost).map_err(E::from)
        }
        .boxed()
    }

    fn entries(
        &self,
        id: &MatchId,
        after: Sequence,
        limit: usize,
    ) -> LogFuture<'static, Vec<Bytes>> {
        let id = id.clone();
        self.read(move |connection| reader::entries(connection, &id, after, limit))
    }

    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> LogFuture<'static, T> {
        let (reply, result) = oneshot::channel();
        // The send fails if the caller has dropped its future.
        let request = move |connection: &Connection| drop(reply.send(read(connection)));
        if let Err(error) = self.reads.push(Box::new(request)) {
            return future::ready(Err(error)).boxed();
        }
        async {
            let lost = |_| Err(LogError::new("the reader has failed"));
            result.await.unwrap_or_else(lost)
        }
        .boxed()
    }

    fn close(&self) {
        self.writes.close();
        self.reads.close();
        self.watchers.close();
    }
}

/// Opens the file again as [`SqliteLog::open_limited`] has.
fn reopening(file: &Arc<LogFile>, path: &Path, max_bytes: u64) -> Reopen {
    let (file, path) = (Arc::clone(file), path.to_owned());
    Box::new(move || {
        let connection = file.reopen()?;
        let limited = limit_size(&connection, max_bytes);
        limited.map_err(|error| SqliteOpenError::failed(&path, error))?;
        Ok(connection)
    })
}

fn limit_size(connection: &Connection, max_bytes: u64) -> rusqlite::Result<()> {
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = u32::try_from(max_bytes / u64::from(page))
        .unwrap_or(u32::MAX - 1)
        .max(1);
    connection.pragma_update_and_check(None, "max_page_count", pages, |_row| Ok(()))
}

impl fmt::Debug for SqliteLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLog").finish_non_exhaustive()
    }
}

impl Drop for SqliteLog {
    /// [Closes](MatchLog::close) the store and waits for its threads.
    fn drop(&mut self) {
        self.shared.close();
        for thread in lock(&self.threads).drain(..) {
            // A panic has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}
