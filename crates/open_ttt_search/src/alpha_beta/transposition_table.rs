use crate::Score;
use crate::alpha_beta::lockless_table::LocklessTable;
use crate::alpha_beta::node_result::NodeResult;
use crate::alpha_beta::window::Window;
use crate::bound::Bound;
use crate::position_key::PositionKey;

/// The results of depth-limited searches, for positions that are reached again by
/// another order of moves, at the next depth, or in another thread.
///
/// A position may have several entries, one for each depth it was searched to: a
/// score is valid only at its own depth.
///
/// Several threads may use the table at once. In a full bucket a new entry
/// replaces the oldest and shallowest.
///
/// An entry is verified by 84 bits of the [`PositionKey`]: all of one word, and 20
/// bits of the other by the bucket index and a tag. A thousand million probes of a
/// full table of 64 MiB return the entry of another position with a probability of
/// 2³⁰ · 2²² · 2⁻⁸⁴, one in four thousand million.
#[derive(Clone, Debug)]
pub(crate) struct TranspositionTable {
    table: LocklessTable,
    /// The number of the current search, so that older entries are replaced first.
    age: u64,
}

/// The stored result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableEntry {
    /// The score, with plies counted from this position.
    pub(crate) score: Score,
    pub(crate) bound: Bound,
    pub(crate) depth: u32,
    /// Whether the score depends on a line cut off at the depth limit.
    pub(crate) depth_limited: bool,
    /// The index of the best or refuting move in the game's list of moves.
    pub(crate) move_index: Option<u32>,
}

impl TableEntry {
    /// Whether a search of this depth would return the same.
    ///
    /// An entry of a deeper search does not qualify as such, because a search of
    /// this depth evaluates earlier positions. But an entry that is not depth
    /// limited holds at every greater depth; and a win or loss is found, and a
    /// faster one ruled out, at every depth that reaches it.
    fn is_valid_at(&self, depth: u32) -> bool {
        let reach = match self.score.plies() {
            Some(plies) => plies,
            None if self.depth_limited => return self.depth == depth,
            None => self.depth,
        };
        self.depth == depth || reach <= depth
    }

    /// The result of searching the position at this ply, if the entry shows that
    /// the score lies outside of the window.
    fn cutoff(&self, window: Window, ply: u32) -> Option<NodeResult> {
        let score = self.score.relative_to_root(ply);
        let (fails_high, fails_low) = (score >= window.beta, score <= window.alpha);
        let is_cutoff = match self.bound {
            Bound::Lower => fails_high,
            Bound::Upper => fails_low,
            Bound::Exact => fails_high || fails_low,
        };
        is_cutoff.then_some(NodeResult::new(score, self.depth_limited))
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProbeResult {
    /// The result of the search, if the table makes the search unnecessary.
    pub(crate) cutoff: Option<NodeResult>,
    /// The index of the best move of the deepest search, in the game's list of
    /// moves.
    pub(crate) move_index: Option<u32>,
}

/// An entry is packed into a word:
///
/// ```text
///  bits 63-50   49-46   45-36            35-26   25              24-23   22-0
///       tag     age     move index + 1   depth   depth limited   bound   score
/// ```
const SCORE_BITS: u32 = 23;
const BOUND_SHIFT: u32 = 23;
const DEPTH_LIMITED_SHIFT: u32 = 25;
const DEPTH_SHIFT: u32 = 26;
const MOVE_SHIFT: u32 = 36;
const AGE_SHIFT: u32 = 46;
const TAG_SHIFT: u32 = 50;

/// The nodes of a search for each bucket it can fill: leaves are not stored, and
/// the next depth has several times as many nodes.
const NODES_PER_BUCKET: usize = 8;

/// The largest value of the fields of ten bits.
const TEN_BITS: u64 = (1 << 10) - 1;
const AGES: u64 = 16;
/// The index bits that select the bucket in a growing table of any size. The tag
/// holds the bits above them.
const MIN_BUCKET_BITS: u32 = 6;
const TAG_MASK: u64 = (1 << (64 - TAG_SHIFT)) - 1;

impl TranspositionTable {
    /// The minimum and maximum size of a growing table: 4 KiB and 64 MiB.
    const MIN_GROWING_BYTES: usize = LocklessTable::BUCKET_BYTES << MIN_BUCKET_BITS;
    const MAX_GROWING_BYTES: usize = Self::MIN_GROWING_BYTES << (64 - TAG_SHIFT);

    /// An empty table that can grow.
    pub(crate) fn growing() -> Self {
        Self::new(Self::MIN_GROWING_BYTES)
    }

    /// An empty table of at most this many bytes, but at least one entry.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            table: LocklessTable::new(bytes),
            age: 0,
        }
    }

    /// Starts another search: the entries of earlier ones stay until they are
    /// replaced.
    pub(crate) fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    pub(crate) fn clear(&mut self) {
        self.table.clear();
    }

