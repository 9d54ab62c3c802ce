use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use open_ttt_net::client::{Link, private_file, private_folder};
use open_ttt_net::matches::Seat;
use open_ttt_net::protocol::Token;
use serde::{Deserialize, Serialize};

use crate::folders::state_folder;

/// The age at which an unused file is deleted.
const MAX_AGE: Duration = Duration::from_hours(90 * 24);

/// The most bytes that are read of a file.
const MAX_BYTES: u64 = 4096;

/// The user's seats in matches, each with its secret token in a file that only the
/// user can read.
///
/// The file is locked while its seat is played, so that the same command in another
/// window takes the other seat.
#[derive(Debug)]
pub(super) struct SavedSeats {
    folder: Option<PathBuf>,
    /// The locked file of the current seat.
    locked: Option<File>,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSeat {
    link: String,
    seat: Seat,
    token: Token,
}

impl SavedSeats {
    pub(super) fn open() -> Self {
        Self {
            folder: state_folder().map(|folder| folder.join("seats")),
            locked: None,
        }
    }

    fn path(&self, link: &Link, seat: Seat) -> Option<PathBuf> {
        let server = link.server();
        let host = server.host().replace(':', "_");
        let name = format!("{host}_{}_{}_{seat}.json", server.port(), link.id());
        Some(self.folder.as_ref()?.join(name))
    }

    /// The token of a saved seat in this match, unless another process plays it.
    pub(super) fn resume(&mut self, link: &Link) -> Option<Token> {
        Seat::ALL.into_iter().find_map(|seat| {
            let path = self.path(link, seat)?;
            let file = private_file().open(path).ok()?;
            file.try_lock().ok()?;
            let mut text = String::new();
            (&file).take(MAX_BYTES).read_to_string(&mut text).ok()?;
            let saved: SavedSeat = serde_json::from_str(&text).ok()?;
            let is_same = saved.link == link.to_string() && saved.seat == seat;
            is_same.then(|| {
                self.locked = Some(file);
                saved.token
            })
        })
    }

    /// Whether another process plays a saved seat in this match.
    pub(super) fn is_played_elsewhere(&self, link: &Link) -> bool {
        let mut paths = Seat::ALL
            .into_iter()
            .filter_map(|seat| self.path(link, seat));
        paths.any(|path| {
            let file = File::open(path);
            file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
        })
    }

    /// Saves the token of a seat, unless its file is already locked.
    pub(super) fn save(&mut self, link: &Link, seat: Seat) -> io::Result<()> {
        let (Some(token), None, Some(path)) = (link.token(), &self.locked, self.path(link, seat))
        else {
            return Ok(());
        };
        let folder = path.parent().unwrap_or(&path);
        private_folder().create(folder)?;
        remove_expired(folder);
        let mut file = private_file().create(true).open(&path)?;
        if file.try_lock().is_err() {
            // Another process plays this seat.
            return Ok(());
        }
        file.set_len(0)?;
        file.rewind()?;
        let saved = SavedSeat {
            link: link.to_string(),
            seat,
            token: token.clone(),
        };
        let text = serde_json::to_string(&saved).map_err(io::Error::other)?;
        writeln!(file, "{text}")?;
        self.locked = Some(file);
        Ok(())
    }
}

/// Deletes expired files, as far as possible.
fn remove_expired(folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else {
        return;
    };
    for file in files.flatten() {
        let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
        let is_seat = file.path().extension().is_some_and(|ext| ext == "json");
        if is_seat && age().is_some_and(|age| age > MAX_AGE) {
            let _ = fs::remove_file(file.path());
        }
    }
}
