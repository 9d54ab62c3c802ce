use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use open_ttt_lib::games::{Cube, Qubic};
use open_ttt_lib::rules::{
    CompactKey, IndexedMoves, LineGame, Notation, Side, Symmetry, TwoPlayerGame, play_text,
};

use crate::files::{open_lines, replace};

/// The solved positions of qubic with the move that wins, in a file to which new ones are
/// appended. A line has moves that lead to the position, a colon and the winning move.
#[derive(Debug)]
pub(crate) struct SolvedPositions {
    file: File,
}

impl SolvedPositions {
    /// Reads the positions that earlier runs have solved.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Vec<(Qubic, Cube)>)> {
        let (file, solved) = open_lines(path, "moves, a colon and a move", read_line)?;
        Ok((Self { file }, solved))
    }

    /// Appends positions.
    pub(crate) fn append(&mut self, solved: &[(Qubic, Cube)]) -> io::Result<()> {
        let mut text = String::new();
        for (game, m) in solved {
            for cube in moves_to(game) {
                text.extend([&game.move_text(cube), " "]);
            }
            text.extend([": ", &game.move_text(*m), "\n"]);
        }
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

fn read_line(line: &str) -> Option<(Qubic, Cube)> {
    let (moves, m) = line.split_once(':')?;
    let mut game = Qubic::new();
    play_text(&mut game, moves).ok()?;
    let m = game.parse_move(m).ok()?;
    game.check(m).is_ok().then_some((game, m))
}

/// Moves that lead to a position in which X is to move: its cells in ascending order.
fn moves_to(game: &Qubic) -> Vec<Cube> {
    let cells = || (0..game.move_count()).filter_map(|index| game.indexed_move(index));
    let owned = |side| cells().filter(move |&cube| game.owner_of(cube) == Some(side));
    let pairs = owned(Side::First).zip(owned(Side::Second));
    pairs.flat_map(|(first, second)| [first, second]).collect()
}

/// Writes the book: for each position seven bytes of the key of its canonical image,
/// little-endian, and the number of the cell to play there; in ascending order of the
/// keys.
pub(crate) fn write_book(path: &Path, solved: &[(Qubic, Cube)]) -> io::Result<()> {
    let mut entries: Vec<_> = solved
        .iter()
        .filter_map(|(game, m)| entry(game, *m))
        .collect();
    entries.sort_unstable();
    entries.dedup_by_key(|&mut (key, _)| key);
    if entries.len() < solved.len() {
        return Err(io::Error::other("two positions have the same key"));
    }
    let bytes = entries.into_iter().flat_map(|(key, cell)| {
        let [key @ .., _] = key.to_le_bytes();
        key.into_iter().chain([cell])
    });
    replace(path, bytes.collect())
}

fn entry(game: &Qubic, m: Cube) -> Option<(u64, u8)> {
    let automorphism = game.canonical_transform()?;
    let cell = game.move_index(game.move_image(m, automorphism));
    let key = game.image(automorphism).key();
    Some((key & (u64::MAX >> 8), cell as u8))
}
