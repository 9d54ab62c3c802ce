use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::SqliteOpenError;
use super::file::{PrepareError, absolute, check_complete, check_format, sync_folder};
use super::lock_file::{LockFile, StoreState, beside, shared_memory, write_ahead_log};
use super::reader;
use crate::MatchId;
use crate::log::LogError;
use crate::replication::Sequence;

/// A file of match logs to be checked or copied, also while a server uses it.
///
/// ```
/// use open_ttt_net::log::{MatchLog, SqliteFile, SqliteLog};
/// use open_ttt_net::replication::Sequence;
///
/// # let folder = std::env::temp_dir().join(format!("open_ttt-copy-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let log = SqliteLog::open(folder.join("matches.db"))?;
/// let id = "k3h9zq4m2x7d".parse()?;
/// log.append(&id, Sequence::START, "b2".into()).await?;
///
/// let file = SqliteFile::open(folder.join("matches.db"))?;
/// assert!(file.check()?.is_empty());
/// file.copy_to(folder.join("backup.db"), |_pages, _of| {})?;
///
/// let backup = SqliteFile::open(folder.join("backup.db"))?;
/// assert_eq!(backup.entries(&id)?, ["b2"]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SqliteFile {
    path: PathBuf,
    connection: Connection,
}

/// Number of pages that are copied between two reports of progress: 16 MiB.
const PAGES_PER_STEP: i32 = 4096;

/// Pause before a page that is being written is copied again.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// Maximum number of findings of `SQLite`'s own check.
const MAX_FINDINGS: u32 = 10;

/// What no read would find, and the number of entries that it concerns.
const INDEX_CHECKS: [(&str, &str); 3] = [
    (
        "entries are missing although they were stored",
        "SELECT count(*) FROM places LEFT JOIN entries USING (place, match, sequence)
         WHERE entries.entry IS NULL",
    ),
    (
        "entries are missing in the index",
        "SELECT count(*) FROM entries LEFT JOIN places USING (match, sequence)
         WHERE entries.place <= (SELECT place FROM indexed)
         AND places.place IS NOT entries.place",
    ),
    (
        "entries belong to no match",
        "SELECT count(*) FROM entries WHERE match NOT IN (SELECT number FROM matches)",
    ),
];