    /// Makes a [growing](Self::growing) table large enough for a search of this
    /// many nodes, up to 64 MiB, and keeps its entries.
    pub(crate) fn grow_for(&mut self, nodes: u64) {
        let max_buckets = Self::MAX_GROWING_BYTES / LocklessTable::BUCKET_BYTES;
        let buckets = (nodes as usize).div_ceil(NODES_PER_BUCKET);
        let buckets = buckets.next_power_of_two().min(max_buckets);
        if buckets <= self.table.bucket_count() {
            return;
        }
        let mut larger = Self {
            table: LocklessTable::new(buckets * LocklessTable::BUCKET_BYTES),
            age: self.age,
        };
        for bucket in 0..self.table.bucket_count() {
            for (check, word) in self.table.bucket(bucket).filter(|&(_, word)| word != 0) {
                let low = bucket as u64 & ((1 << MIN_BUCKET_BITS) - 1);
                let index = (word >> TAG_SHIFT) << MIN_BUCKET_BITS | low;
                larger.replace(PositionKey { index, check }, word);
            }
        }
        core::mem::swap(self, &mut larger);
    }

    fn bucket_of(&self, key: PositionKey) -> usize {
        key.index as usize & (self.table.bucket_count() - 1)
    }

    /// Looks up a position that is to be searched to this depth in this window, at
    /// this ply.
    pub(crate) fn probe(
        &self,
        key: PositionKey,
        depth: u32,
        window: Window,
        ply: u32,
    ) -> ProbeResult {
        let mut result = ProbeResult::default();
        let mut deepest = 0;
        for (check, word) in self.table.bucket(self.bucket_of(key)) {
            if !matches_key(key, check, word) {
                continue;
            }
            let entry = unpack(word);
            if entry.is_valid_at(depth)
                && let Some(cutoff) = entry.cutoff(window, ply)
            {
                result.cutoff = Some(cutoff);
                break;
            }
            if entry.move_index.is_some() && entry.depth >= deepest {
                deepest = entry.depth;
                result.move_index = entry.move_index;
            }
        }
        result
    }

    /// Stores the result of a search, unless it is deeper than 1,023 plies.
    pub(crate) fn store(&self, key: PositionKey, entry: TableEntry) {
        if u64::from(entry.depth) <= TEN_BITS {
            let word = pack(entry) | self.age << AGE_SHIFT | tag(key) << TAG_SHIFT;
            self.replace(key, word);
        }
    }

    fn replace(&self, key: PositionKey, word: u64) {
        let bucket = self.bucket_of(key);
        let mut slot = 0;
        let mut min_priority = u64::MAX;
        for (index, (check, old)) in self.table.bucket(bucket).enumerate() {
            if old == 0 || matches_key(key, check, old) && depth_of(old) == depth_of(word) {
                slot = index;
                break;
            }
            let priority = self.priority(old);
            if priority < min_priority {
                (slot, min_priority) = (index, priority);
            }
        }
        self.table.store(bucket, slot, key.check, word);
    }

    /// How long an entry is kept: being one search older costs as much as two plies
    /// of depth.
    fn priority(&self, word: u64) -> u64 {
        let age = (self.age + AGES - (word >> AGE_SHIFT) % AGES) % AGES;
        depth_of(word) + 2 * (AGES - age)
    }
}

fn tag(key: PositionKey) -> u64 {
    key.index >> MIN_BUCKET_BITS & TAG_MASK
}

fn matches_key(key: PositionKey, check: u64, word: u64) -> bool {
    check == key.check && word >> TAG_SHIFT == tag(key) && word != 0
}

fn depth_of(word: u64) -> u64 {
    word >> DEPTH_SHIFT & TEN_BITS
}

fn pack(entry: TableEntry) -> u64 {
    let move_number = entry.move_index.map(|index| u64::from(index) + 1);
    // A move further down the list does not fit.
    let move_number = move_number
        .filter(|&number| number <= TEN_BITS)
        .unwrap_or(0);
    entry.score.to_bits()
        | (entry.bound as u64) << BOUND_SHIFT
        | u64::from(entry.depth_limited) << DEPTH_LIMITED_SHIFT
        | u64::from(entry.depth) << DEPTH_SHIFT
        | move_number << MOVE_SHIFT
}

