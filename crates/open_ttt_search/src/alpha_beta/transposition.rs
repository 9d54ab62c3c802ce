use crate::Score;
use crate::alpha_beta::principal_variation::Finding;
use crate::alpha_beta::window::Window;
use crate::bound::Bound;
use crate::pair_array::PairArray;
use crate::position_key::PositionKey;

/// What depth-limited searches found out about positions, for meeting them
/// again by another order of moves, one ply deeper, or in another thread.
///
/// A position may have several entries, one for each depth to which it was
/// searched, side by side: a score is of use only at its own depth.
///
/// The size is fixed; several threads may use it at once. Where a position's
/// row is full, it takes the place of what is oldest and was searched least
/// deep.
///
/// A position is known again by 84 bits of its `PositionKey`: all of one word,
/// and 20 of the other by the row and a tag. That is not certainty. Looking a
/// thousand million positions up in a full table of 64 MiB finds the entry of
/// another position with a probability of 2³⁰ · 2²² · 2⁻⁸⁴, one in four thousand
/// million.
#[derive(Clone, Debug)]
pub struct TranspositionTable {
    pairs: PairArray,
    /// Which search this is, so that what earlier ones left gives way first.
    age: u64,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its score, or a limit of it, counted from this position.
    pub(crate) score: Score,
    pub(crate) bound: Bound,
    /// How many plies were looked ahead.
    pub(crate) depth: u32,
    /// Whether the score hangs on a line that was cut off by the depth.
    pub(crate) saw_horizon: bool,
    /// Where the best move, or the one that refuted the position, stands in
    /// the game's list of moves.
    pub(crate) ordinal: Option<u32>,
}

impl Entry {
    /// Whether this is what a search of this depth would find out as well.
    ///
    /// Not if it merely looked deeper: then a plain search of this depth would
    /// judge earlier, and differently. But what was followed to the end of all
    /// lines holds for every greater depth; and a win or loss in so many plies
    /// is seen, and a faster one ruled out, by every search that reaches as
    /// far.
    fn holds_for(&self, depth: u32) -> bool {
        let reach = match self.score.plies() {
            Some(plies) => plies,
            None if self.saw_horizon => return self.depth == depth,
            None => self.depth,
        };
        self.depth == depth || reach <= depth
    }

    /// What a search of a position so many plies from the root need not find
    /// out again, if this is enough to say that it lies outside of the window.
    fn finding(&self, window: Window, plies: u32) -> Option<Finding> {
        let score = self.score.relative_to_root(plies);
        let (above, below) = (score >= window.beta, score <= window.alpha);
        let tells = match self.bound {
            Bound::Lower => above,
            Bound::Upper => below,
            Bound::Exact => above || below,
        };
        tells.then_some(Finding {
            score,
            saw_horizon: self.saw_horizon,
        })
    }
}

/// What is known about a position that is to be searched.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// What the search would come to.
    pub(crate) finding: Option<Finding>,
    /// Where the best move of the deepest search stands in the game's list.
    pub(crate) ordinal: Option<u32>,
}

/// An entry as a word:
///
/// ```text
///  bits 63-50   49-46   45-36          35-26   25        24-23   22-0
///       tag     age     ordinal + 1    depth   horizon   bound   score
/// ```
const SCORE_BITS: u32 = 23;
const BOUND_AT: u32 = 23;
const HORIZON_AT: u32 = 25;
const DEPTH_AT: u32 = 26;
const ORDINAL_AT: u32 = 36;
const AGE_AT: u32 = 46;
const TAG_AT: u32 = 50;

const ROW_BYTES: usize = 64;

/// How many positions a search looks at for each row it can make use of: the
/// leaves are not kept, and the next depth is some times as large.
const POSITIONS_A_ROW: usize = 8;

/// The largest number in the fields of ten bits.
const TEN_BITS: u64 = (1 << 10) - 1;
const AGES: u64 = 16;
/// What of the place is told by the row alone, in every table that may grow.
const ROW_BITS: u32 = 6;
const TAG_BITS: u64 = (1 << (64 - TAG_AT)) - 1;

impl TranspositionTable {
    /// The fewest and the most bytes of a table that grows: 4 KiB and 64 MiB.
    const FEWEST_GROWING: usize = ROW_BYTES << ROW_BITS;
    const MOST_GROWING: usize = Self::FEWEST_GROWING << (64 - TAG_AT);

    /// An empty table that can grow.
    pub fn growing() -> Self {
        Self::new(Self::FEWEST_GROWING)
    }

