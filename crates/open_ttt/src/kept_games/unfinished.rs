use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_lib::rules::Side;
use open_ttt_players::{ReplayError, Termination, TextRecord, TextRecordError};

use super::keeper::{CurrentFile, PERSON};

/// Why a file can't be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// It isn't that of an unfinished game, as a sentence without its full stop.
    Damaged(String),
    /// The system doesn't let it be read, now at least.
    System(io::Error),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData => Self::Damaged(error.to_string()),
            _ => Self::System(error),
        }
    }
}

/// A game to go on with. Its file is locked.
#[derive(Debug)]
pub(crate) struct UnfinishedGame {
    file: CurrentFile,
    record: TextRecord,
    start: DynGame,
    moves: Vec<DynMove>,
}

impl UnfinishedGame {
    /// The game in a file; `None` if somebody plays it, it has no moves, or the catalog doesn't
    /// have it: programs with other games share the folder.
    pub(super) fn open(path: &Path, catalog: &Catalog) -> Result<Option<Self>, Unreadable> {
        let file = match File::options().read(true).write(true).open(path) {
            Ok(file) => file,
            // Somebody has finished it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let Some((line, length)) = last_line(&file)? else {
            // Its program was killed before the first move. If it can't be removed it is as
            // good as not there.
            let _ = fs::remove_file(path);
            return Ok(None);
        };
        let damaged = |error: &dyn fmt::Display| Unreadable::Damaged(error.to_string());
        let line = String::from_utf8(line).map_err(|_| damaged(&"it isn't UTF-8"))?;
        let record: TextRecord = line
            .parse()
            .map_err(|error: TextRecordError| damaged(&error))?;
        if record.termination() != Termination::Unfinished {
            return Err(damaged(&"it has a result"));
        }
        let (start, moves) = match record.replay(|name| catalog.game(name)) {
            Ok(replayed) => replayed,
            Err(ReplayError::Game(_)) => return Ok(None),
            Err(error) => return Err(damaged(&error)),
        };
        Ok(Some(Self {
            file: CurrentFile {
                file,
                path: path.to_owned(),
                length,
            },
            record,
            start,
            moves,
        }))
    }

    pub(super) const fn record(&self) -> &TextRecord {
        &self.record
    }

    pub(crate) const fn game(&self) -> &DynGame {
        &self.start
    }

    pub(crate) fn moves(&self) -> &[DynMove] {
        &self.moves
    }

    /// The computer that plays a side; `None` for a person.
    pub(crate) fn computer(&self, side: Side) -> Option<&str> {
        Some(self.record.player(side)).filter(|&name| name != PERSON)
    }

    /// The game in a few words: `Connect Four, 12 moves, you against easy`.
    pub(crate) fn summary(&self) -> String {
        let title = self.start.entry().title;
        let moves = match self.moves.len() {
            1 => "1 move".to_owned(),
            count => format!("{count} moves"),
        };
        let players = match Side::BOTH.map(|side| self.computer(side)) {
            [None, None] => "two people".to_owned(),
            [Some(name), _] | [None, Some(name)] => {
                // A level's name is followed by how many mistakes it makes.
                let level = name.split(',').next().unwrap_or(name);
                format!("you against {level}")
            }
        };
        format!("{title}, {moves}, {players}")
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.file.path)
    }

    pub(super) fn into_file(self) -> CurrentFile {
        self.file
    }
}

/// The last line of a file that has its end, `None` if there is none, and the length of the
/// file up to there: what was written of another line doesn't count.
fn last_line(mut file: &File) -> io::Result<Option<(Vec<u8>, u64)>> {
    /// A whole line, and the beginning of the next.
    const READ: u64 = 2 * (TextRecord::MAX_LENGTH as u64 + 1);
    let length = file.metadata()?.len();
    let first = length.saturating_sub(READ);
    file.seek(SeekFrom::Start(first))?;
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes)?;
    let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') else {
        return if length >= READ {
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "its line is too long",
            ))
        } else {
            Ok(None)
        };
    };
    bytes.truncate(end);
    let start = bytes.iter().rposition(|&byte| byte == b'\n');
    bytes.drain(..start.map_or(0, |start| start + 1));
    Ok(Some((bytes, first + end as u64 + 1)))
}
