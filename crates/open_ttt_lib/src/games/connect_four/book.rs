use super::ConnectFour;
use crate::rules::{CompactKey, OpeningBook, Outcome, Symmetry, Tactics, TwoPlayerGame};

/// How the game ends from each position of the openings, in ascending order of
/// their keys, one position for its mirror image too:
///
/// ```text
/// byte   0  1  2  3  4  5  6    7
///        key, lowest first      plies to the end: negative where the side to
///                               move loses, 0 for a draw
/// ```
///
/// `cargo xtask openings` makes the file, by proving each of them.
const BOOK: &[[u8; 8]] = include_bytes!("book.bin").as_chunks().0;

impl OpeningBook for ConnectFour {
    type Value = (Outcome, u32);

    /// The openings in which one side, either, has played perfectly, and the
    /// other one anything.
    ///
    /// ```
    /// use open_ttt_lib::games::ConnectFour;
    /// use open_ttt_lib::rules::{OpeningBook, Outcome, Side};
    ///
    /// // Red wins with the last piece but one (Allen and Allis, 1988).
    /// let known = ConnectFour::new().book_value();
    /// assert_eq!(known, Some((Outcome::Win(Side::First), 41)));
    /// ```
    fn book_value(&self) -> Option<(Outcome, u32)> {
        let key = self.canonical().key();
        let of_entry =
            |&[a, b, c, d, e, f, g, _]: &[u8; 8]| u64::from_le_bytes([a, b, c, d, e, f, g, 0]);
        let index = BOOK.binary_search_by_key(&key, of_entry).ok()?;
        let plies = BOOK[index][7].cast_signed();
        let outcome = match plies {
            0 => return Some((Outcome::Draw, self.plies_left())),
            1.. => Outcome::Win(self.to_move()),
            _ => Outcome::Win(!self.to_move()),
        };
        Some((outcome, plies.unsigned_abs().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::{COLUMNS, STRIDE};
    use crate::rules::Dihedral;

    /// The position with this key: in each column the highest one marks the
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
        let keys: Vec<_> = BOOK
            .iter()
            .map(|&[a, b, c, d, e, f, g, _]| u64::from_le_bytes([a, b, c, d, e, f, g, 0]))
            .collect();
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
        // The start is one of its own mirror images.
        assert_eq!(position(ConnectFour::new().key()), ConnectFour::new());
    }
}
