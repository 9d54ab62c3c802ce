use alloc::vec;
use alloc::vec::Vec;
use core::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

use open_ttt_lib::rules::Side;

/// The history heuristic: moves that often caused cutoffs, in whatever position,
/// are likely to do so again (Schaeffer, 1983).
///
/// The score of a move rises with each cutoff it causes and falls when another
/// move causes the cutoff after it; older changes fade.
#[derive(Clone, Debug)]
pub(crate) struct History {
    scores: [Vec<i16>; 2],
}

/// Moves have a score each, by their hash. A collision costs move order, not
/// correctness.
const SLOTS: usize = 1 << 10;

/// The maximum of a score, and of its negation.
const MAX_SCORE: i32 = 1 << 14;

impl History {
    pub(crate) fn new() -> Self {
        Self {
            scores: [vec![0; SLOTS], vec![0; SLOTS]],
        }
    }

    /// The rank of a move of this side in the move order: the higher its score, the
    /// lower its rank.
    pub(crate) fn rank<M: Hash>(&self, side: Side, m: M) -> u32 {
        (MAX_SCORE - i32::from(self.scores[side.index()][slot(m)])) as u32
    }

    /// Raises the score of a move that caused a cutoff by the [`bonus`], and lowers
    /// that of a move that was searched before it.
    pub(crate) fn add<M: Hash>(&mut self, side: Side, m: M, bonus: i32) {
        let score = &mut self.scores[side.index()][slot(m)];
        let old = i32::from(*score);
        // The nearer a score is to its limit the less it changes, so it never
        // exceeds it.
        *score = (old + bonus - old * bonus.abs() / MAX_SCORE) as i16;
    }
}

/// The change for a cutoff in a search of this depth: the nodes that it saves grow with
/// the depth.
pub(crate) fn bonus(depth: u32) -> i32 {
    let depth = depth.min(32) as i32;
    depth * depth
}

fn slot<M: Hash>(m: M) -> usize {
    let hash = BuildHasherDefault::<MoveHasher>::default().hash_one(m);
    (hash >> 44) as usize % SLOTS
}

/// Fibonacci hashing: multiplication by 2⁶⁴ over the golden ratio (Knuth, "Sorting
/// and Searching", 1973). Fast for a word or two.
#[derive(Default)]
struct MoveHasher(u64);

impl Hasher for MoveHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    // Whole numbers at once: that an `Option` is full is a number of eight bytes.

    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(8) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(history: &History, side: Side, m: u8) -> i32 {
        MAX_SCORE - history.rank(side, m) as i32
    }

    #[test]
    fn scores_rise_fall_and_stay_in_bounds() {
        let mut history = History::new();
        history.add(Side::First, 7_u8, bonus(4));
        assert_eq!(score(&history, Side::First, 7), 16);
        assert_eq!(score(&history, Side::Second, 7), 0);
        history.add(Side::First, 7_u8, -bonus(3));
        assert_eq!(score(&history, Side::First, 7), 7);
        for _ in 0..10_000 {
            history.add(Side::First, 8_u8, bonus(1_000));
            history.add(Side::Second, 8_u8, -bonus(1_000));
        }
        assert!((16_000..=MAX_SCORE).contains(&score(&history, Side::First, 8)));
        assert!((-MAX_SCORE..=-15_000).contains(&score(&history, Side::Second, 8)));
    }

    #[test]
    fn similar_moves_have_different_slots() {
        // 361 random values would hit 304 of 1,024.
        different_slots(|column, row| slot((column, row)));
        different_slots(|column, row| slot((Some(column), Some(row))));
        different_slots(|column, row| slot(u32::from(row) << 16 | u32::from(column)));
    }

    #[track_caller]
    fn different_slots(slot: impl Fn(u8, u8) -> usize) {
        let cells = (0..19_u8).flat_map(|column| (0..19_u8).map(move |row| (column, row)));
        let mut slots: Vec<_> = cells.map(|(column, row)| slot(column, row)).collect();
        slots.sort_unstable();
        slots.dedup();
        assert!(slots.len() > 280, "{}", slots.len());
    }
}
