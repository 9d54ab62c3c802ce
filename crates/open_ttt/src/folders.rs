//! Where the program keeps what it needs between its runs.

use std::env;
use std::path::PathBuf;

use open_ttt_net::client::KeyStore;

/// The environment variable with the folder of the games.
const DATA_DIR: &str = "OPEN_TTT_DATA_DIR";
/// The environment variable with the folder of the settings.
const CONFIG_DIR: &str = "OPEN_TTT_CONFIG_DIR";

/// The folder for the seats and keys on servers; `None` if the environment names none.
pub(crate) fn state_folder() -> Option<PathBuf> {
    platform_folder("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA")
}

/// The folder for the games; `None` if the environment names none.
pub(crate) fn data_folder() -> Option<PathBuf> {
    chosen_folder(DATA_DIR)
        .or_else(|| platform_folder("XDG_DATA_HOME", ".local/share", "LOCALAPPDATA"))
}

/// The folder for the settings; `None` if the environment names none.
pub(crate) fn config_folder() -> Option<PathBuf> {
    chosen_folder(CONFIG_DIR).or_else(|| platform_folder("XDG_CONFIG_HOME", ".config", "APPDATA"))
}

/// The folder that a variable of the program itself names.
fn chosen_folder(variable: &str) -> Option<PathBuf> {
    let chosen = env::var_os(variable).filter(|path| !path.is_empty());
    chosen.map(PathBuf::from)
}

/// The program's part of a folder of the XDG base directory specification, or of the
/// folder for it below the home directory or on Windows. macOS has one folder for all of them.
fn platform_folder(
    xdg_variable: &str,
    below_home: &str,
    windows_variable: &str,
) -> Option<PathBuf> {
    let below_home = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        below_home
    };
    let from = |name| env::var_os(name).map(PathBuf::from);
    let folder = from(xdg_variable)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(from("HOME")?.join(below_home)))
        .or_else(|| from(windows_variable))?;
    Some(folder.join("open_ttt"))
}

/// The player's keys. An error is a sentence.
pub(crate) fn key_store() -> Result<KeyStore, &'static str> {
    let folder = state_folder();
    let folder = folder.ok_or("your key needs a folder: set HOME or XDG_STATE_HOME")?;
    Ok(KeyStore::new(folder.join("keys")))
}
