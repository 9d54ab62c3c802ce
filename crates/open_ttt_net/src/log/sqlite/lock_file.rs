use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::SqliteOpenError;
use crate::file_lock::FileLock;

/// The file beside a store that locks it, and tells whether the store was closed.
///
/// Locking the store itself would not do: closing a handle of it would release
/// the locks that `SQLite` holds on it in this process.
#[derive(Debug)]
pub(super) struct LockFile {
    lock: FileLock,
}

/// Whether a store was closed with everything in its main file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreState {
    /// Not closed: the write-ahead log is part of the store.
    Open,
    /// Closed. Also the state of a store without a lock file.
    Closed,
}

/// The texts have the same length: writing one over the other needs no room on
/// the disk.
const OPEN: &[u8; 7] = b"open  \n";
const CLOSED: &[u8; 7] = b"closed\n";

impl LockFile {
    /// The path of the lock file of a store.
    pub(super) fn path(store: &Path) -> PathBuf {
        beside(store, "-lock")
    }

    /// Locks a store for this process.
    pub(super) fn acquire(store: &Path) -> Result<Self, SqliteOpenError> {
        match FileLock::acquire(&Self::path(store)) {
            Ok(lock) => Ok(Self { lock }),
            Err(TryLockError::WouldBlock) => Err(SqliteOpenError::InUse(store.to_owned())),
            Err(TryLockError::Error(error)) => Err(SqliteOpenError::failed(store, error)),
        }
    }

    /// The recorded state.
    pub(super) fn state(&self) -> io::Result<StoreState> {
        let mut file = self.lock.file();
        file.rewind()?;
        StoreState::read(file)
    }

    /// The recorded state of a store that this process does not lock.
    pub(super) fn recorded_state(store: &Path) -> io::Result<StoreState> {
        match File::open(Self::path(store)).and_then(|file| StoreState::read(&file)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(StoreState::Closed),
            Err(error) if is_locked(&error) => Ok(StoreState::Open),
            state => state,
        }
    }

    /// Records a state durably.
    pub(super) fn set_state(&self, state: StoreState) -> io::Result<()> {
        let text = match state {
            StoreState::Open => OPEN,
            StoreState::Closed => CLOSED,
        };
        let mut file = self.lock.file();
        file.rewind()?;
        file.write_all(text)?;
        file.sync_data()
    }
}

impl StoreState {
    fn read(file: &File) -> io::Result<Self> {
        let mut text = Vec::new();
        file.take(OPEN.len() as u64).read_to_end(&mut text)?;
        Ok(if text == OPEN {
            Self::Open
        } else {
            Self::Closed
        })
    }
}

/// Whether a file can't be read because another process has locked it, as on Windows.
fn is_locked(error: &io::Error) -> bool {
    const LOCK_VIOLATION: i32 = 33;
    cfg!(windows) && error.raw_os_error() == Some(LOCK_VIOLATION)
}

/// The path of the write-ahead log of a store.
pub(super) fn write_ahead_log(store: &Path) -> PathBuf {
    beside(store, "-wal")
}

/// The path of the shared memory of a store's connections.
pub(super) fn shared_memory(store: &Path) -> PathBuf {
    beside(store, "-shm")
}

/// A file that belongs to a store: its path with a suffix.
pub(super) fn beside(store: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(store);
    path.push(suffix);
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_locked_store_can_be_read() {
        let name = format!("open_ttt-recorded-{}.db", std::process::id());
        let store = std::env::temp_dir().join(name);
        let recorded = || LockFile::recorded_state(&store).expect("a state");
        assert_eq!(recorded(), StoreState::Closed);
        let lock = LockFile::acquire(&store).expect("free");
        lock.set_state(StoreState::Open).expect("recorded");
        assert_eq!(recorded(), StoreState::Open);
        assert_eq!(lock.state().expect("a state"), StoreState::Open);
        drop(lock);
        assert_eq!(recorded(), StoreState::Open);
        std::fs::remove_file(LockFile::path(&store)).expect("removed");
    }

    /// Whether a locked file can be read there depends on the system, so this asks for its error.
    #[cfg(windows)]
    #[test]
    fn windows_refuses_to_read_what_is_locked() {
        let refused = io::Error::from_raw_os_error(33);
        assert!(is_locked(&refused), "{refused}");
        assert!(!is_locked(&io::Error::from_raw_os_error(32)));
    }
}
