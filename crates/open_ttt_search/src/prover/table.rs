use core::sync::atomic::{AtomicU64, Ordering};

/// A hash table of value bounds that several threads may use at once and that can
/// grow between their searches.
///
/// A short proof needs a table that fits the nearest processor cache, and
/// allocating or clearing a large one would take longer than the proof.
///
/// A slot is one word, so it is read and written atomically. Keys are unique: the
/// part of a key that the slot's index does not imply is stored in the slot.
///
/// ```text
///  mixed key    | index |      rest of the key       |
///  slot                 | rest | lower + 64 | upper + 64 |     0: empty
///  bits                  50       7             7
/// ```
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<AtomicU64>,
    /// The base-2 logarithm of the number of slots.
    index_bits: u32,
    min_index_bits: u32,
    max_index_bits: u32,
    key_bits: u32,
}

/// Bounds of a position's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueBounds {
    pub(crate) lower: i16,
    pub(crate) upper: i16,
}

impl ValueBounds {
    /// The result of a null-window search above `alpha`, if the bounds imply it: a
    /// lower bound above `alpha` or an upper bound at or below it.
    pub(crate) fn cutoff(self, alpha: i16) -> Option<i16> {
        if self.lower > alpha {
            Some(self.lower)
        } else {
            (self.upper <= alpha).then_some(self.upper)
        }
    }
}

/// The maximum of a bound, and of its negation.
pub(crate) const MAX_VALUE: i16 = 63;

const BOUND_BITS: u32 = 7;

/// The index bits of an empty table, if its keys allow it.
const MIN_INDEX_BITS: u32 = 8;

impl Table {
    /// A table of at most this many bytes, for keys of `key_bits` bits.
    ///
    /// The minimum is 2 KiB, doubled for each bit of the keys beyond 58.
    pub(crate) fn new(bytes: usize, key_bits: u32) -> Self {
        // The rest of a key must fit beside the bounds.
        let min = (key_bits + 2 * BOUND_BITS)
            .saturating_sub(u64::BITS)
            .max(MIN_INDEX_BITS);
        let max = (bytes / size_of::<u64>()).checked_ilog2().unwrap_or(0);
        Self {
            slots: (0..1_usize << min).map(|_| AtomicU64::new(0)).collect(),
            index_bits: min,
            min_index_bits: min,
            max_index_bits: max.clamp(min, key_bits.max(min)),
            key_bits,
        }
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The index of a key's slot, and the rest of the key.
    fn locate(&self, key: u64) -> (usize, u64) {
        // Multiplication by an odd number modulo a power of two is a bijection, and
        // the high bits depend on the whole key.
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) & low_bits(self.key_bits);
        let rest_bits = self.key_bits.saturating_sub(self.index_bits);
        ((mixed >> rest_bits) as usize, mixed & low_bits(rest_bits))
    }

    pub(crate) fn get(&self, key: u64) -> Option<ValueBounds> {
        let (index, rest) = self.locate(key);
        let slot = self.slots[index].load(Ordering::Relaxed);
        let bound = |bits: u64| (bits & low_bits(BOUND_BITS)) as i16 - (MAX_VALUE + 1);
        (slot != 0 && slot >> (2 * BOUND_BITS) == rest).then(|| ValueBounds {
            lower: bound(slot >> BOUND_BITS),
            upper: bound(slot),
        })
    }

    /// Stores the bounds of a position and replaces what is in its slot. Both bounds
    /// must be within ±[`MAX_VALUE`].
    pub(crate) fn put(&self, key: u64, bounds: ValueBounds) {
        let (index, rest) = self.locate(key);
        let bound = |bound: i16| (bound + MAX_VALUE + 1) as u64;
        let slot = (rest << BOUND_BITS | bound(bounds.lower)) << BOUND_BITS | bound(bounds.upper);
        self.slots[index].store(slot, Ordering::Relaxed);
    }

    pub(crate) fn can_grow(&self) -> bool {
        self.index_bits < self.max_index_bits
    }

    /// Makes the table up to four times as large and keeps its entries.
    pub(crate) fn grow(&mut self) {
        let before = self.slots.len();
        let index_bits = (self.index_bits + 2).min(self.max_index_bits);
        let more = index_bits - self.index_bits;
        let rest_bits = self.key_bits - index_bits;
        self.slots.resize_with(1 << index_bits, AtomicU64::default);
        // From the last slot down, because entries move up into the slots of later
        // ones.
        for index in (0..before).rev() {
            let slot = core::mem::take(self.slots[index].get_mut());
            if slot != 0 {
                // The first bits of the rest become the last bits of the index.
                let rest = slot >> (2 * BOUND_BITS);
                let index = index << more | (rest >> rest_bits) as usize;
                let slot = slot & low_bits(rest_bits + 2 * BOUND_BITS);
                *self.slots[index].get_mut() = slot;
            }
        }
        self.index_bits = index_bits;
    }

    /// Removes all entries and shrinks the table to its minimum.
    pub(crate) fn clear(&mut self) {
        self.index_bits = self.min_index_bits;
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

    fn bounds(key: u64) -> ValueBounds {
        ValueBounds {
            lower: -((key % 63) as i16),
            upper: (key % 64) as i16,
        }
    }

    /// Random keys of this many bits.
    fn keys(bits: u32) -> impl Iterator<Item = u64> {
        let mut rng = open_ttt_lib::random::Rng::new(u64::from(bits));
        core::iter::repeat_with(move || rng.next_u64() >> (64 - bits))
    }

    #[test]
    fn growing_keeps_the_entries() {
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
            assert!(known.len() > 120, "few share a slot");
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
    fn a_table_keeps_its_size_limit_and_can_be_cleared() {
        let mut table = Table::new(100_000, 49);
        while table.can_grow() {
            table.grow();
        }
        assert_eq!(table.slots() * size_of::<u64>(), 65_536);
        for key in 0..100_000 {
            table.put(key, bounds(key));
        }
        assert!((0..100_000).any(|key| table.get(key).is_some()));
        table.clear();
        assert!((0..100_000).all(|key| table.get(key).is_none()));
        assert_eq!(table.slots(), 1 << MIN_INDEX_BITS);
        assert!(!Table::new(0, 49).can_grow());
    }

    #[test]
    fn keys_in_the_same_slot_are_distinguished() {
        // With as many slots as keys, and with few.
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
