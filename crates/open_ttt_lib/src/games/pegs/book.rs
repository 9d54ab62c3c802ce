use super::{LineSet, Pegs};
use crate::games::book_file::{BookFile, book_file};
use crate::rules::{CompactKey, OpeningBook, Symmetry};

/// The opening book: canonical positions in ascending order of their keys.
///
/// ```text
/// byte   0  1  2  3          4            5
///        key, little-endian  34 lines     38 lines
/// ```
///
/// A margin is a signed byte. `cargo xtask book` generates the file by solving
/// the whole game.
pub(in crate::games) static BOOK: BookFile<&[[u8; 6]]> = book_file!("book.bin", entries);

const fn entries(bytes: &[u8]) -> Option<&[[u8; 6]]> {
    match bytes.as_chunks() {
        (entries, []) => Some(entries),
        _ => None,
    }
}

impl Pegs {
    /// The book has every position up to this many plies from the start. Later
    /// positions are solved within some hundredths of a second
    /// (`open_ttt_search::solve_by_layers`).
    pub const BOOK_PLIES: u32 = 5;
}

impl OpeningBook for Pegs {
    /// The final [`margin`](crate::rules::Margin::margin).
    type Value = i32;

    /// ```
    /// use open_ttt_lib::games::Pegs;
    /// use open_ttt_lib::rules::{OpeningBook, play_text};
    ///
    /// let mut game = Pegs::new();
    /// assert_eq!(game.book_value(), Some(-1)); // White wins by one
    /// play_text(&mut game, "D")?;
    /// assert_eq!(game.book_value(), Some(-3));
    /// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
    /// ```
    fn book_value(&self) -> Option<i32> {
        if self.plies() > Self::BOOK_PLIES {
            return None;
        }
        let book = BOOK.get()?;
        let key = self.canonical().key();
        let entry_key = |&[a, b, c, d, ..]: &[u8; 6]| u64::from(u32::from_le_bytes([a, b, c, d]));
        let index = book.binary_search_by_key(&key, entry_key).ok()?;
        let [.., with_34, with_38] = book[index];
        let margin = match self.line_set {
            LineSet::ThirtyFour => with_34,
            LineSet::ThirtyEight => with_38,
        };
        Some(margin.cast_signed().into())
    }
}
