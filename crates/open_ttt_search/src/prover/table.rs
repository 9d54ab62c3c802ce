use core::sync::atomic::{AtomicU64, Ordering};

/// What is known about positions, by key, in a table that can be read and
/// written by several threads at once and made larger between their searches.
///
/// An easy position is proved in a table that fits the processor's nearest
/// cache, and forgetting everything costs no more than what there was: a large
/// table from the start would cost most of the time of an easy proof.
///
/// A slot is one word, so that it is read and written whole. Keys are unique:
/// what the place of a slot does not tell of its key stands in the slot.
///
/// ```text
///  mixed key    | index |      rest of the key       |
///  slot                 | rest | lower + 64 | upper + 64 |     0: empty
///  bits                  50       7             7
/// ```
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<AtomicU64>,
    /// The slots are two to the power of this.
    index_bits: u32,
    fewest_index_bits: u32,
    most_index_bits: u32,
    /// The keys are below two to the power of this.
    key_bits: u32,
}

/// What is known about a value: it is not below one and not above the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) lower: i16,
    pub(crate) upper: i16,
}

impl Bounds {
    /// Whether the value is more than `asked`, if that is known: a value it is
    /// at least, or one it is at most.
    pub(crate) fn answer(self, asked: i16) -> Option<i16> {
        if self.lower > asked {
            Some(self.lower)
        } else {
            (self.upper <= asked).then_some(self.upper)
        }
    }
}

/// The largest bound, either way, that there is room for.
pub(crate) const MOST_BOUND: i16 = 63;

const BOUND_BITS: u32 = 7;

/// A table begins with two to the power of this many slots, if that is room
/// enough for its keys.
const FEWEST_INDEX_BITS: u32 = 8;

impl Table {
    /// A table that takes at most this many bytes, for keys below two to the
    /// power of `key_bits`.
    ///
    /// It never takes less than 2 KiB, and for keys of more than 58 bits twice
    /// as much for each bit.
    pub(crate) fn new(bytes: usize, key_bits: u32) -> Self {
        // The rest of a key must have room beside the bounds.
        let fewest = (key_bits + 2 * BOUND_BITS)
            .saturating_sub(u64::BITS)
            .max(FEWEST_INDEX_BITS);
        let most = (bytes / size_of::<u64>()).checked_ilog2().unwrap_or(0);
        Self {
            slots: (0..1_usize << fewest).map(|_| AtomicU64::new(0)).collect(),
            index_bits: fewest,
            fewest_index_bits: fewest,
            most_index_bits: most.clamp(fewest, key_bits.max(fewest)),
            key_bits,
        }
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The slot of a key, and the rest of the key.
    fn place(&self, key: u64) -> (usize, u64) {
        // Multiplied by an odd number modulo a power of two no two keys become
        // the same, and the high bits depend on all of the key.
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) & low_bits(self.key_bits);
        let rest_bits = self.key_bits.saturating_sub(self.index_bits);
        ((mixed >> rest_bits) as usize, mixed & low_bits(rest_bits))
    }

    pub(crate) fn get(&self, key: u64) -> Option<Bounds> {
        let (index, rest) = self.place(key);
        let slot = self.slots[index].load(Ordering::Relaxed);
        let bound = |bits: u64| (bits & low_bits(BOUND_BITS)) as i16 - (MOST_BOUND + 1);
        (slot != 0 && slot >> (2 * BOUND_BITS) == rest).then(|| Bounds {
            lower: bound(slot >> BOUND_BITS),
            upper: bound(slot),
        })
    }

    /// Remembers what is known about a position, in place of an earlier one.
    /// Neither bound may be beyond ±[`MOST_BOUND`].
    pub(crate) fn put(&self, key: u64, bounds: Bounds) {
        let (index, rest) = self.place(key);
        let bound = |bound: i16| (bound + MOST_BOUND + 1) as u64;
        let slot = (rest << BOUND_BITS | bound(bounds.lower)) << BOUND_BITS | bound(bounds.upper);
        self.slots[index].store(slot, Ordering::Relaxed);
    }

