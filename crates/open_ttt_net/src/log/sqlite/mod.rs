mod file;
mod queue;
mod reader;
mod writer;

use core::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{self, BoxFuture};
use futures_util::stream::BoxStream;
use tokio::sync::{oneshot, watch};

use file::LogFile;
pub use file::SqliteOpenError;
use queue::{Queue, Refusal};
use reader::Read;
use writer::{What, Write, Writer};

use super::watchers::Watchers;
use super::{AppendError, LogError, MAX_ENTRY, MatchLog};
use crate::MatchId;
use crate::replication::Sequence;

/// The most that waits to be written; with the longest entries, 64 MiB.
const WRITES: usize = 16_384;

/// The most that waits to be read.
const READS: usize = 16_384;

/// How many read at the same time.
const READERS: usize = 2;

/// A store in a file, for one server.
///
/// It is an `SQLite` database with a write-ahead log. Each
/// [append](MatchLog::append) is on the disk before it is acknowledged, and all
/// that wait share one write to it: the more are waiting, the less each costs.
///
/// The file is locked. Beside it stand `-wal`, `-shm` and `-lock`; of these, the
/// first belongs to the data and has to be kept and copied with it.
///
/// When the disk is full, what cannot be stored is refused, and it goes on when
/// there is room again. When the disk does not say whether it has written, the
/// answer is [`AppendError::Unknown`], and nothing more is written until the
/// store is opened again, which reads what there is.
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
    /// Dropped by each thread when it is done.
    done: watch::Receiver<()>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    writes: Queue<Write>,
    reads: Queue<Read>,
    watchers: Arc<Watchers>,
}

impl SqliteLog {
    /// Opens a file, or makes a new one.
    ///
    /// This reads from the disk, as long as that takes.
    ///
    /// # Errors
    ///
    /// If the file is in use, of a later version, not one of ours or damaged,
    /// or the system does not let us.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SqliteOpenError> {
        Self::open_limited(path, u64::MAX)
    }

    /// The same, but the file grows no longer than `most` bytes: what does not
    /// fit any more is refused. The write-ahead log beside it is not counted.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_limited(path: impl AsRef<Path>, most: u64) -> Result<Self, SqliteOpenError> {
        let path = path.as_ref();
        let (file, connection) = LogFile::open(path)?;
        let file = Arc::new(file);
        let failed = |error: rusqlite::Error| SqliteOpenError::failed(path, error);
        limit(&connection, most).map_err(failed)?;
        let writer = Writer::new(connection).map_err(failed)?;
        let (done, all_done) = watch::channel(());
        let shared = Arc::new(Shared {
            writes: Queue::new(WRITES),
            reads: Queue::new(READS),
            watchers: Arc::default(),
        });
        let log = Self {
            shared: Arc::clone(&shared),
            done: all_done,
            threads: Mutex::default(),
        };
        let kept = (Arc::clone(&file), done.clone());
        log.spawn(path, "match log writer", move || {
            let _kept = kept;
            writer.run(&shared.writes, &shared.watchers);
        })?;
        for _ in 0..READERS {
            let connection = file.connect()?;
            let shared = Arc::clone(&log.shared);
            let kept = (Arc::clone(&file), done.clone());
            log.spawn(path, "match log reader", move || {
                let _kept = kept;
                reader::run(&connection, &shared.reads);
            })?;
        }
        Ok(log)
    }

    fn spawn(
        &self,
        path: &Path,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), SqliteOpenError> {
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(work)
            .map_err(|error| SqliteOpenError::failed(path, error))?;
        self.threads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(thread);
        Ok(())
    }
}

impl MatchLog for SqliteLog {
    fn append<'a>(
        &'a self,
        id: &'a MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> BoxFuture<'a, Result<(), AppendError>> {
        if entry.len() > MAX_ENTRY {
            let refused = AppendError::Refused(LogError::too_long(entry.len()));
            return future::ready(Err(refused)).boxed();
        }
        self.shared.write(What::Append {
            id: id.clone(),
            last,
            entry,
        })
    }

