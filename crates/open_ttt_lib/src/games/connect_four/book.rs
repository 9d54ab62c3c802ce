use super::ConnectFour;
use crate::keyless_map::KeylessMap;
use crate::rules::{CompactKey, OpeningBook, Outcome, Symmetry, Tactics, TwoPlayerGame};

/// The opening book: for each position of the first plies that isn't won at once the
/// number of plies to the end, by the key of its canonical image.
///
/// It is 0 for a draw. The winner makes the last move, so an odd number is a win of the side
/// to move, and another even one a loss.
///
/// `cargo xtask openings` generates the file by solving each position.
const BOOK: KeylessMap<'_> = match KeylessMap::new(include_bytes!("book.bin")) {
    Some(book) => book,
    None => panic!("book.bin is damaged"),
};

impl ConnectFour {
    /// The book has the positions up to this many plies from the start.
    pub const BOOK_PLIES: u32 = 8;
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
        match BOOK.get(self.canonical().key()) {
            0 => Some((Outcome::Draw, self.plies_left())),
            plies if plies % 2 == 0 => Some((Outcome::Win(!self.to_move()), plies.into())),
            plies => Some((Outcome::Win(self.to_move()), plies.into())),
        }
    }
}
