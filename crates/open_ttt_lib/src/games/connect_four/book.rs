use super::ConnectFour;
use crate::coded_map::CodedMap;
use crate::games::book_file::{BookFile, book_file};
use crate::keyless_map::KeylessMap;
use crate::rules::{CompactKey, OpeningBook, Outcome, Symmetry, Tactics, TwoPlayerGame};

/// The opening book: for positions that aren't won at once the number of plies to the end, by
/// the key of their canonical image.
///
/// It is 0 for a draw. The winner makes the last move, so an odd number is a win of the side
/// to move, and another even one a loss.
///
/// The file has the positions of the [first](ConnectFour::BOOK_FIRST_PLIES) plies, and after them
/// those of the last one. The positions between them take the value of their best move.
///
/// `cargo xtask openings` generates the file by solving each position.
pub(in crate::games) static BOOK: BookFile<Book<'_>> = book_file!("book.bin", Book::read);

#[derive(Clone, Copy)]
pub(in crate::games) struct Book<'a> {
    first: KeylessMap<'a>,
    last: CodedMap<'a>,
}

impl<'a> Book<'a> {
    const fn read(bytes: &'a [u8]) -> Option<Self> {
        let Some((first, rest)) = KeylessMap::split_first(bytes) else {
            return None;
        };
        match CodedMap::new(rest) {
            Some(last) => Some(Self { first, last }),
            None => None,
        }
    }
}

impl ConnectFour {
    /// The book has the positions up to this many plies from the start.
    pub const BOOK_PLIES: u32 = 9;

    /// The positions up to this many plies from the start, and those of the last one, are in
    /// the book themselves. To look from these to the last ones would take thousands of them.
    pub const BOOK_FIRST_PLIES: u32 = 5;
}

impl OpeningBook for ConnectFour {
    /// The outcome with the fastest win or the slowest loss, and the number of
    /// plies to it.
    type Value = (Outcome, u32);

    /// The book has the unfinished positions of the first
    /// [`BOOK_PLIES`](Self::BOOK_PLIES) plies.
    ///
    /// ```
    /// use open_ttt_lib::games::ConnectFour;
    /// use open_ttt_lib::rules::{OpeningBook, Outcome, Side};
    ///
    /// // Red wins on ply 41 of 42 (Allen and Allis, 1988).
    /// let known = ConnectFour::new().book_value();
    /// assert_eq!(known, Some((Outcome::Win(Side::First), 41)));
    /// ```
    fn book_value(&self) -> Option<(Outcome, u32)> {
        if self.plies() > Self::BOOK_PLIES || self.outcome().is_some() {
            return None;
        }
        if self.wins_at_once() {
            return Some((Outcome::Win(self.to_move()), 1));
        }
        if (Self::BOOK_FIRST_PLIES + 1..Self::BOOK_PLIES).contains(&self.plies()) {
            return self.value_by_moves();
        }
        let book = BOOK.get()?;
        let key = self.canonical().key();
        let plies = if self.plies() <= Self::BOOK_FIRST_PLIES {
            book.first.get(key)
        } else {
            book.last.get(key)
        };
        Some(match plies {
            0 => (Outcome::Draw, self.plies_left()),
            plies if plies % 2 == 0 => (Outcome::Win(!self.to_move()), plies.into()),
            plies => (Outcome::Win(self.to_move()), plies.into()),
        })
    }
}

impl ConnectFour {
    /// The value of the best move, none of which ends the game.
    fn value_by_moves(&self) -> Option<(Outcome, u32)> {
        // Without the book only the moves that lose at once have a value.
        BOOK.get()?;
        let values = self.moves().filter_map(|m| self.after(m).book_value());
        // The fastest win, or else a draw, or else the slowest loss.
        let best = values.max_by_key(|&(outcome, plies)| {
            let plies = plies as i32;
            match outcome {
                Outcome::Draw => 0,
                Outcome::Win(side) if side == self.to_move() => i32::MAX - plies,
                Outcome::Win(_) => i32::MIN + plies,
            }
        });
        best.map(|(outcome, plies)| (outcome, plies + 1))
    }
}
