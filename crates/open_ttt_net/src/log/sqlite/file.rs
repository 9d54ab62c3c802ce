use core::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::lock_file::{LockFile, StoreState, write_ahead_log};

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
    /// Held while any connection is open.
    lock: LockFile,
}

/// Why a file could not be opened as a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqliteOpenError {
    /// Another store has it open.
    #[error("{} is in use by another server", .0.display())]
    InUse(PathBuf),
    /// It has a second name, which has a lock of its own: two servers could
    /// open the file at once.
    #[error(
        "{} has another name too (a hard link), under which another server could open it: \
         remove one of the names, or use a copy",
        .0.display()
    )]
    HardLinked(PathBuf),
    /// There is such a file already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// A part of the store is missing.
    #[error(
        "{} is missing, and the latest moves may be in it: put it back, restore a backup, \
         or delete {} to go on without it",
        missing.display(),
        mark.display()
    )]
    Incomplete {
        /// The file that is missing.
        missing: PathBuf,
        /// The file that shows that it is.
        mark: PathBuf,
    },
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

/// Why a connection could not be used as a store.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrepareError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Open(#[from] SqliteOpenError),
}

impl LogFile {
    /// Locks, validates and, if needed, creates the file.
    pub(super) fn open(path: &Path) -> Result<(Self, Connection), SqliteOpenError> {
        let path = absolute(path).map_err(|error| SqliteOpenError::failed(path, error))?;
        let failed = |error| SqliteOpenError::failed(&path, error);
        check_links(&path)?;
        let lock = LockFile::acquire(&path)?;
        check_complete(&path, lock.state().map_err(failed)?)?;
        let connection = connect(&path)?;
        prepare(&path, &connection).map_err(|error| error.of_file(&path))?;
        // Only now: `Open` means that there is a write-ahead log.
        let recorded = sync_folder(&path).and_then(|()| lock.set_state(StoreState::Open));
        match recorded {
            // On a full disk, only the check of the next start is lost.
            Err(error) if error.kind() != io::ErrorKind::StorageFull => Err(failed(error)),
            _ => Ok((Self { path, lock }, connection)),
        }
    }

    /// Opens another connection to the file.
    pub(super) fn connect(&self) -> Result<Connection, SqliteOpenError> {
        connect(&self.path)
    }

    /// Opens another connection, to write to the file while other connections are open.
    pub(super) fn reopen(&self) -> Result<Connection, SqliteOpenError> {
        // SQLite would create what is missing, without the entries that were acknowledged.
        check_complete(&self.path, StoreState::Open)?;
        let connection = self.connect()?;
        let prepared =
            check_format(&self.path, &connection).and_then(|()| prepare(&self.path, &connection));
        prepared.map_err(|error| error.of_file(&self.path))?;
        Ok(connection)
    }
}

impl Drop for LogFile {
    /// Closes the store: all connections are closed already.
    fn drop(&mut self) {
        // The next start continues with the write-ahead log otherwise.
        let _ = self.close();
    }
}

impl LogFile {
    /// Moves everything into the main file and records that.
    fn close(&self) -> Result<(), PrepareError> {
        let connection = connect(&self.path)?;
        if checkpoint(&connection)? {
            let recorded = self.lock.set_state(StoreState::Closed);
            recorded.map_err(|error| SqliteOpenError::failed(&self.path, error))?;
            // Closing this last connection deletes the empty write-ahead log.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        }
        Ok(())
    }
}

/// Opens a connection that leaves the write-ahead log as it is when it is closed,
/// so that the log disappears only after [`LogFile::close`].
fn connect(path: &Path) -> Result<Connection, SqliteOpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(connection)
    };
    open().map_err(|error| PrepareError::Sqlite(error).of_file(path))
}

/// Creates the schema or checks it, and sets the connection up for writing.
///
/// On a full disk the store opens all the same: it can be read, and written as
/// soon as there is room.
fn prepare(path: &Path, connection: &Connection) -> Result<(), PrepareError> {
    if is_empty(connection)? {
        // In one transaction, so a crash cannot leave half a schema.
        connection.execute_batch(&format!(
            "BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {VERSION}; COMMIT"
        ))?;
    } else {
        check_format(path, connection)?;
    }
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get(0))?;
    if mode != "wal" {
        let cause = "its file system has no shared memory, which the write-ahead log needs";
        return Err(SqliteOpenError::failed(path, cause).into());
    }
    wait_for_the_disk(connection)?;
    connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    check_integrity(path, connection)?;
    let update = connection.execute_batch(&format!("BEGIN IMMEDIATE; {UPDATE_INDEX} COMMIT"));
    match update {
        Err(error) if is_disk_full(&error) => {
            if !connection.is_autocommit() {
                connection.execute_batch("ROLLBACK")?;
            }
            Ok(())
        }
        update => Ok(update?),
    }
}

/// Lets each commit wait until the disk has it.
fn wait_for_the_disk(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS, fsync alone leaves what was written in the disk's own memory. Elsewhere this
    // changes nothing.
    connection.pragma_update(None, "fullfsync", true)
}

/// Whether a database has been created just now.
fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    let marks: [i32; 2] = [
        pragma(connection, "application_id")?,
        pragma(connection, "user_version")?,
    ];
    Ok(tables == 0 && marks == [0, 0])
}

