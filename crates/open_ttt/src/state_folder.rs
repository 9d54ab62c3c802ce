use std::env;
use std::path::PathBuf;

use open_ttt_net::client::KeyStore;

/// The folder for what the program keeps between its runs; `None` if the environment
/// names none.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let from = |name| env::var_os(name).map(PathBuf::from);
    let state = from("XDG_STATE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(from("HOME")?.join(".local/state")))
        .or_else(|| from("LOCALAPPDATA"))?;
    Some(state.join("open_ttt"))
}

/// The player's keys. An error is a sentence.
pub(crate) fn key_store() -> Result<KeyStore, &'static str> {
    let folder = state_folder();
    let folder = folder.ok_or("your key needs a folder: set HOME or XDG_STATE_HOME")?;
    Ok(KeyStore::new(folder.join("keys")))
}
