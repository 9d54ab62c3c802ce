use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use open_ttt_lib::coded_map::CodedMap;
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::keyless_map::KeylessMap;
use open_ttt_lib::rules::{CompactKey, Symmetry};
use open_ttt_search::{Grade, Score};

use crate::files::{open_lines, replace};
use crate::positions::layers;

/// The bits of a number of plies among the first positions of the book.
const BOOK_BITS: u8 = 6;

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
    /// Reads the positions that earlier runs have proved.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let parse = |line: &str| {
            let (key, plies) = line.split_once(' ')?;
            Some((key.parse().ok()?, plies.parse().ok()?))
        };
        let (file, entries) = open_lines(path, "a key and plies", parse)?;
        let plies = entries.into_iter().collect();
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

    /// Adds a position, also to the file.
    pub(crate) fn append(&mut self, game: &ConnectFour, score: Score) -> io::Result<()> {
        let (key, plies) = self.insert(game, score);
        // At once, so that a line is hardly ever interrupted.
        self.file.write_all(format!("{key} {plies}\n").as_bytes())
    }

    /// Adds a position; returns its key and value.
    pub(crate) fn insert(&mut self, game: &ConnectFour, score: Score) -> (u64, i8) {
        let plies = score.plies().unwrap_or_default() as i8;
        let is_loss = score.grade() == Grade::Loss;
        let plies = if is_loss { -plies } else { plies };
        let key = game.canonical().key();
        self.plies.insert(key, plies);
        (key, plies)
    }

    /// Writes the book, and returns the number of positions it has.
    pub(crate) fn write_book(&self, path: &Path) -> io::Result<usize> {
        let entry = |(game, _): &(ConnectFour, _)| {
            let key = game.canonical().key();
            let plies = self.plies.get(&key);
            let plies = plies.ok_or_else(|| io::Error::other(format!("{key} isn't proved")))?;
            Ok((key, plies.unsigned_abs()))
        };
        let entries = |layers: &[Vec<(ConnectFour, String)>]| {
            let entries = layers.iter().flatten().map(entry);
            entries.collect::<io::Result<Vec<_>>>()
        };
        let layers = layers();
        let first = entries(&layers[..=ConnectFour::BOOK_FIRST_PLIES as usize])?;
        let last = entries(&layers[ConnectFour::BOOK_PLIES as usize..])?;
        let mut book = KeylessMap::build(BOOK_BITS, &first).map_err(io::Error::other)?;
        book.extend(CodedMap::build(&last).map_err(io::Error::other)?);
        replace(path, book)?;
        Ok(layers.iter().map(Vec::len).sum())
    }
}
