use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ServerAddress, path_text, private_file, private_folder};
use crate::protocol::PlayerKey;

/// The most bytes that are read of a file.
const MAX_BYTES: u64 = 4096;

/// A folder with the player's keys, each in a file that only the user can read.
///
/// Each server has a key of its own: a server that is sent a key could play with it
/// wherever else it is known.
///
/// Several processes may use a folder at once. What a file holds is never overwritten
/// unless the caller [says so](Self::replace), and a damaged file never is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyStore {
    folder: PathBuf,
}

/// Why a key cannot be read or kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyStoreError {
    /// The file cannot be read or written.
    #[error("can't {verb} the key file {}: {cause}", path_text(path))]
    Io {
        /// What was tried: `read` or `write`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: String,
    },
    /// The file holds something else than a key for this server.
    #[error(
        "the key file {} is damaged: restore it, or move it away to begin anew",
        path_text(path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// There is a key of another player.
    #[error("the key file {} has another player's key", path_text(path))]
    Occupied {
        /// The file.
        path: PathBuf,
    },
    /// The operating system has no random numbers.
    #[error("the operating system has no random numbers")]
    NoRandomness,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedKey {
    server: String,
    key: PlayerKey,
}

impl KeyStore {
    /// The keys in a folder, which is made with the first key.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The key for a server, if there is one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged.
    pub fn load(&self, server: &ServerAddress) -> Result<Option<PlayerKey>, KeyStoreError> {
        let path = self.path(server);
        let failed = io_error("read", &path);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(&failed)?,
        };
        file.lock_shared().map_err(&failed)?;
        read(&file, server, &path)
    }

    /// The key for a server, which is made if there is none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written or is damaged, or if there are no random
    /// numbers.
    pub fn load_or_create(&self, server: &ServerAddress) -> Result<PlayerKey, KeyStoreError> {
        if let Some(key) = self.load(server)? {
            return Ok(key);
        }
        let key = PlayerKey::random().map_err(|_| KeyStoreError::NoRandomness)?;
        match self.add(server, &key) {
            // Another process was faster.
            Err(KeyStoreError::Occupied { path }) => {
                let known = self.load(server)?;
                known.ok_or(KeyStoreError::Damaged { path })
            }
            added => added.map(|()| key),
        }
    }

    /// Keeps the key of a player who comes from another device.
    ///
    /// # Errors
    ///
    /// [`KeyStoreError::Occupied`] if there is another player's key; or if the file cannot
    /// be read or written or is damaged.
    pub fn add(&self, server: &ServerAddress, key: &PlayerKey) -> Result<(), KeyStoreError> {
        let path = self.path(server);
        let failed = io_error("write", &path);
        private_folder().create(&self.folder).map_err(&failed)?;
        let mut options = private_file();
        let file = options.create(true).truncate(false).open(&path);
        let mut file = file.map_err(&failed)?;
        file.lock().map_err(&failed)?;
        match read(&file, server, &path)? {
            Some(known) if known == *key => Ok(()),
            Some(_) => Err(KeyStoreError::Occupied { path: path.clone() }),
            None => {
                let written = write(&mut file, server, key);
                if written.is_err() {
                    // Half a key would be damage; an empty file has none.
                    let _ = file.set_len(0);
                }
                written.map_err(&failed)
            }
        }
    }

    /// Keeps a key instead of another player's, which is lost.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or if the old one is damaged.
    pub fn replace(&self, server: &ServerAddress, key: &PlayerKey) -> Result<(), KeyStoreError> {
        let path = match self.add(server, key) {
            Err(KeyStoreError::Occupied { path }) => path,
            added => return added,
        };
        let failed = io_error("write", &path);
        // The old key stays until the new one is on the disk.
        let new = path.with_extension(format!("{}.new", std::process::id()));
        let replaced = private_file().create_new(true).open(&new);
        let replaced = replaced.and_then(|mut file| write(&mut file, server, key));
        let replaced = replaced.and_then(|()| fs::rename(&new, &path));
        if replaced.is_err() {
            let _ = fs::remove_file(&new);
        }
        replaced.map_err(&failed)
    }

    fn path(&self, server: &ServerAddress) -> PathBuf {
        let scheme = if server.is_encrypted() {
            "https"
        } else {
            "http"
        };
        // An IPv6 address has colons, which some file systems do not allow.
        let host = server.host().replace(':', "_");
        let name = format!("{scheme}_{host}_{}.json", server.port());
        self.folder.join(name)
    }
}

/// The key in a file; `None` if it is empty, as a file is before its first key is
/// written.
fn read(
    file: &File,
    server: &ServerAddress,
    path: &Path,
) -> Result<Option<PlayerKey>, KeyStoreError> {
    let mut text = Vec::new();
    let length = file.take(MAX_BYTES).read_to_end(&mut text);
    if length.map_err(io_error("read", path))? == 0 {
        return Ok(None);
    }
    let saved: Option<SavedKey> = serde_json::from_slice(&text).ok();
    let saved = saved.filter(|saved| saved.server == server.to_string());
    let damaged = || KeyStoreError::Damaged {
        path: path.to_owned(),
    };
    saved.map(|saved| Some(saved.key)).ok_or_else(damaged)
}

