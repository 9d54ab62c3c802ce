use alloc::vec;
use alloc::vec::Vec;

/// The transposition table of proof-number search, which grows with the work up to
/// a fixed size.
///
/// The key is the whole position, so no two positions are mistaken for one another.
#[derive(Debug)]
pub(super) struct ProofTable {
    slots: Vec<ProofEntry>,
    max_slots: usize,
    used_slots: usize,
}

/// The pieces of each side on a board of at most 64 cells, one bit per cell.
pub(super) type Pieces = [u64; 2];

/// What is known about a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProofEntry {
    pub(super) pieces: Pieces,
    /// The moves to search, one bit per cell; a winning move alone once the
    /// attacker, to move, is proved to win.
    pub(super) moves: u64,
    pub(super) numbers: ProofNumbers,
    /// About how many positions were visited for it; 0 in an empty slot.
    pub(super) work: u32,
}

/// The proof number and the disproof number of a position (Allis 1994): the fewest
/// positions that must be shown to be won to prove that the attacker wins, and the
/// fewest that must be shown not to be won to disprove it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl ProofNumbers {
    pub(super) const fn new(proof: u32, disproof: u32) -> Self {
        Self { proof, disproof }
    }

    /// Above every number of an undecided position.
    pub(super) const INFINITY: u32 = 1 << 30;

    pub(super) const PROVED: Self = Self::new(0, Self::INFINITY);

    pub(super) const DISPROVED: Self = Self::new(Self::INFINITY, 0);

    /// Thresholds that only a decided position reaches.
    pub(super) const MAX_THRESHOLDS: Self = Self::new(Self::INFINITY, Self::INFINITY);

    pub(super) fn are_final(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// The number of neighbouring slots that a position may be in.
const BUCKET: usize = 4;

/// The slots of an empty table.
const MIN_SLOTS: usize = 1 << 10;

impl ProofTable {
    /// A table of at most this many bytes, but of no less than [`MIN_SLOTS`].
    pub(super) fn new(bytes: usize) -> Self {
        let max_slots = (bytes / size_of::<ProofEntry>()).max(MIN_SLOTS);
        Self {
            slots: vec![ProofEntry::default(); MIN_SLOTS],
            // A power of two: a mask selects the bucket.
            max_slots: 1 << max_slots.ilog2(),
            used_slots: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.truncate(MIN_SLOTS);
        self.slots.fill(ProofEntry::default());
        self.used_slots = 0;
    }

    pub(super) fn get(&self, pieces: Pieces) -> Option<&ProofEntry> {
        let mut bucket = self.slots[self.bucket(pieces)].iter();
        bucket.find(|entry| entry.work > 0 && entry.pieces == pieces)
    }

    /// Stores an entry in its own slot, or in the slot of its bucket whose position
    /// took the least work.
    pub(super) fn insert(&mut self, entry: ProofEntry) {
        if self.used_slots > self.slots.len() / 2 && self.slots.len() < self.max_slots {
            self.grow();
        }
        let range = self.bucket(entry.pieces);
        let rank = |old: &ProofEntry| {
            let is_same = old.work > 0 && old.pieces == entry.pieces;
            (!is_same, old.work)
        };
        if let Some(slot) = self.slots[range].iter_mut().min_by_key(|old| rank(old)) {
            self.used_slots += usize::from(slot.work == 0);
            *slot = entry;
        }
    }

    /// Enlarges the table and keeps its entries.
    fn grow(&mut self) {
        let larger = (self.slots.len() * 8).min(self.max_slots);
        let smaller = core::mem::replace(&mut self.slots, vec![ProofEntry::default(); larger]);
        self.used_slots = 0;
        for entry in smaller.into_iter().filter(|entry| entry.work > 0) {
            self.insert(entry);
        }
    }

    fn bucket(&self, pieces: Pieces) -> core::ops::Range<usize> {
        let start = ((hash(pieces) >> 32) as usize * BUCKET) & (self.slots.len() - 1);
        start..start + BUCKET
    }
}

pub(super) fn hash([first, second]: Pieces) -> u64 {
    let mixed = (first ^ second.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ second.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ (mixed >> 32)
}