    /// An empty table of at most this many bytes, but never of less than one
    /// entry.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            pairs: PairArray::new(bytes),
            age: 0,
        }
    }

    /// Begins another search: what is in the table stays, and gives way to what
    /// the new search finds.
    pub(crate) fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        self.pairs.clear();
    }

    /// Makes a [growing](Self::growing) table large enough for a search of so
    /// many positions, up to 64 MiB, and keeps what it knows.
    pub(crate) fn grow_to(&mut self, positions: u64) {
        let most = Self::MOST_GROWING / ROW_BYTES;
        let wanted = (positions as usize).div_ceil(POSITIONS_A_ROW);
        let wanted = wanted.next_power_of_two().min(most);
        if wanted <= self.pairs.row_count() {
            return;
        }
        let mut larger = Self {
            pairs: PairArray::new(wanted * ROW_BYTES),
            age: self.age,
        };
        for row in 0..self.pairs.row_count() {
            for (check, word) in self.pairs.row(row).filter(|&(_, word)| word != 0) {
                let low = row as u64 & ((1 << ROW_BITS) - 1);
                let place = (word >> TAG_AT) << ROW_BITS | low;
                larger.put(PositionKey { place, check }, word);
            }
        }
        core::mem::swap(self, &mut larger);
    }

    fn row_of(&self, key: PositionKey) -> usize {
        key.place as usize & (self.pairs.row_count() - 1)
    }

    /// What is known about a position that is to be searched so deep in this
    /// window, so many plies from the root.
    pub(crate) fn look_up(
        &self,
        key: PositionKey,
        depth: u32,
        window: Window,
        plies: u32,
    ) -> Known {
        let mut known = Known::default();
        let mut deepest = 0;
        for (check, word) in self.pairs.row(self.row_of(key)) {
            if !is_of(key, check, word) {
                continue;
            }
            let entry = unpacked(word);
            if entry.holds_for(depth)
                && let Some(finding) = entry.finding(window, plies)
            {
                known.finding = Some(finding);
                break;
            }
            if entry.ordinal.is_some() && entry.depth >= deepest {
                deepest = entry.depth;
                known.ordinal = entry.ordinal;
            }
        }
        known
    }

    /// Keeps what is known about a position. What was looked ahead further
    /// than a thousand plies is not kept.
    pub(crate) fn store(&self, key: PositionKey, entry: Entry) {
        if u64::from(entry.depth) <= TEN_BITS {
            self.put(key, packed(entry) | self.age << AGE_AT | tag(key) << TAG_AT);
        }
    }

    fn put(&self, key: PositionKey, word: u64) {
        let row = self.row_of(key);
        let mut place = 0;
        let mut least = u64::MAX;
        for (index, (check, known)) in self.pairs.row(row).enumerate() {
            if known == 0 || is_of(key, check, known) && depth_of(known) == depth_of(word) {
                place = index;
                break;
            }
            let worth = self.worth(known);
            if worth < least {
                (place, least) = (index, worth);
            }
        }
        self.pairs.put(row, place, key.check, word);
    }

    /// What keeps an entry in its place: a ply of depth as much as half a
    /// search of youth.
    fn worth(&self, word: u64) -> u64 {
        let age = (self.age + AGES - (word >> AGE_AT) % AGES) % AGES;
        depth_of(word) + 2 * (AGES - age)
    }
}

fn tag(key: PositionKey) -> u64 {
    key.place >> ROW_BITS & TAG_BITS
}

fn is_of(key: PositionKey, check: u64, word: u64) -> bool {
    check == key.check && word >> TAG_AT == tag(key) && word != 0
}

fn depth_of(word: u64) -> u64 {
    word >> DEPTH_AT & TEN_BITS
}

fn packed(entry: Entry) -> u64 {
    let bound = match entry.bound {
        Bound::Lower => 1,
        Bound::Upper => 2,
        Bound::Exact => 3,
    };
    let ordinal = entry.ordinal.map_or(0, |ordinal| u64::from(ordinal) + 1);
    // A move that stands further down the list is not remembered.
    let ordinal = if ordinal > TEN_BITS { 0 } else { ordinal };
    entry.score.to_bits()
        | bound << BOUND_AT
        | u64::from(entry.saw_horizon) << HORIZON_AT
        | u64::from(entry.depth) << DEPTH_AT
        | ordinal << ORDINAL_AT
}

