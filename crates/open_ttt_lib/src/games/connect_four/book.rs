use super::ConnectFour;
use crate::rules::{CompactKey, OpeningBook, Outcome, Symmetry, Tactics, TwoPlayerGame};

/// The opening book: canonical positions in ascending order of their keys.
///
/// ```text
/// byte   0  1  2  3  4  5  6    7
///        key, little-endian     plies to the end, signed: negative for a loss
///                               of the side to move, 0 for a draw
/// ```
///
/// `cargo xtask openings` generates the file by solving each position.
const BOOK: &[[u8; 8]] = include_bytes!("book.bin").as_chunks().0;

impl OpeningBook for ConnectFour {
    /// The outcome with the fastest win or the slowest loss, and the number of
    /// plies to it.
    type Value = (Outcome, u32);

    /// The book has early positions in which at least one side has played
    /// perfectly.
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
        let key = self.canonical().key();
        let index = BOOK.binary_search_by_key(&key, entry_key).ok()?;
        let plies = BOOK[index][7].cast_signed();
        let outcome = match plies {
            0 => return Some((Outcome::Draw, self.plies_left())),
            1.. => Outcome::Win(self.to_move()),
            _ => Outcome::Win(!self.to_move()),
        };
        Some((outcome, plies.unsigned_abs().into()))
    }
}

fn entry_key(entry: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*entry) & (u64::MAX >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::{COLUMNS, STRIDE};
    use crate::rules::Dihedral;

    /// The position with this key: in each column the highest set bit marks the
    /// height.
    fn position(key: u64) -> ConnectFour {
        let (mut own, mut occupied) = (0, 0);
        for column in 0..COLUMNS {
            let bits = key >> (column * STRIDE) & ((1 << STRIDE) - 1);
            let mark = 1 << bits.ilog2();
            own |= (bits - mark) << (column * STRIDE);
            occupied |= (mark - 1) << (column * STRIDE);
        }
        ConnectFour { own, occupied }
    }

    #[test]
    fn the_entries_are_positions_in_order() {
        let keys: Vec<_> = BOOK.iter().map(entry_key).collect();
        assert!(keys.is_sorted_by(|a, b| a < b));
        for &key in &keys {
            let game = position(key);
            assert_eq!(game.key(), key);
            assert_eq!(game, game.canonical());
            assert_eq!(game.outcome(), None);
            let known = game.book_value();
            assert!(known.is_some_and(|(_, plies)| plies <= game.plies_left()));
            assert_eq!(game.image(Dihedral::MirrorColumns).book_value(), known);
        }
        // The start is its own mirror image.
        assert_eq!(position(ConnectFour::new().key()), ConnectFour::new());
    }
}
