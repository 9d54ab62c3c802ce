use super::{Cube, Qubic};
use crate::games::book_file::{BookFile, book_file};
use crate::rules::{CompactKey, SolutionBook, Symmetry, TwoPlayerGame};

/// The solution: canonical positions in ascending order of the low bytes of their keys.
///
/// ```text
/// byte   0  1  2  3  4  5  6        7
///        key, little-endian         the cell to play, by its number
/// ```
///
/// `cargo xtask solution` generates the file.
pub(in crate::games) static BOOK: BookFile<&[[u8; 8]]> = book_file!("solution.bin", entries);

const fn entries(bytes: &[u8]) -> Option<&[[u8; 8]]> {
    match bytes.as_chunks() {
        (entries, []) => Some(entries),
        _ => None,
    }
}

impl SolutionBook for Qubic {
    /// X wins (Patashnik, "Qubic: 4x4x4 tic-tac-toe", 1980). The book has the positions
    /// in which X needs more than a few threats to win.
    ///
    /// A position that isn't in the book is mistaken for one that is with a probability
    /// of about one in 10¹³.
    ///
    /// ```
    /// use open_ttt_lib::games::Qubic;
    /// use open_ttt_lib::rules::{Notation, SolutionBook, TwoPlayerGame, play_text};
    ///
    /// let mut game = Qubic::new();
    /// let first = game.book_move().map(|m| game.move_text(m));
    /// assert_eq!(first.as_deref(), Some("1a1"));
    ///
    /// // O can't leave the book, X can.
    /// play_text(&mut game, "1a1 2b2")?;
    /// assert!(game.book_move().is_some());
    /// play_text(&mut game, "1c2 4d4")?;
    /// assert_eq!(game.book_move(), None);
    /// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
    /// ```
    fn book_move(&self) -> Option<Cube> {
        let book = BOOK.get()?;
        let automorphism = self.canonical_transform()?;
        let key = self.image(automorphism).key();
        let index = book.binary_search_by_key(&low_bytes(key), entry_key).ok()?;
        let cube = Cube(book[index][7]);
        self.moves().find(|&m| automorphism.apply(m) == cube)
    }
}

fn entry_key(entry: &[u8; 8]) -> u64 {
    low_bytes(u64::from_le_bytes(*entry))
}

fn low_bytes(key: u64) -> u64 {
    key & (u64::MAX >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_are_in_order_and_cells() {
        let book = BOOK.get().expect("a book");
        let keys: Vec<_> = book.iter().map(entry_key).collect();
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert!(keys.len() > 1_000);
        assert!(book.iter().all(|entry| entry[7] < 64));
    }
}