/// Refuses a database of another application or format.
pub(super) fn check_format(path: &Path, connection: &Connection) -> Result<(), PrepareError> {
    let application: i32 = pragma(connection, "application_id")?;
    if application != APPLICATION_ID {
        return Err(SqliteOpenError::ForeignDatabase(path.to_owned()).into());
    }
    let found: i32 = pragma(connection, "user_version")?;
    if found != VERSION {
        let path = path.to_owned();
        return Err(SqliteOpenError::UnsupportedVersion { path, found }.into());
    }
    Ok(())
}

/// Detects damage that would otherwise show only later.
fn check_integrity(path: &Path, connection: &Connection) -> Result<(), PrepareError> {
    let damaged = |cause| {
        let path = path.to_owned();
        Err(SqliteOpenError::Damaged { path, cause }.into())
    };
    let metadata = || fs::metadata(path).map_err(|error| SqliteOpenError::failed(path, error));
    match checkpoint(connection) {
        // The file has exactly `page_count` pages now.
        Ok(true) => {
            let pages: u32 = pragma(connection, "page_count")?;
            let page_bytes: u32 = pragma(connection, "page_size")?;
            let expected = u64::from(pages) * u64::from(page_bytes);
            let bytes = metadata()?.len();
            if bytes < expected {
                return damaged(format!("it has {bytes} of {expected} bytes"));
            }
        }
        Ok(false) => {}
        Err(error) if is_disk_full(&error) => {}
        Err(error) => return Err(error.into()),
    }
    if metadata()?.len() <= MAX_CHECKED_BYTES {
        let found: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
        if found != "ok" {
            return damaged(found);
        }
    }
    Ok(())
}

/// Moves the write-ahead log into the main file. Returns whether it is empty
/// now; other connections can prevent it.
fn checkpoint(connection: &Connection) -> rusqlite::Result<bool> {
    let busy: i32 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
    Ok(busy == 0)
}

fn is_disk_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}

/// Refuses a file with several names.
fn check_links(path: &Path) -> Result<(), SqliteOpenError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if fs::metadata(path).is_ok_and(|file| file.is_file() && file.nlink() > 1) {
            return Err(SqliteOpenError::HardLinked(path.to_owned()));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Refuses a store of which a part is missing. `SQLite` would start without it.
pub(super) fn check_complete(path: &Path, state: StoreState) -> Result<(), SqliteOpenError> {
    let (has_file, log) = (path.exists(), write_ahead_log(path));
    let incomplete = |missing: &Path, mark: PathBuf| {
        let missing = missing.to_owned();
        Err(SqliteOpenError::Incomplete { missing, mark })
    };
    match (has_file, log.exists()) {
        (false, true) => incomplete(path, log),
        (false, false) if state == StoreState::Open => incomplete(path, LockFile::path(path)),
        (true, false) if state == StoreState::Open => incomplete(&log, LockFile::path(path)),
        _ => Ok(()),
    }
}

/// Makes the names of new files in the folder of a file durable, where the
/// system has that.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().unwrap_or(Path::new("/"));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

impl PrepareError {
    pub(super) fn of_file(self, path: &Path) -> SqliteOpenError {
        let error = match self {
            Self::Open(error) => return error,
            Self::Sqlite(error) => error,
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                SqliteOpenError::Damaged {
                    path: path.to_owned(),
                    cause: error.to_string(),
                }
            }
            _ => SqliteOpenError::failed(path, error),
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
pub(super) fn absolute(path: &Path) -> io::Result<PathBuf> {
    if path.exists() {
        return dunce::canonicalize(path);
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other("not a file name"));
    };
    // The parent of a mere name is empty.
    Ok(dunce::canonicalize(Path::new(".").join(parent))?.join(name))
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More entries than fit into the index of a full database.
    const FILL: &str = "
        INSERT INTO matches VALUES (1, 'a');
        INSERT INTO entries (match, sequence, entry)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
        SELECT 1, n, x'78' FROM numbers;";

    #[test]
    fn a_commit_waits_for_the_disk() {
        let connection = Connection::open_in_memory().expect("a database");
        wait_for_the_disk(&connection).expect("settings");
        let settings = ["synchronous", "fullfsync"].map(|name| pragma::<i32>(&connection, name));
        assert_eq!(settings, [Ok(2), Ok(1)]);
    }

    #[test]
    fn a_store_on_a_full_disk_opens_and_is_indexed_later() {
        let name = format!("open_ttt-full-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("matches.db");
        let connection = connect(&path).expect("a file");
        prepare(&path, &connection).expect("an empty store");
        connection.execute_batch(FILL).expect("entries");

        let pages: u32 = pragma(&connection, "page_count").expect("a number");
        let limit = |pages: u32| {
            let limit = connection
                .pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, u32>(0));
            assert_eq!(limit, Ok(pages));
        };
        let indexed = || {
            let count = "SELECT count(*) FROM places";
            let count = connection.query_row(count, (), |row| row.get::<_, u32>(0));
            count.expect("a number")
        };
        limit(pages);
        prepare(&path, &connection).expect("a full store opens");
        assert_eq!(indexed(), 0);
        assert!(connection.is_autocommit(), "no transaction is left open");

        limit(pages + 100);
        prepare(&path, &connection).expect("a store with room");
        assert_eq!(indexed(), 3000);
        drop(connection);
        fs::remove_dir_all(&folder).expect("the folder");
    }
}
