use core::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

use open_ttt_lib::rules::Side;

/// Which moves have refuted positions lately, wherever they stood: likely to
/// do so elsewhere (the "history heuristic", Schaeffer 1983).
///
/// A move's merit rises with each refutation, the more the more it saved, and
/// falls when the move was tried in vain before one; what was long ago fades.
#[derive(Clone, Debug)]
pub(crate) struct History {
    merits: [Vec<i16>; 2],
}

/// Moves have a merit each, by their hash; where two share one, it costs
/// order, not correctness.
const MERITS: usize = 1 << 10;

/// No merit grows beyond this.
const MOST: i32 = 1 << 14;

impl History {
    pub(crate) fn new() -> Self {
        Self {
            merits: [vec![0; MERITS], vec![0; MERITS]],
        }
    }

    /// How early a move of this side should be tried: the less, the more it
    /// has been good for.
    pub(crate) fn rank<M: Hash>(&self, side: Side, m: M) -> u32 {
        (MOST - i32::from(self.merits[side.index()][slot(m)])) as u32
    }

    /// A move refuted a position that was to be looked ahead in so far.
    pub(crate) fn reward<M: Hash>(&mut self, side: Side, m: M, depth: u32) {
        self.change(side, m, weight(depth));
    }

    /// A move was tried first and did not refute it.
    pub(crate) fn punish<M: Hash>(&mut self, side: Side, m: M, depth: u32) {
        self.change(side, m, -weight(depth));
    }

    fn change<M: Hash>(&mut self, side: Side, m: M, by: i32) {
        let merit = &mut self.merits[side.index()][slot(m)];
        let old = i32::from(*merit);
        // The nearer to the limit, the less is added, so it is never passed.
        *merit = (old + by - old * by.abs() / MOST) as i16;
    }
}

/// The number of positions grows with the depth; so does what a cut saves.
fn weight(depth: u32) -> i32 {
    let depth = depth.min(32) as i32;
    depth * depth
}

fn slot<M: Hash>(m: M) -> usize {
    let hash = BuildHasherDefault::<MoveHasher>::default().hash_one(m);
    (hash >> 44) as usize % MERITS
}

/// A quick hash of a word or two: multiplication by 2⁶⁴ over the golden ratio
/// (Knuth, "Sorting and Searching", 1973).
#[derive(Default)]
struct MoveHasher(u64);

impl Hasher for MoveHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0.rotate_left(8) ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merit(history: &History, side: Side, m: u8) -> i32 {
        MOST - history.rank(side, m) as i32
    }

    #[test]
    fn merits_rise_fall_and_stay_in_bounds() {
        let mut history = History::new();
        history.reward(Side::First, 7_u8, 4);
        assert_eq!(merit(&history, Side::First, 7), 16);
        assert_eq!(merit(&history, Side::Second, 7), 0);
        history.punish(Side::First, 7_u8, 3);
        assert_eq!(merit(&history, Side::First, 7), 7);
        for _ in 0..10_000 {
            history.reward(Side::First, 8_u8, 1_000);
            history.punish(Side::Second, 8_u8, 1_000);
        }
        assert!((16_000..=MOST).contains(&merit(&history, Side::First, 8)));
        assert!((-MOST..=-15_000).contains(&merit(&history, Side::Second, 8)));
    }

    #[test]
    fn neighbouring_moves_have_merits_of_their_own() {
        let mut slots: Vec<_> = (0..19_u8)
            .flat_map(|column| (0..19_u8).map(move |row| slot((column, row))))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        // 361 balls thrown at random into 1,024 hit 304 of them.
        assert!(slots.len() > 280, "{}", slots.len());
    }
}
