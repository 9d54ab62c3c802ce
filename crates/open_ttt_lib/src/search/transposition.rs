use super::pair_array::PairArray;
use super::position_key::PositionKey;
use super::Score;
use super::window::Window;

/// What depth-limited searches found out about positions, for meeting them
/// again by another order of moves, one ply deeper, or in another thread.
///
/// The size is fixed; several threads may use it at once. Where a position's
/// row is full, it takes the place of what is oldest and was searched least
/// deep.
///
/// A position is known again by 84 bits of its [`PositionKey`]: all of one word,
/// and 20 of the other by the row and a tag. That is not certainty. Looking a
/// thousand million positions up in a full table of 64 MiB finds the entry of
/// another position with a probability of 2³⁰ · 2²² · 2⁻⁸⁴, one in four thousand
/// million.
#[derive(Clone, Debug)]
pub(super) struct TranspositionTable {
    pairs: PairArray,
    /// Which search this is, so that what earlier ones left gives way first.
    age: u64,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its score, or a limit of it, counted from this position.
    pub(super) score: Score,
    pub(super) bound: Bound,
    /// How many plies were looked ahead.
    pub(super) depth: u32,
    /// Whether the score hangs on a line that was cut off by the depth.
    pub(super) saw_horizon: bool,
    /// Where the best move, or the one that refuted the position, stands in
    /// the game's list of moves.
    pub(super) ordinal: Option<u32>,
}

/// What a score in the table says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is at least that.
    Lower,
    /// It is at most that.
    Upper,
    /// It is that.
    Exact,
}

impl Entry {
    /// Whether this is what a search of this depth would find out as well.
    ///
    /// Not if it merely looked deeper: then a plain search of this depth would
    /// judge earlier, and differently. But what was followed to the end of all
    /// lines holds for every greater depth; and a win or loss in so many plies
    /// is seen, and a faster one ruled out, by every search that reaches as
    /// far.
    pub(super) fn holds_for(&self, depth: u32) -> bool {
        let reach = match self.score.plies() {
            Some(plies) => plies,
            None if self.saw_horizon => return self.depth == depth,
            None => self.depth,
        };
        self.depth == depth || reach <= depth
    }

    /// The score as it is counted from the root, if it is enough to say that a
    /// position so many plies further on lies outside of a window.
    pub(super) fn outside(&self, window: Window, plies: u32) -> Option<Score> {
        let score = self.score.seen_from_root(plies);
        let (above, below) = (score >= window.beta, score <= window.alpha);
        let tells = match self.bound {
            Bound::Lower => above,
            Bound::Upper => below,
            Bound::Exact => above || below,
        };
        tells.then_some(score)
    }
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
const POSITIONS_A_ROW: usize = 2;

/// The largest number in the fields of ten bits.
const TEN_BITS: u64 = (1 << 10) - 1;
const AGES: u64 = 16;
/// What of the place is told by the row alone, in every table that may grow.
const ROW_BITS: u32 = 6;
const TAG_BITS: u64 = (1 << (64 - TAG_AT)) - 1;

impl TranspositionTable {
    /// The fewest bytes of a table that can grow.
    pub(super) const FEWEST_GROWING: usize = ROW_BYTES << ROW_BITS;

    /// The most bytes a table can grow to.
    pub(super) const MOST_GROWING: usize = Self::FEWEST_GROWING << (64 - TAG_AT);

    /// An empty table of at most this many bytes, but never of less than one
    /// entry.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            pairs: PairArray::new(bytes),
            age: 0,
        }
    }

    /// Begins another search: what is in the table stays, and gives way to what
    /// the new search finds.
    pub(super) fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.pairs.clear();
    }

    /// Makes the table large enough for a search of so many positions, up to
    /// [`MOST_GROWING`](Self::MOST_GROWING) bytes, and keeps what it knows.
    ///
    /// It must not be smaller than [`FEWEST_GROWING`](Self::FEWEST_GROWING).
    pub(super) fn grow_to(&mut self, positions: u64) {
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

    /// What is known about a position.
    pub(super) fn get(&self, key: PositionKey) -> Option<Entry> {
        self.pairs
            .row(self.row_of(key))
            .find(|&(check, word)| is_of(key, check, word))
            .map(|(_, word)| unpacked(word))
    }

    /// Keeps what is known about a position. What was looked ahead further
    /// than a thousand plies is not kept.
    pub(super) fn store(&self, key: PositionKey, entry: Entry) {
        if u64::from(entry.depth) <= TEN_BITS {
            self.put(key, packed(entry) | self.age << AGE_AT | tag(key) << TAG_AT);
        }
    }

    fn put(&self, key: PositionKey, word: u64) {
        let row = self.row_of(key);
        let mut place = 0;
        let mut least = u64::MAX;
        for (index, (check, known)) in self.pairs.row(row).enumerate() {
            if known == 0 || is_of(key, check, known) {
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
        (word >> DEPTH_AT & TEN_BITS) + 2 * (AGES - age)
    }
}

fn tag(key: PositionKey) -> u64 {
    key.place >> ROW_BITS & TAG_BITS
}

fn is_of(key: PositionKey, check: u64, word: u64) -> bool {
    check == key.check && word >> TAG_AT == tag(key) && word != 0
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
        depth: (word >> DEPTH_AT & TEN_BITS) as u32,
        saw_horizon: word >> HORIZON_AT & 1 == 1,
        ordinal: (word >> ORDINAL_AT & TEN_BITS)
            .checked_sub(1)
            .map(|ordinal| ordinal as u32),
    }
}