    pub(crate) fn can_grow(&self) -> bool {
        self.index_bits < self.most_index_bits
    }

    /// Makes the table up to four times as large and keeps what it knows.
    pub(crate) fn grow(&mut self) {
        let before = self.slots.len();
        let index_bits = (self.index_bits + 2).min(self.most_index_bits);
        let more = index_bits - self.index_bits;
        let rest_bits = self.key_bits - index_bits;
        self.slots.resize_with(1 << index_bits, AtomicU64::default);
        // From the last on, for each moves to where those after it have been.
        for index in (0..before).rev() {
            let slot = core::mem::take(self.slots[index].get_mut());
            if slot != 0 {
                // The first bits of the rest of the key become the last ones
                // of the index.
                let rest = slot >> (2 * BOUND_BITS);
                let index = index << more | (rest >> rest_bits) as usize;
                let slot = slot & low_bits(rest_bits + 2 * BOUND_BITS);
                *self.slots[index].get_mut() = slot;
            }
        }
        self.index_bits = index_bits;
    }

    pub(crate) fn forget(&mut self) {
        self.index_bits = self.fewest_index_bits;
        self.slots.truncate(1 << self.index_bits);
        for slot in &mut self.slots {
            *slot.get_mut() = 0;
        }
    }
}

const fn low_bits(count: u32) -> u64 {
    if count >= u64::BITS {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn bounds(key: u64) -> Bounds {
        Bounds {
            lower: -((key % 63) as i16),
            upper: (key % 64) as i16,
        }
    }

    /// Keys of so many bits, spread over all of them.
    fn keys(bits: u32) -> impl Iterator<Item = u64> {
        let mut rng = open_ttt_lib::random::Rng::new(u64::from(bits));
        core::iter::repeat_with(move || rng.next_u64() >> (64 - bits))
    }

    #[test]
    fn growing_keeps_what_is_known() {
        for bits in [16, 49, 58, 62] {
            let mut table = Table::new(1 << 24, bits);
            let mut known = HashMap::new();
            for key in keys(bits).take(200) {
                table.put(key, bounds(key));
            }
            for key in keys(bits).take(200) {
                if let Some(bounds) = table.get(key) {
                    known.insert(key, bounds);
                }
            }
            assert!(known.len() > 120, "few fall on the same slot");
            while table.can_grow() {
                let slots = table.slots();
                table.grow();
                assert!(table.slots() > slots);
                for (&key, &bounds) in &known {
                    assert_eq!(table.get(key), Some(bounds), "{bits} bits");
                }
            }
        }
    }

    #[test]
    fn a_table_keeps_to_its_size_and_forgets() {
        let mut table = Table::new(100_000, 49);
        while table.can_grow() {
            table.grow();
        }
        assert_eq!(table.slots() * size_of::<u64>(), 65_536);
        for key in 0..100_000 {
            table.put(key, bounds(key));
        }
        assert!((0..100_000).any(|key| table.get(key).is_some()));
        table.forget();
        assert!((0..100_000).all(|key| table.get(key).is_none()));
        assert_eq!(table.slots(), 1 << FEWEST_INDEX_BITS);
        assert!(!Table::new(0, 49).can_grow());
    }

    #[test]
    fn another_key_in_the_same_slot_is_not_mistaken() {
        // Where there are as many slots as keys, and where there are few.
        for (bytes, bits) in [(0, 8), (0, 49), (0, 58), (1 << 20, 24), (1 << 16, 60)] {
            let table = Table::new(bytes, bits);
            for key in keys(bits).take(10_000) {
                table.put(key, bounds(key));
                assert_eq!(table.get(key), Some(bounds(key)));
            }
            for key in keys(bits).take(10_000) {
                let known = table.get(key);
                assert!(known.is_none_or(|known| known == bounds(key)));
            }
        }
    }
}
