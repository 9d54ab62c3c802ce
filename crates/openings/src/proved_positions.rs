use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::rules::{CompactKey, Symmetry};
use open_ttt_search::{Grade, Score};

/// The proved positions, in memory and in a file to which new ones are appended.
///
/// Symmetric positions share the key of their canonical image. The value of a
/// position is the number of plies to the end, negative if the side to move loses
/// and 0 for a draw.
#[derive(Debug)]
pub(crate) struct ProvedPositions {
    plies: HashMap<u64, i8>,
    file: File,
}

impl ProvedPositions {
    /// Reads the positions that earlier runs have proved, from the book and from the
    /// file.
    pub(crate) fn open(path: &Path, book: &Path) -> io::Result<Self> {
        let mut plies = HashMap::new();
        if book.exists() {
            for &[a, b, c, d, e, f, g, value] in fs::read(book)?.as_chunks().0 {
                let key = u64::from_le_bytes([a, b, c, d, e, f, g, 0]);
                plies.insert(key, value.cast_signed());
            }
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        for (number, line) in (1..).zip(text.lines()) {
            let entry = line
                .split_once(' ')
                .and_then(|(key, value)| Some((key.parse().ok()?, value.parse().ok()?)));
            let (key, value) = entry.ok_or_else(|| {
                let message = format!("line {number}: expected a key and plies");
                io::Error::new(ErrorKind::InvalidData, message)
            })?;
            plies.insert(key, value);
        }
        Ok(Self { plies, file })
    }

    /// The score of a position, if it is proved.
    pub(crate) fn get(&self, game: &ConnectFour) -> Option<Score> {
        let plies = *self.plies.get(&game.canonical().key())?;
        Some(match plies {
            0 => Score::DRAW,
            1.. => Score::win_in(plies.unsigned_abs().into()),
            _ => Score::loss_in(plies.unsigned_abs().into()),
        })
    }

    /// Adds a position, and appends it to the file if it is new.
    pub(crate) fn insert(&mut self, game: &ConnectFour, score: Score) -> io::Result<()> {
        let plies = score.plies().unwrap_or_default() as i8;
        let is_loss = score.grade() == Grade::Loss;
        let plies = if is_loss { -plies } else { plies };
        let key = game.canonical().key();
        if self.plies.insert(key, plies).is_none() {
            writeln!(self.file, "{key} {plies}")?;
        }
        Ok(())
    }

    /// Writes the book: for each position seven bytes of its key, little-endian, and
    /// the plies; in ascending order of the keys.
    pub(crate) fn write_book(&self, path: &Path) -> io::Result<()> {
        let mut entries: Vec<_> = self.plies.iter().collect();
        entries.sort_unstable();
        let bytes = entries.into_iter().flat_map(|(key, plies)| {
            let [key @ .., _] = key.to_le_bytes();
            key.into_iter().chain([plies.cast_unsigned()])
        });
        fs::write(path, bytes.collect::<Vec<u8>>())
    }
}
