//! Files and folders, with errors that name them.

use std::fs;
use std::io;
use std::path::Path;

/// The message for an error of a file.
pub(crate) fn of_file(path: &Path) -> impl Fn(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Writes a file, in folders that are made if they are missing.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(of_file(folder))?;
    }
    fs::write(path, contents).map_err(of_file(path))
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(of_file(folder))?;
    }
    Ok(())
}