fn unpack(word: u64) -> TableEntry {
    TableEntry {
        score: Score::from_bits(word & ((1 << SCORE_BITS) - 1)),
        bound: match word >> BOUND_SHIFT & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        },
        depth: depth_of(word) as u32,
        depth_limited: word >> DEPTH_LIMITED_SHIFT & 1 == 1,
        move_index: (word >> MOVE_SHIFT & TEN_BITS)
            .checked_sub(1)
            .map(|index| index as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use open_ttt_lib::random::Rng;

    fn key(n: u64) -> PositionKey {
        let mut rng = Rng::new(n);
        PositionKey {
            index: rng.next_u64(),
            check: rng.next_u64(),
        }
    }

    fn entry(score: Score, depth: u32) -> TableEntry {
        TableEntry {
            score,
            bound: Bound::Exact,
            depth,
            depth_limited: true,
            move_index: None,
        }
    }

    fn stored_score(table: &TranspositionTable, key: PositionKey, depth: u32) -> Option<Score> {
        let above_all = Window::null(Score::MAX);
        let cutoff = table.probe(key, depth, above_all, 0).cutoff;
        cutoff.map(|result| result.score)
    }

    #[test]
    fn packing_is_reversible() {
        let scores = [Score::win_in(0), Score::loss_in(0), Score::win_in(500_000)];
        let evaluations = [-7, 0, 1_000_000].map(Score::evaluation);
        for score in scores.into_iter().chain(evaluations) {
            for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                for (depth, move_index) in [(0, None), (1_023, Some(1_022)), (5, Some(0))] {
                    let entry = TableEntry {
                        score,
                        bound,
                        depth,
                        depth_limited: depth == 5,
                        move_index,
                    };
                    let word = pack(entry);
                    assert_eq!(unpack(word), entry);
                    assert_eq!(word >> AGE_SHIFT, 0, "it stays within its bits");
                }
            }
        }
        let late_move = TableEntry {
            move_index: Some(1_023),
            ..entry(Score::DRAW, 1)
        };
        assert_eq!(unpack(pack(late_move)).move_index, None);
    }

    #[test]
    fn an_entry_is_valid_at_its_depth_and_if_certain_at_greater_ones() {
        let valid = |entry: TableEntry| -> Vec<_> {
            (0..8).filter(|&depth| entry.is_valid_at(depth)).collect()
        };
        let depth_limited = entry(Score::evaluation(3), 4);
        assert_eq!(valid(depth_limited), [4]);
        let complete = TableEntry {
            depth_limited: false,
            ..depth_limited
        };
        assert_eq!(valid(complete), [4, 5, 6, 7]);
        assert_eq!(valid(entry(Score::win_in(3), 6)), [3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_growing_table_keeps_its_entries() {
        let mut table = TranspositionTable::growing();
        for n in 0..150 {
            table.store(key(n), entry(Score::evaluation(n as i32), 3));
        }
        let stored: Vec<_> = (0..150)
            .filter(|&n| stored_score(&table, key(n), 3).is_some())
            .collect();
        assert!(stored.len() > 100, "most fit");
        for nodes in [0, 10_000, 300_000] {
            table.grow_for(nodes);
            for &n in &stored {
                let score = stored_score(&table, key(n), 3);
                assert_eq!(score, Some(Score::evaluation(n as i32)), "{nodes} nodes");
            }
        }
        assert!(table.table.bucket_count() >= 300_000 / NODES_PER_BUCKET);
        table.clear();
        let is_gone = |&n: &u64| stored_score(&table, key(n), 3).is_none();
        assert!(stored.iter().all(is_gone));
    }

    #[test]
    fn old_and_shallow_entries_are_replaced() {
        // One bucket.
        let mut table = TranspositionTable::new(64);
        for depth in [9, 3, 5, 7] {
            table.store(key(u64::from(depth)), entry(Score::DRAW, depth));
        }
        let stored = |table: &TranspositionTable| -> Vec<u32> {
            let depths = [3, 4, 5, 7, 9].into_iter();
            depths
                .filter(|&depth| stored_score(table, key(u64::from(depth)), depth).is_some())
                .collect()
        };
        table.store(key(4), entry(Score::DRAW, 4));
        assert_eq!(stored(&table), [4, 5, 7, 9]);
        for _ in 0..4 {
            table.new_search();
        }
        // Four searches later even the shallowest entry has priority.
        for n in 10..13 {
            table.store(key(n), entry(Score::DRAW, 1));
        }
        assert_eq!(stored(&table), [9]);
        assert_eq!(stored_score(&table, key(12), 1), Some(Score::DRAW));
    }

    #[test]
    fn a_position_has_an_entry_for_each_depth() {
        let table = TranspositionTable::new(64);
        for depth in 1..=3 {
            let entry = TableEntry {
                move_index: Some(depth),
                ..entry(Score::evaluation(depth as i32), depth)
            };
            table.store(key(1), entry);
        }
        for depth in 1..=3 {
            let score = stored_score(&table, key(1), depth);
            assert_eq!(score, Some(Score::evaluation(depth as i32)));
        }
        let result = table.probe(key(1), 4, Window::FULL, 0);
        assert!(result.cutoff.is_none());
        assert_eq!(result.move_index, Some(3), "the deepest search's move");
    }
}