fn unpacked(word: u64) -> Entry {
    Entry {
        score: Score::from_bits(word & ((1 << SCORE_BITS) - 1)),
        bound: match word >> BOUND_AT & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        },
        depth: depth_of(word) as u32,
        saw_horizon: word >> HORIZON_AT & 1 == 1,
        ordinal: (word >> ORDINAL_AT & TEN_BITS)
            .checked_sub(1)
            .map(|ordinal| ordinal as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use open_ttt_lib::random::Rng;

    fn key(n: u64) -> PositionKey {
        let mut rng = Rng::new(n);
        PositionKey {
            place: rng.next_u64(),
            check: rng.next_u64(),
        }
    }

    fn entry(score: Score, depth: u32) -> Entry {
        Entry {
            score,
            bound: Bound::Exact,
            depth,
            saw_horizon: true,
            ordinal: None,
        }
    }

    fn score_of(table: &TranspositionTable, key: PositionKey, depth: u32) -> Option<Score> {
        let nothing = Window::above(Score::MAX);
        let known = table.look_up(key, depth, nothing, 0);
        known.finding.map(|finding| finding.score)
    }

    #[test]
    fn an_entry_comes_back_from_its_word() {
        let scores = [Score::win_in(0), Score::loss_in(0), Score::win_in(500_000)];
        for score in scores
            .into_iter()
            .chain([-7, 0, 1_000_000].map(Score::evaluation))
        {
            for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                for (depth, ordinal) in [(0, None), (1_023, Some(1_022)), (5, Some(0))] {
                    let entry = Entry {
                        score,
                        bound,
                        depth,
                        saw_horizon: depth == 5,
                        ordinal,
                    };
                    let word = packed(entry);
                    assert_eq!(unpacked(word), entry);
                    assert_eq!(word >> AGE_AT, 0, "it keeps to its bits");
                }
            }
        }
        let far = Entry {
            ordinal: Some(1_023),
            ..entry(Score::DRAW, 1)
        };
        assert_eq!(unpacked(packed(far)).ordinal, None);
    }

    #[test]
    fn a_score_counts_at_its_depth_and_what_is_certain_at_greater_ones() {
        let holds = |entry: Entry| (0..8).filter(|&depth| entry.holds_for(depth)).collect();
        let guess: Vec<_> = holds(entry(Score::evaluation(3), 4));
        assert_eq!(guess, [4]);
        let whole: Vec<_> = holds(Entry {
            saw_horizon: false,
            ..entry(Score::evaluation(3), 4)
        });
        assert_eq!(whole, [4, 5, 6, 7]);
        let win: Vec<_> = holds(entry(Score::win_in(3), 6));
        assert_eq!(win, [3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_growing_table_knows_what_it_knew() {
        let mut table = TranspositionTable::growing();
        for n in 0..150 {
            table.store(key(n), entry(Score::evaluation(n as i32), 3));
        }
        let known: Vec<_> = (0..150)
            .filter(|&n| score_of(&table, key(n), 3).is_some())
            .collect();
        assert!(known.len() > 100, "most find a place");
        for positions in [0, 10_000, 300_000] {
            table.grow_to(positions);
            for &n in &known {
                let found = score_of(&table, key(n), 3);
                assert_eq!(
                    found,
                    Some(Score::evaluation(n as i32)),
                    "{positions} positions"
                );
            }
        }
        assert!(table.pairs.row_count() >= 300_000 / POSITIONS_A_ROW);
        table.forget();
        assert!(known.iter().all(|&n| score_of(&table, key(n), 3).is_none()));
    }

    #[test]
    fn what_is_old_and_shallow_gives_way() {
        // One row of four.
        let mut table = TranspositionTable::new(64);
        for depth in [9, 3, 5, 7] {
            table.store(key(u64::from(depth)), entry(Score::DRAW, depth));
        }
        let known = |table: &TranspositionTable| -> Vec<u32> {
            let depths = [3, 4, 5, 7, 9].into_iter();
            depths
                .filter(|&depth| score_of(table, key(u64::from(depth)), depth).is_some())
                .collect()
        };
        table.store(key(4), entry(Score::DRAW, 4));
        assert_eq!(known(&table), [4, 5, 7, 9]);
        for _ in 0..4 {
            table.grow_older();
        }
        // Four searches later even the least deep is worth more.
        for n in 10..13 {
            table.store(key(n), entry(Score::DRAW, 1));
        }
        assert_eq!(known(&table), [9]);
        assert_eq!(score_of(&table, key(12), 1), Some(Score::DRAW));
    }

    #[test]
    fn a_position_keeps_an_entry_for_each_depth() {
        let table = TranspositionTable::new(64);
        for depth in 1..=3 {
            let found = Entry {
                ordinal: Some(depth),
                ..entry(Score::evaluation(depth as i32), depth)
            };
            table.store(key(1), found);
        }
        for depth in 1..=3 {
            assert_eq!(
                score_of(&table, key(1), depth),
                Some(Score::evaluation(depth as i32))
            );
        }
        let known = table.look_up(key(1), 4, Window::FULL, 0);
        assert!(known.finding.is_none());
        assert_eq!(known.ordinal, Some(3), "the deepest search knows best");
    }
}