impl SqliteFile {
    /// Opens a file. Neither it nor its write-ahead log is changed.
    ///
    /// # Errors
    ///
    /// If the file does not exist, is incomplete, damaged, of another version or
    /// application, or the operating system refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SqliteOpenError> {
        let path = path.as_ref();
        let path =
            dunce::canonicalize(path).map_err(|error| SqliteOpenError::failed(path, error))?;
        let failed = |error| SqliteOpenError::failed(&path, error);
        let state = LockFile::recorded_state(&path).map_err(failed)?;
        check_complete(&path, state)?;
        let connection = connect(&path).map_err(|error| error.of_file(&path))?;
        Ok(Self { path, connection })
    }

    /// The number of matches.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn match_count(&self) -> Result<u64, LogError> {
        self.count("SELECT count(*) FROM matches")
    }

    /// The matches behind `after`, as [`MatchLog::matches`].
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    ///
    /// [`MatchLog::matches`]: crate::log::MatchLog::matches
    pub fn matches(&self, after: Option<&MatchId>, limit: usize) -> Result<Vec<MatchId>, LogError> {
        reader::matches(&self.connection, after, limit)
    }

    /// All entries of a match. Empty if it does not exist.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or an entry is missing.
    pub fn entries(&self, id: &MatchId) -> Result<Vec<Bytes>, LogError> {
        reader::entries(&self.connection, id, Sequence::START, usize::MAX)
    }

    /// The damage to the file as a database, and to its index; empty if there is
    /// none. Reads the whole file. The entries themselves are not checked.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn check(&self) -> Result<Vec<String>, LogError> {
        let mut findings = self.check_integrity().map_err(reader::read_error)?;
        if findings.is_empty() {
            for (finding, select) in INDEX_CHECKS {
                let count = self.count(select)?;
                if count > 0 {
                    findings.push(format!("{count} {finding}"));
                }
            }
        }
        Ok(findings)
    }

    fn check_integrity(&self) -> rusqlite::Result<Vec<String>> {
        let check = format!("PRAGMA integrity_check({MAX_FINDINGS})");
        let mut check = self.connection.prepare(&check)?;
        let findings = check.query_map((), |row| row.get(0))?;
        let mut findings: Vec<String> = findings.collect::<rusqlite::Result<_>>()?;
        findings.retain(|finding| finding != "ok");
        Ok(findings)
    }

    /// Copies the store as it is now into a new file. Calls `progress` with the
    /// number of pages copied, and of all pages.
    ///
    /// The copy appears under its name once it is complete, [checked](Self::check)
    /// and on the disk. It is a single file.
    ///
    /// # Errors
    ///
    /// [`SqliteOpenError::Exists`] if there is a file of this name; or if this
    /// file cannot be read or the other one cannot be written.
    pub fn copy_to(
        &self,
        to: impl AsRef<Path>,
        progress: impl FnMut(u64, u64),
    ) -> Result<(), SqliteOpenError> {
        let to = to.as_ref();
        let to = absolute(to).map_err(|error| SqliteOpenError::failed(to, error))?;
        self.check_other(&to)?;
        if to.exists() || write_ahead_log(&to).exists() {
            return Err(SqliteOpenError::Exists(to));
        }
        let copied = self.copy_beside(&to, progress)?;
        fs::rename(&copied, &to)
            .and_then(|()| sync_folder(&to))
            .map_err(|error| SqliteOpenError::failed(&to, error))
    }

    /// Like [`copy_to`](Self::copy_to), but replaces a store that exists, with
    /// its write-ahead log. On Unix the copy has the permissions of the store, and
    /// also its owner, if the superuser copies.
    ///
    /// # Errors
    ///
    /// [`SqliteOpenError::InUse`] if a server has the other store open; and as
    /// [`copy_to`](Self::copy_to).
    pub fn copy_over(
        &self,
        to: impl AsRef<Path>,
        progress: impl FnMut(u64, u64),
    ) -> Result<(), SqliteOpenError> {
        let to = to.as_ref();
        let to = absolute(to).map_err(|error| SqliteOpenError::failed(to, error))?;
        if !to.exists() && !write_ahead_log(&to).exists() {
            return self.copy_to(to, progress);
        }
        self.check_other(&to)?;
        // Held until the end: no server can open the store meanwhile.
        let lock = LockFile::acquire(&to)?;
        let copied = self.copy_beside(&to, progress)?;
        let replace = || {
            belong_like(&copied, &[&to, &write_ahead_log(&to)])?;
            // First: SQLite would apply the old log to the new file.
            remove(&write_ahead_log(&to))?;
            remove(&shared_memory(&to))?;
            fs::rename(&copied, &to)?;
            sync_folder(&to)?;
            lock.set_state(StoreState::Closed)
        };
        replace().map_err(|error| SqliteOpenError::failed(&to, error))
    }

    /// Checks that a file is neither this one nor one of those that belong to it.
    fn check_other(&self, to: &Path) -> Result<(), SqliteOpenError> {
        let suffixes = ["", "-wal", "-shm", "-lock", "-journal"];
        if suffixes
            .iter()
            .any(|suffix| beside(&self.path, suffix) == to)
        {
            let text = "it is, or belongs to, the file to be copied";
            return Err(SqliteOpenError::failed(to, text));
        }
        Ok(())
    }

    /// Copies the store into a temporary file beside `to`, and returns its path.
    fn copy_beside(
        &self,
        to: &Path,
        progress: impl FnMut(u64, u64),
    ) -> Result<PathBuf, SqliteOpenError> {
        let path = beside(to, "-partial");
        let copy = || {
            // Of an earlier attempt.
            remove(&path)?;
            remove(&beside(&path, "-journal"))?;
            self.copy_pages(&path, progress)?;
            // Windows makes only what is open for writing durable.
            File::options().write(true).open(&path)?.sync_all()?;
            let check = || {
                Self::open(&path)?
                    .check()
                    .map_err(|error| SqliteOpenError::failed(&path, error))
            };
            match check()?.into_iter().next() {
                Some(cause) => Err(SqliteOpenError::Damaged {
                    path: self.path.clone(),
                    cause,
                }
                .into()),
                None => Ok(()),
            }
        };
        let copied: Result<(), CopyError> = copy();
        copied.map_err(|error| {
            // The next attempt removes it otherwise.
            let _ = remove(&path);
            error.of_file(to)
        })?;
        Ok(path)
    }

    fn copy_pages(&self, to: &Path, mut progress: impl FnMut(u64, u64)) -> Result<(), CopyError> {
        // One snapshot, which writers neither wait for nor change.
        let snapshot = self.connection.unchecked_transaction()?;
        snapshot.query_row("SELECT count(*) FROM sqlite_schema", (), |_row| Ok(()))?;
        let mut copy = Connection::open(to)?;
        let backup = Backup::new(&snapshot, &mut copy)?;
        loop {
            let step = backup.step(PAGES_PER_STEP)?;
            let done = backup.progress();
            let pages = |count: i32| u64::try_from(count).unwrap_or(0);
            progress(
                pages(done.pagecount - done.remaining),
                pages(done.pagecount),
            );
            match step {
                StepResult::Done => break,
                StepResult::More => {}
                _ => thread::sleep(RETRY_PAUSE),
            }
        }
        drop(backup);
        // A copy in this mode needs no other file, also where it cannot be
        // written. The store changes the mode when it opens the file.
        let mode: String = copy.query_row("PRAGMA journal_mode = DELETE", (), |row| row.get(0))?;
        debug_assert_eq!(mode, "delete", "no other connection has the copy");
        copy.close().map_err(|(_copy, error)| error.into())
    }

    fn count(&self, select: &str) -> Result<u64, LogError> {
        let count = self.connection.query_row(select, (), |row| row.get(0));
        let count: i64 = count.map_err(reader::read_error)?;
        Ok(count.unsigned_abs())
    }
}

