//! Temporary folders for tests.

use std::path::PathBuf;

/// A folder that is empty at first and deleted on drop.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the folder. No other test uses its name.
    pub(crate) fn new(name: &str) -> Self {
        // A path of a Linux machine on which the test was compiled for Windows has no drive.
        let folder = std::path::absolute(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let folder = folder.join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The next run deletes the rest.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
