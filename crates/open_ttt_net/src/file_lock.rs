use std::fs::{File, TryLockError};
use std::path::Path;

/// A file that is locked for this process.
#[derive(Debug)]
pub(crate) struct FileLock {
    /// The system releases the lock when the process ends, however it ends.
    file: File,
}

impl FileLock {
    /// Locks a file, which is created if it does not exist, for reading and writing.
    pub(crate) fn acquire(path: &Path) -> Result<Self, TryLockError> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(TryLockError::Error)?;
        file.try_lock()?;
        Ok(Self { file })
    }

    #[cfg(feature = "sqlite")]
    pub(crate) const fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for FileLock {
    /// Closing the file would do only if no other process had a copy of the handle, as a
    /// process has for a moment that this one is starting.
    fn drop(&mut self) {
        // An error leaves that for the system to do.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_free_although_its_handle_is_copied() {
        let name = format!("open_ttt-lock-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let lock = FileLock::acquire(&path).expect("free");
        let copy = lock.file.try_clone().expect("a copy");
        let again = FileLock::acquire(&path);
        assert!(matches!(again, Err(TryLockError::WouldBlock)), "{again:?}");
        drop(lock);
        FileLock::acquire(&path).expect("free again");
        drop(copy);
        std::fs::remove_file(&path).expect("removed");
    }
}
