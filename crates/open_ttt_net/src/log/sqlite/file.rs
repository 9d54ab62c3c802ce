use core::fmt;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

/// `ottt`: marks the file as one of ours.
const APPLICATION_ID: i32 = 0x6f74_7474;

/// Version of the schema.
const VERSION: i32 = 2;

/// The write-ahead log is checkpointed at this length: often enough to stay
/// small, rarely enough that a page changed by many moves is copied once.
const WAL_PAGES: u32 = 8000;

/// Page cache of a connection, in KiB. A larger one costs time: `SQLite` scans
/// all of it at the end of some commits.
const CACHE_KIB: i32 = 8_192;

/// Files up to this size are checked completely when opened, in less than a
/// second.
const MAX_CHECKED_BYTES: u64 = 64 << 20;

/// `entries` is in insertion order: a commit writes whole pages, and this way
/// the entries of a hundred matches share one. `places` is the index from a
/// match to its entries. It has different pages for each match, so it is
/// updated in large batches. `indexed` has one row: the last entry in `places`.
/// Readers scan the few entries behind it. Text compares by bytes, which is
/// `SQLite`'s default.
pub(super) const SCHEMA: &str = "
    CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        match TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE entries (
        place INTEGER PRIMARY KEY,
        match INTEGER NOT NULL,
        sequence INTEGER NOT NULL CHECK (sequence > 0),
        entry BLOB NOT NULL
    ) STRICT;
    CREATE TABLE places (
        match INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        place INTEGER NOT NULL,
        PRIMARY KEY (match, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE indexed (place INTEGER NOT NULL) STRICT;
    INSERT INTO indexed VALUES (0);
    CREATE TABLE notices (
        match TEXT NOT NULL PRIMARY KEY,
        posted INTEGER NOT NULL UNIQUE,
        notice BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE probe (room BLOB NOT NULL) STRICT;
";

/// Adds the entries behind `indexed` to `places`, whose primary key guarantees
/// once more that no sequence number is taken twice.
pub(super) const UPDATE_INDEX: &str = "
    INSERT INTO places
    SELECT match, sequence, place FROM entries
    WHERE place > (SELECT place FROM indexed) ORDER BY match, sequence;
    UPDATE indexed SET place = (SELECT coalesce(max(place), 0) FROM entries);
";

/// A file of match logs, locked for this process.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    /// Held while any connection is open. The system releases it when the
    /// process ends, however it ends.
    _lock: File,
}

/// Why a file could not be opened as a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqliteOpenError {
    /// Another store has it open.
    #[error("{} is in use by another server", .0.display())]
    InUse(PathBuf),
    /// It was written by a version of this crate with another file format.
    #[error(
        "{} was written by another version of this program \
         (format {found}, this version needs {VERSION})",
        path.display()
    )]
    UnsupportedVersion {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: i32,
    },
    /// It is a database of another application.
    #[error("{} is a database of another application", .0.display())]
    ForeignDatabase(PathBuf),
    /// Its content is corrupt.
    #[error("{} is damaged: {cause}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage found.
        cause: String,
    },
    /// The operating system refused.
    #[error("{} cannot be opened: {cause}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// Its error.
        cause: String,
    },
}

/// Why [`LogFile::prepare`] failed.
#[derive(Debug, thiserror::Error)]
enum PrepareError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Open(#[from] SqliteOpenError),
}

impl LogFile {
    /// Locks, validates and, if needed, creates the file.
    pub(super) fn open(path: &Path) -> Result<(Self, Connection), SqliteOpenError> {
        let path = absolute(path).map_err(|error| SqliteOpenError::failed(path, error))?;
        let file = Self {
            _lock: lock(&path)?,
            path,
        };
        let connection = file.connect()?;
        file.prepare(&connection).map_err(|error| match error {
            PrepareError::Sqlite(error) => file.sqlite_error(error),
            PrepareError::Open(error) => error,
        })?;
        Ok((file, connection))
    }

    /// Opens another connection to the file.
    pub(super) fn connect(&self) -> Result<Connection, SqliteOpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(&self.path, flags).map_err(|error| self.sqlite_error(error))
    }

    /// Creates the schema or checks it, and sets the connection up for writing.
    fn prepare(&self, connection: &Connection) -> Result<(), PrepareError> {
        let application: i32 = pragma(connection, "application_id")?;
        let version: i32 = pragma(connection, "user_version")?;
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
        if (application, version, tables) == (0, 0, 0) {
            // In one transaction, so a crash cannot leave half a schema.
            connection.execute_batch(&format!(
                "BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION_ID};
                 PRAGMA user_version = {VERSION}; COMMIT"
            ))?;
        } else if application != APPLICATION_ID {
            return Err(SqliteOpenError::ForeignDatabase(self.path.clone()).into());
        } else if version != VERSION {
            let path = self.path.clone();
            let found = version;
            return Err(SqliteOpenError::UnsupportedVersion { path, found }.into());
        }
        let mode: String =
            connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get(0))?;
        if mode != "wal" {
            let cause = "its file system has no shared memory, which the write-ahead log needs";
            return Err(SqliteOpenError::failed(&self.path, cause).into());
        }
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        self.check_integrity(connection)?;
        connection.execute_batch(&format!("BEGIN IMMEDIATE; {UPDATE_INDEX} COMMIT"))?;
        Ok(())
    }

    /// Detects damage that would otherwise show only later.
    fn check_integrity(&self, connection: &Connection) -> Result<(), PrepareError> {
        // After a checkpoint the file has exactly `page_count` pages.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_row| Ok(()))?;
        let pages: u32 = pragma(connection, "page_count")?;
        let page_bytes: u32 = pragma(connection, "page_size")?;
        let expected = u64::from(pages) * u64::from(page_bytes);
        let metadata = fs::metadata(&self.path);
        let metadata = metadata.map_err(|error| SqliteOpenError::failed(&self.path, error))?;
        let bytes = metadata.len();
        if bytes < expected {
            let cause = format!("it has {bytes} of {expected} bytes");
            return Err(self.damaged(cause).into());
        }
        if bytes <= MAX_CHECKED_BYTES {
            let found: String =
                connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
            if found != "ok" {
                return Err(self.damaged(found).into());
            }
        }
        Ok(())
    }

    fn damaged(&self, cause: String) -> SqliteOpenError {
        SqliteOpenError::Damaged {
            path: self.path.clone(),
            cause,
        }
    }

    fn sqlite_error(&self, error: rusqlite::Error) -> SqliteOpenError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                self.damaged(error.to_string())
            }
            _ => SqliteOpenError::failed(&self.path, error),
        }
    }
}

impl SqliteOpenError {
    pub(super) fn failed(path: &Path, cause: impl fmt::Display) -> Self {
        Self::Failed {
            path: path.to_owned(),
            cause: cause.to_string(),
        }
    }
}

/// The canonical path, also of a file that does not exist yet.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    if path.exists() {
        return path.canonicalize();
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other("not a file name"));
    };
    // The parent of a mere name is empty.
    Ok(Path::new(".").join(parent).canonicalize()?.join(name))
}

/// Locks a file beside the store. Closing a handle of the store itself would
/// release the locks that `SQLite` holds on it in this process.
fn lock(path: &Path) -> Result<File, SqliteOpenError> {
    let mut lock_path = OsString::from(path);
    lock_path.push("-lock");
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock_path)
        .map_err(|error| SqliteOpenError::failed(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SqliteOpenError::InUse(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(SqliteOpenError::failed(path, error)),
    }
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