fn write(file: &mut File, server: &ServerAddress, key: &PlayerKey) -> io::Result<()> {
    let saved = SavedKey {
        server: server.to_string(),
        key: key.clone(),
    };
    let text = serde_json::to_string(&saved).map_err(io::Error::other)?;
    file.write_all(format!("{text}\n").as_bytes())?;
    // A server must not know a key that a power cut takes away.
    file.sync_all()
}

fn io_error(verb: &'static str, path: &Path) -> impl Fn(io::Error) -> KeyStoreError {
    move |error| KeyStoreError::Io {
        verb,
        path: path.to_owned(),
        cause: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::thread::ScopedJoinHandle;

    use super::*;
    use crate::protocol::Token;

    const SERVER: &str = "http://localhost:7878";

    /// A store in a folder of this test, which is removed on drop.
    struct TestStore(KeyStore);

    impl TestStore {
        fn new(test: &str) -> Self {
            let name = format!("open_ttt-keys-{}-{test}", std::process::id());
            Self(KeyStore::new(std::env::temp_dir().join(name).join("keys")))
        }

        fn file(&self) -> PathBuf {
            self.0.folder.join("http_localhost_7878.json")
        }
    }

    impl Drop for TestStore {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(self.0.folder.parent().expect("a folder"));
        }
    }

    fn server(address: &str) -> ServerAddress {
        address.parse().expect("an address")
    }

    const fn key(byte: u8) -> PlayerKey {
        PlayerKey(Token::from_bytes([byte; Token::BYTES]))
    }

    #[test]
    fn a_key_is_made_once_for_each_server() {
        let store = TestStore::new("once");
        let first = server(SERVER);
        assert_eq!(store.0.load(&first), Ok(None));
        let made = store.0.load_or_create(&first).expect("a new key");
        assert_eq!(store.0.load(&first), Ok(Some(made.clone())));
        assert_eq!(store.0.load_or_create(&first), Ok(made.clone()));
        for other in [
            "https://localhost:7878",
            "http://localhost:7879",
            "http://127.0.0.1:7878",
            "http://[::1]:7878",
        ] {
            let other = store.0.load_or_create(&server(other));
            assert_ne!(other.expect("another key"), made);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode();
            assert_eq!(mode(&store.0.folder) & 0o777, 0o700);
            assert_eq!(mode(&store.file()) & 0o777, 0o600);
        }
    }

    #[test]
    fn processes_that_start_at_once_get_one_key() {
        let store = TestStore::new("at-once");
        let make = || store.0.load_or_create(&server(SERVER)).expect("a key");
        let keys = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            let keys = threads.into_iter().map(ScopedJoinHandle::join);
            keys.map(|key| key.expect("no panic")).collect::<Vec<_>>()
        });
        assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    }

    #[test]
    fn a_key_is_replaced_only_on_request() {
        let store = TestStore::new("replaced");
        let server = server(SERVER);
        assert_eq!(store.0.add(&server, &key(1)), Ok(()));
        assert_eq!(store.0.add(&server, &key(1)), Ok(()), "the same player");
        let other = store.0.add(&server, &key(2));
        let path = store.file();
        assert_eq!(other, Err(KeyStoreError::Occupied { path }));
        assert_eq!(store.0.load(&server), Ok(Some(key(1))));
        assert_eq!(store.0.replace(&server, &key(2)), Ok(()));
        assert_eq!(store.0.load(&server), Ok(Some(key(2))));
        let files = fs::read_dir(&store.0.folder).expect("a folder").count();
        assert_eq!(files, 1, "nothing is left over");
    }

    #[test]
    fn a_damaged_file_is_reported_and_kept() {
        let store = TestStore::new("damaged");
        let server = server(SERVER);
        store.0.add(&server, &key(1)).expect("kept");
        let whole = fs::read_to_string(store.file()).expect("a text");
        let of_another_server = whole.replace("7878", "7879");
        for damaged in [
            "x",
            "{}",
            &whole[..whole.len() / 2],
            &whole.replace("01", "0g"),
            &of_another_server,
            &" ".repeat(10_000),
        ] {
            fs::write(store.file(), damaged).expect("written");
            let path = store.file();
            let expected = KeyStoreError::Damaged { path };
            assert_eq!(store.0.load(&server), Err(expected.clone()), "{damaged}");
            assert_eq!(store.0.load_or_create(&server), Err(expected.clone()));
            assert_eq!(store.0.add(&server, &key(2)), Err(expected.clone()));
            assert_eq!(store.0.replace(&server, &key(2)), Err(expected));
            let kept = fs::read_to_string(store.file()).expect("a text");
            assert_eq!(kept, damaged);
        }
        // A crash before the first key was written leaves an empty file.
        fs::write(store.file(), "").expect("written");
        assert_eq!(store.0.load(&server), Ok(None));
        assert_eq!(store.0.add(&server, &key(2)), Ok(()));
        assert_eq!(store.0.load(&server), Ok(Some(key(2))));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_reported() {
        let store = TestStore::new("no-folder");
        let above = store.0.folder.parent().expect("a folder");
        fs::write(above, "a file").expect("written");
        let failure = store.0.load_or_create(&server(SERVER));
        let text = failure.expect_err("no key").to_string();
        assert!(text.contains("the key file \""), "{text}");
        fs::remove_file(above).expect("removed");
    }
}
