use super::ConnectFour;
use crate::rules::{CompactKey, Outcome, OutcomeBook, Symmetry, Tactics, TwoPlayerGame};

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

impl OutcomeBook for ConnectFour {
    /// The openings in which one side, either, has played perfectly, and the
    /// other one anything.
    ///
    /// ```
    /// use open_ttt_lib::games::ConnectFour;
    /// use open_ttt_lib::rules::{Outcome, OutcomeBook, Side};
    ///
    /// // Red wins with the last piece but one (Allen and Allis, 1988).
    /// let known = ConnectFour::new().known_outcome();
    /// assert_eq!(known, Some((Outcome::Win(Side::First), 41)));
    /// ```
    fn known_outcome(&self) -> Option<(Outcome, u32)> {
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
    use std::collections::HashMap;

    use super::*;
    use crate::games::connect_four::{BOTTOM, COLUMNS, STRIDE};
    use crate::random::Rng;
    use crate::search::{Budget, Prover, Score, StopFlag};

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

    /// Every position of the book, with its worth.
    fn entries() -> Vec<(ConnectFour, Score)> {
        let entries = BOOK.iter().map(|&[a, b, c, d, e, f, g, plies]| {
            let game = position(u64::from_le_bytes([a, b, c, d, e, f, g, 0]));
            let plies = plies.cast_signed();
            let score = match plies {
                0 => Score::DRAW,
                1.. => Score::win_in(plies.unsigned_abs().into()),
                _ => Score::loss_in(plies.unsigned_abs().into()),
            };
            (game, score)
        });
        entries.collect()
    }

    #[test]
    fn the_entries_are_positions_in_order() {
        let keys: Vec<_> = entries().iter().map(|(game, _)| game.key()).collect();
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert!(keys.len() > 1_000);
        for (game, _) in entries() {
            assert_eq!(game, game.canonical());
            assert_eq!(game.outcome(), None);
            assert!(game.known_outcome().is_some());
            assert_eq!(
                game.image(crate::rules::Dihedral::MirrorColumns)
                    .known_outcome(),
                game.known_outcome()
            );
        }
    }

    #[test]
    fn the_worth_of_a_position_is_that_of_its_best_move() {
        let known: HashMap<_, _> = entries().into_iter().collect();
        let mut complete = 0;
        for (game, score) in &known {
            let replies: Vec<_> = game
                .moves()
                .map(|m| known.get(&game.after(m).canonical()))
                .collect();
            let earlier = |reply: Score| match reply.plies() {
                None => Score::DRAW,
                Some(plies) if reply > Score::DRAW => Score::loss_in(plies + 1),
                Some(plies) => Score::win_in(plies + 1),
            };
            let best = replies.iter().flatten().map(|&&reply| earlier(reply)).max();
            if replies.iter().all(Option::is_some) {
                assert_eq!(best, Some(*score), "{game:?}");
                complete += 1;
            }
            assert!(best <= Some(*score), "{game:?}");
        }
        assert!(complete > 100, "{complete}");
    }

    #[test]
    fn some_late_entries_proved_again() {
        let mut late: Vec<_> = entries();
        late.sort_by_key(|(game, _)| core::cmp::Reverse(game.plies()));
        late.truncate(200);
        let mut rng = Rng::new(1);
        let mut prover = Prover::new(1 << 26);
        for _ in 0..5 {
            let (game, score) = late[rng.below(late.len())];
            let proved = prover.score(&game, &Budget::UNLIMITED, &StopFlag::new());
            assert_eq!(proved.map(|(score, _)| score), Some(score), "{game:?}");
        }
        assert_eq!(BOTTOM, ConnectFour::new().key());
    }
}