/// Gives a file the permissions and the owner of the first of these files that exists.
#[cfg(unix)]
fn belong_like(path: &Path, others: &[&Path]) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};

    let Some(about) = others.iter().find_map(|other| fs::metadata(other).ok()) else {
        return Ok(());
    };
    fs::set_permissions(path, about.permissions())?;
    // Nobody but the superuser gives files away, nor needs to.
    let _ = chown(path, Some(about.uid()), Some(about.gid()));
    Ok(())
}

#[cfg(not(unix))]
const fn belong_like(_path: &Path, _others: &[&Path]) -> io::Result<()> {
    Ok(())
}

/// Opens a connection for reading.
fn connect(path: &Path) -> Result<Connection, PrepareError> {
    let has_log = write_ahead_log(path).exists();
    // For writing as far as SQLite is concerned, which may have to recover the
    // shared memory after a crash.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // A log that exists stays until its server closes the store; one that this
    // connection has created goes with it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    connection.pragma_update(None, "query_only", true)?;
    check_format(path, &connection)?;
    Ok(connection)
}

/// Removes a file if there is one.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Why a store could not be copied.
#[derive(Debug, thiserror::Error)]
enum CopyError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Open(#[from] SqliteOpenError),
}

impl CopyError {
    fn of_file(self, path: &Path) -> SqliteOpenError {
        match self {
            Self::Sqlite(error) => PrepareError::Sqlite(error).of_file(path),
            Self::Io(error) => SqliteOpenError::failed(path, error),
            Self::Open(error) => error,
        }
    }
}
