use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::MatchId;
use crate::file_lock::FileLock;

/// A folder with the games of deleted matches, a file a month: `2026-11.tsv`.
///
/// A match is appended, then deleted from its store, then [kept](Self::keep). If the
/// server is killed between these steps, [`unsettled`](Self::unsettled) tells the next
/// one, so each game is archived exactly once.
#[derive(Debug)]
pub(in crate::server) struct Archive {
    folder: PathBuf,
    _lock: FileLock,
}

/// The match that was appended last, while it may still be in its store.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Unsettled {
    #[serde(rename = "match")]
    id: MatchId,
    /// When the match last changed, in milliseconds since 1970.
    at: u64,
    /// The length of the month's file before, in bytes.
    length: u64,
}

/// The file with what is [`Unsettled`].
const UNSETTLED: &str = "unsettled.json";

impl Archive {
    /// Opens the folder, which is created if it does not exist.
    pub(in crate::server) fn open(folder: &Path) -> io::Result<Self> {
        let failed = |error: io::Error| {
            let text = format!("can't use the archive {}: {error}", folder.display());
            io::Error::new(error.kind(), text)
        };
        Self::open_folder(folder).map_err(failed)
    }

    fn open_folder(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let lock = FileLock::acquire(&folder.join("lock")).map_err(|error| match error {
            TryLockError::WouldBlock => {
                io::Error::other("another server uses it; give each server its own")
            }
            TryLockError::Error(error) => error,
        })?;
        let archive = Self {
            folder: folder.to_owned(),
            _lock: lock,
        };
        // Fails early in a folder that can't be written.
        archive.write_aside(b"")?;
        Ok(archive)
    }

    /// The match that was appended last, unless it is settled: it belongs into the
    /// archive exactly if it is no longer in its store.
    pub(super) fn unsettled(&self) -> io::Result<Option<MatchId>> {
        Ok(self.read_unsettled()?.map(|unsettled| unsettled.id))
    }

    /// Appends lines to the file of the month that the time `at` is in, in milliseconds
    /// since 1970, durably. Nothing is appended if it fails.
    pub(super) fn append(&self, id: &MatchId, at: u64, lines: &str) -> io::Result<()> {
        let path = self.month(at);
        let mut file = File::options().append(true).create(true).open(&path)?;
        let unsettled = Unsettled {
            id: id.clone(),
            at,
            length: file.metadata()?.len(),
        };
        let unsettled = serde_json::to_vec(&unsettled).map_err(io::Error::other)?;
        self.write_aside(&unsettled)?;
        fs::rename(self.aside(), self.folder.join(UNSETTLED))?;
        sync_folder(&self.folder)?;
        let written = file
            .write_all(lines.as_bytes())
            .and_then(|()| file.sync_all());
        // If this fails too, the match stays unsettled.
        written.inspect_err(|_| drop(self.take_back()))
    }

    /// The match that was appended last has been deleted.
    pub(super) fn keep(&self) -> io::Result<()> {
        fs::remove_file(self.folder.join(UNSETTLED))
    }

    /// Removes the lines that were appended last: the match is still in its store.
    pub(super) fn take_back(&self) -> io::Result<()> {
        let Some(Unsettled { at, length, .. }) = self.read_unsettled()? else {
            return Ok(());
        };
        match File::options().write(true).open(self.month(at)) {
            Ok(file) => {
                if file.metadata()?.len() > length {
                    file.set_len(length)?;
                    file.sync_all()?;
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.keep()
    }

    fn read_unsettled(&self) -> io::Result<Option<Unsettled>> {
        match fs::read(self.folder.join(UNSETTLED)) {
            Ok(bytes) => {
                let invalid = |error| io::Error::other(format!("{UNSETTLED}: {error}"));
                serde_json::from_slice(&bytes).map(Some).map_err(invalid)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A file to be renamed once it is on the disk.
    fn aside(&self) -> PathBuf {
        self.folder.join("unsettled.new")
    }

    fn write_aside(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(self.aside())?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn month(&self, at: u64) -> PathBuf {
        let (year, month) = year_and_month(at);
        self.folder.join(format!("{year:04}-{month:02}.tsv"))
    }
}

/// The year and the month, from 1, of a time in milliseconds since 1970, in UTC
/// (`civil_from_days`, Howard Hinnant, 2013).
const fn year_and_month(at: u64) -> (u64, u64) {
    // Years begin in March, so that a leap day is the last of its year; 719,468 days lie
    // between March of the year 0 and 1970.
    let days = at / 86_400_000 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let leap_days = day_of_era / 1_460 + day_of_era / 146_096 - day_of_era / 36_524;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months_after_march = (5 * day_of_year + 2) / 153;
    let year = 400 * era + year_of_era;
    if months_after_march < 10 {
        (year, months_after_march + 3)
    } else {
        (year + 1, months_after_march - 9)
    }
}

/// Makes the entries of a folder durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every day from 1970 to 2399 counted one by one.
    #[test]
    fn months_are_those_of_the_calendar() {
        let mut day = 0;
        for year in 1970..2400 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                for _ in 0..length {
                    for at in [day * 86_400_000, (day + 1) * 86_400_000 - 1] {
                        assert_eq!(year_and_month(at), (year, month), "{at}");
                    }
                    day += 1;
                }
            }
        }
    }
}