    fn read<'a>(
        &'a self,
        id: &'a MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Bytes>, LogError>> {
        self.shared.entries(id.clone(), after, limit)
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> BoxStream<'static, Result<Bytes, LogError>> {
        let (shared, of) = (Arc::clone(&self.shared), id.clone());
        let read = move |after, limit| shared.entries(of.clone(), after, limit);
        self.shared.watchers.watch(id, after, read)
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn set_notice<'a>(
        &'a self,
        id: &'a MatchId,
        notice: Option<Bytes>,
    ) -> BoxFuture<'a, Result<(), LogError>> {
        if let Some(notice) = &notice
            && notice.len() > MAX_ENTRY
        {
            return future::ready(Err(LogError::too_long(notice.len()))).boxed();
        }
        let id = id.clone();
        self.shared.write_anything(What::Post { id, notice })
    }

    fn notices(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(MatchId, Bytes)>, LogError>> {
        self.shared.read(|answer| Read::Notices { limit, answer })
    }

    fn check(&self) -> BoxFuture<'_, Result<(), LogError>> {
        let written = self.shared.write_anything(What::Probe);
        let read = self.notices(1);
        async move {
            written.await?;
            read.await.map(|_notices| ())
        }
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.shared.close();
        let mut done = self.done.clone();
        async move {
            // An error is what is waited for: nobody is left to send anything.
            while done.changed().await.is_ok() {}
        }
        .boxed()
    }
}

impl Shared {
    fn write(&self, what: What) -> BoxFuture<'static, Result<(), AppendError>> {
        let (answer, answered) = oneshot::channel();
        if let Err(refusal) = self.writes.push(Write { what, answer }) {
            return future::ready(Err(AppendError::Refused(refusal.into()))).boxed();
        }
        async {
            let lost = |_| Err(AppendError::Unknown(LogError::new("the writer has failed")));
            answered.await.unwrap_or_else(lost)
        }
        .boxed()
    }

    /// A write that cannot have a conflict.
    fn write_anything(&self, what: What) -> BoxFuture<'static, Result<(), LogError>> {
        let written = self.write(what);
        async {
            written.await.map_err(|error| match error {
                AppendError::Refused(cause) | AppendError::Unknown(cause) => cause,
                AppendError::Conflict => LogError::new(error),
            })
        }
        .boxed()
    }

    fn entries(
        &self,
        id: MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'static, Result<Vec<Bytes>, LogError>> {
        self.read(|answer| Read::Entries {
            id,
            after,
            limit,
            answer,
        })
    }

    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(oneshot::Sender<Result<T, LogError>>) -> Read,
    ) -> BoxFuture<'static, Result<T, LogError>> {
        let (answer, answered) = oneshot::channel();
        if let Err(refusal) = self.reads.push(read(answer)) {
            return future::ready(Err(refusal.into())).boxed();
        }
        async {
            let lost = |_| Err(LogError::new("the reader has failed"));
            answered.await.unwrap_or_else(lost)
        }
        .boxed()
    }

    fn close(&self) {
        self.writes.close();
        self.reads.close();
        self.watchers.close();
    }
}

/// Lets the file have so many pages at most.
fn limit(connection: &rusqlite::Connection, most: u64) -> rusqlite::Result<()> {
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = u32::try_from(most / u64::from(page))
        .unwrap_or(u32::MAX - 1)
        .max(1);
    connection.pragma_update_and_check(None, "max_page_count", pages, |_row| Ok(()))
}

impl From<Refusal> for LogError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Full => Self::new("too much is waiting for the disk"),
            Refusal::Closed => Self::closed(),
        }
    }
}

impl fmt::Debug for SqliteLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLog").finish_non_exhaustive()
    }
}

impl Drop for SqliteLog {
    /// Ends it as [`close`](MatchLog::close) does, and waits.
    fn drop(&mut self) {
        self.shared.close();
        let threads = self.threads.get_mut();
        for thread in threads.unwrap_or_else(PoisonError::into_inner).drain(..) {
            // One that has panicked has said so.
            let _ = thread.join();
        }
    }
}
