use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_lib::rules::Side;
use open_ttt_players::{Termination, TextRecord, TextRecordError};

use super::keeper::{CurrentFile, PERSON};

/// A game to go on with. Its file is locked.
#[derive(Debug)]
pub(crate) struct UnfinishedGame {
    file: CurrentFile,
    record: TextRecord,
    start: DynGame,
    moves: Vec<DynMove>,
}

impl UnfinishedGame {
    /// The game in a file; `None` if somebody plays it or it has no moves.
    ///
    /// # Errors
    ///
    /// If the file isn't one of an unfinished game, as a sentence without its full stop.
    pub(super) fn open(path: &Path, catalog: &Catalog) -> Result<Option<Self>, String> {
        let file = match File::options().read(true).write(true).open(path) {
            Ok(file) => file,
            // Somebody has finished it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error.to_string()),
        }
        let Some((line, length)) = last_line(&file).map_err(|error| error.to_string())? else {
            // Its program was killed before the first move. If it can't be removed it is as
            // good as not there.
            let _ = fs::remove_file(path);
            return Ok(None);
        };
        let line = String::from_utf8(line).map_err(|_| "it isn't UTF-8".to_owned())?;
        let record: TextRecord = line
            .parse()
            .map_err(|error: TextRecordError| error.to_string())?;
        if record.termination() != Termination::Unfinished {
            return Err("it has a result".to_owned());
        }
        let (start, moves) = record
            .replay(|name| catalog.game(name))
            .map_err(|error| error.to_string())?;
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
