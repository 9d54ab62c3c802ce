/// Positions with what is known about them in a proof-number search, in a
/// table that grows with the work up to a fixed size.
///
/// A position is told by the pieces of both sides, all of them, so no two are
/// ever mistaken for one another.
#[derive(Debug)]
pub(super) struct ProofTable {
    slots: Vec<Entry>,
    most_slots: usize,
    /// How many slots are taken.
    taken: usize,
}

/// The pieces of either side on a board of at most 64 cells.
pub(super) type Pieces = [u64; 2];

/// What is known about a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub(super) pieces: Pieces,
    /// The moves worth looking at, a bit for each cell; once the attacker, to
    /// move, is proved to win only one that wins.
    pub(super) moves: u64,
    pub(super) numbers: Numbers,
    /// About how many positions were looked at for it; 0 in an empty slot.
    pub(super) work: u32,
}

/// How many positions must at least be shown to be won to prove a win of the
/// attacker, and how many to be not won to disprove it (Allis 1994): 0 and
/// [`NEVER`](Self::NEVER) if it is proved, the other way round if disproved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Numbers {
    /// More than any number that can still be reached.
    pub(super) const NEVER: u32 = 1 << 30;

    pub(super) const PROVED: Self = Self {
        proof: 0,
        disproof: Self::NEVER,
    };

    pub(super) const DISPROVED: Self = Self {
        proof: Self::NEVER,
        disproof: 0,
    };

    /// Limits that only a decision reaches.
    pub(super) const LIMITS: Self = Self {
        proof: Self::NEVER,
        disproof: Self::NEVER,
    };

    pub(super) fn are_final(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// How many neighbouring slots a position may be in.
const PLACES: usize = 4;

/// The slots of an empty table.
const FEWEST: usize = 1 << 10;

impl ProofTable {
    /// A table of at most this many bytes, but never less than some thousands.
    pub(super) fn new(bytes: usize) -> Self {
        let most_slots = (bytes / size_of::<Entry>()).max(FEWEST);
        Self {
            slots: vec![Entry::default(); FEWEST],
            // A power of two, so that a mask chooses the slots.
            most_slots: 1 << most_slots.ilog2(),
            taken: 0,
        }
    }

    pub(super) fn forget(&mut self) {
        self.slots.truncate(FEWEST);
        self.slots.fill(Entry::default());
        self.taken = 0;
    }

    pub(super) fn get(&self, pieces: Pieces) -> Option<&Entry> {
        let places = &self.slots[self.places(pieces)];
        places
            .iter()
            .find(|entry| entry.work > 0 && entry.pieces == pieces)
    }

    /// Writes an entry in its own place, or in that of the position nearby that
    /// took the least work.
    pub(super) fn put(&mut self, entry: Entry) {
        if self.taken > self.slots.len() / 2 && self.slots.len() < self.most_slots {
            self.grow();
        }
        let range = self.places(entry.pieces);
        let places = &mut self.slots[range];
        let rank = |old: &Entry| {
            let same = old.work > 0 && old.pieces == entry.pieces;
            (!same, old.work)
        };
        if let Some(place) = places.iter_mut().min_by_key(|old| rank(old)) {
            self.taken += usize::from(place.work == 0);
            *place = entry;
        }
    }

    /// Makes the table larger and keeps what it knows.
    fn grow(&mut self) {
        let larger = (self.slots.len() * 8).min(self.most_slots);
        let smaller = core::mem::replace(&mut self.slots, vec![Entry::default(); larger]);
        self.taken = 0;
        for entry in smaller.into_iter().filter(|entry| entry.work > 0) {
            self.put(entry);
        }
    }

    fn places(&self, pieces: Pieces) -> core::ops::Range<usize> {
        let mixed = mixed(pieces);
        let start = ((mixed >> 32) as usize * PLACES) & (self.slots.len() - 1);
        start..start + PLACES
    }
}

/// A number in which every piece of a position counts.
pub(super) fn mixed([first, second]: Pieces) -> u64 {
    let mixed = (first ^ second.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ second.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ (mixed >> 32)
}
