use core::error::Error;
use core::fmt;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

/// `ottt`, which tells our files from those of others.
const APPLICATION: i32 = 0x6f74_7474;

/// What the tables look like.
const VERSION: i32 = 2;

/// The write-ahead log is moved into the file when it has so many pages: often
/// enough to stay small, seldom enough that a page which changes with every
/// move is moved once for many of them.
const WAL_PAGES: u32 = 8000;

/// What a connection keeps in memory, in KiB. More costs: `SQLite` walks over
/// all of it at the end of some commits.
const CACHE_KIB: i32 = 8_192;

/// A file up to this size is checked as a whole when it is opened, which takes
/// less than a second.
const CHECKED_BYTES: u64 = 64 << 20;

/// Texts compare by their bytes, as long as nobody says otherwise.
///
/// Entries stand in the order they came: those of a hundred matches share a
/// page, and a commit, which writes whole pages, writes few. Where the entries
/// of a match are is told by `places`, in which each match has a page of its own
/// to change; so it is brought up to date for many entries at once. `indexed` has
/// one row: the last entry that `places` knows. Those behind it are few enough
/// to be looked through.
const SCHEMA: &str = "
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

/// Adds to `places` what stands behind `indexed`. That no sequence number is
/// taken twice is checked here once more.
pub(super) const INDEX: &str = "
    INSERT INTO places
    SELECT match, sequence, place FROM entries
    WHERE place > (SELECT place FROM indexed) ORDER BY match, sequence;
    UPDATE indexed SET place = (SELECT coalesce(max(place), 0) FROM entries);
";

/// A file of match logs, which nobody else has open.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    /// Held until the last connection is gone; the system lets go of it when
    /// the process ends, however it ends.
    _lock: File,
}

/// A file cannot be used as a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqliteOpenError {
    /// Somebody has it open.
    InUse(PathBuf),
    /// It was written by another version of this crate, which wrote otherwise.
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: i32,
    },
    /// It is a database of something else.
    Foreign(PathBuf),
    /// It cannot be read as what it should be.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        cause: String,
    },
    /// The system does not let us.
    Failed {
        /// The file.
        path: PathBuf,
        /// What it says.
        cause: String,
    },
}

impl LogFile {
    /// Locks the file, and sees to it that it is one of ours.
    pub(super) fn open(path: &Path) -> Result<(Self, Connection), SqliteOpenError> {
        let path = absolute(path).map_err(|error| SqliteOpenError::failed(path, error))?;
        let file = Self {
            _lock: lock(&path)?,
            path,
        };
        let connection = file.connect()?;
        file.prepare(&connection)
            .map_err(|error| file.damaged(error))??;
        Ok((file, connection))
    }

    /// One more connection to it.
    pub(super) fn connect(&self) -> Result<Connection, SqliteOpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(&self.path, flags).map_err(|error| self.damaged(error))
    }

    fn prepare(&self, connection: &Connection) -> rusqlite::Result<Result<(), SqliteOpenError>> {
        let application: i32 = number(connection, "application_id")?;
        let version: i32 = number(connection, "user_version")?;
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
        if (application, version, tables) == (0, 0, 0) {
            // All or nothing, so that a crash leaves no half of it.
            connection.execute_batch(&format!(
                "BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION};
                 PRAGMA user_version = {VERSION}; COMMIT"
            ))?;
        } else if application != APPLICATION {
            return Ok(Err(SqliteOpenError::Foreign(self.path.clone())));
        } else if version != VERSION {
            return Ok(Err(SqliteOpenError::OtherVersion {
                path: self.path.clone(),
                found: version,
            }));
        }
        let mode: String =
            connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get(0))?;
        if mode != "wal" {
            let cause = "the file system has no shared memory, which a write-ahead log needs";
            return Ok(Err(SqliteOpenError::failed(&self.path, cause)));
        }
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        let examined = self.examine(connection)?;
        if examined.is_ok() {
            connection.execute_batch(&format!("BEGIN IMMEDIATE; {INDEX} COMMIT"))?;
        }
        Ok(examined)
    }

    /// Looks for damage that would show later.
    fn examine(&self, connection: &Connection) -> rusqlite::Result<Result<(), SqliteOpenError>> {
        // With the write-ahead log moved into it, the file is as long as it says.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_row| Ok(()))?;
        let pages: u32 = number(connection, "page_count")?;
        let page_bytes: u32 = number(connection, "page_size")?;
        let expected = u64::from(pages) * u64::from(page_bytes);
        let bytes = match fs::metadata(&self.path) {
            Ok(metadata) => metadata.len(),
            Err(error) => return Ok(Err(SqliteOpenError::failed(&self.path, error))),
        };
        if bytes < expected {
            let cause = format!("it has {bytes} bytes of {expected}");
            return Ok(Err(self.damage(cause)));
        }
        if bytes <= CHECKED_BYTES {
            let found: String =
                connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
            if found != "ok" {
                return Ok(Err(self.damage(found)));
            }
        }
        Ok(Ok(()))
    }

    fn damage(&self, cause: String) -> SqliteOpenError {
        SqliteOpenError::Damaged {
            path: self.path.clone(),
            cause,
        }
    }

    fn damaged(&self, error: rusqlite::Error) -> SqliteOpenError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                self.damage(error.to_string())
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

/// One name for one file, by whatever way one comes to it.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    if path.exists() {
        return path.canonicalize();
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other("not the name of a file"));
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    Ok(parent.canonicalize()?.join(name))
}

/// A file beside it is locked, not the file itself: closing that would undo the
/// locks that `SQLite` holds on it in the same process.
fn lock(path: &Path) -> Result<File, SqliteOpenError> {
    let mut beside = OsString::from(path);
    beside.push("-lock");
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&beside)
        .map_err(|error| SqliteOpenError::failed(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SqliteOpenError::InUse(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(SqliteOpenError::failed(path, error)),
    }
}

fn number<T: rusqlite::types::FromSql>(
    connection: &Connection,
    pragma: &str,
) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

impl fmt::Display for SqliteOpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse(path) => {
                write!(f, "{} is in use by another server", path.display())
            }
            Self::OtherVersion { path, found } => write!(
                f,
                "{} was written by another version of this program \
                 (format {found}; this one knows {VERSION})",
                path.display()
            ),
            Self::Foreign(path) => {
                write!(f, "{} is a database of something else", path.display())
            }
            Self::Damaged { path, cause } => {
                write!(f, "{} is damaged: {cause}", path.display())
            }
            Self::Failed { path, cause } => {
                write!(f, "{} cannot be opened: {cause}", path.display())
            }
        }
    }
}

impl Error for SqliteOpenError {}
