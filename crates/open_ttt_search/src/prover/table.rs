use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

/// A hash table of value bounds that several threads may use at once and that can
/// grow between their searches.
///
/// A short proof needs a table that fits the nearest processor cache, and
/// allocating or clearing a large one would take longer than the proof.
///
/// A slot is one word, so it is read and written atomically. Two slots share an index
/// and a cache line: one keeps the position with more plies left, whose search cost
/// more, the other the latest one (two-tier replacement; Breuker, Uiterwijk and van den
/// Herik, "Replacement schemes and two-level tables", 1996). Keys are unique: the part of
/// a key that the index does not imply is stored in the slot.
///
/// ```text
///  mixed key    | index |       rest of the key        |
///  slot                 | rest | level | lower + 64 | upper + 64 |     0: empty
///  bits                  48       2          7            7
/// ```
#[derive(Debug)]
pub(crate) struct Table {
    /// Slots 2i and 2i + 1 have index i.
    slots: Vec<AtomicU64>,
    /// The base-2 logarithm of the number of indices.
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

/// The plies left decide what is kept by levels of eight plies.
const LEVEL_BITS: u32 = 2;
const LEVEL_PLIES: i16 = 8;

/// The bits of a slot below the rest of the key.
const VALUE_BITS: u32 = LEVEL_BITS + 2 * BOUND_BITS;

/// The index bits of an empty table, if its keys allow it.
const MIN_INDEX_BITS: u32 = 8;

impl Table {
    /// A table of at most this many bytes, for keys of `key_bits` bits.
    ///
    /// The minimum is 4 KiB, doubled for each bit of the keys beyond 56.
    pub(crate) fn new(bytes: usize, key_bits: u32) -> Self {
        // The rest of a key must fit beside the value.
        let min = (key_bits + VALUE_BITS)
            .saturating_sub(u64::BITS)
            .max(MIN_INDEX_BITS);
        let max = (bytes / size_of::<[u64; 2]>()).checked_ilog2().unwrap_or(0);
        Self {
            slots: (0..2_usize << min).map(|_| AtomicU64::new(0)).collect(),
            index_bits: min,
            min_index_bits: min,
            max_index_bits: max.clamp(min, key_bits.max(min)),
            key_bits,
        }
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The slots of a key, and its rest.
    #[inline]
    fn locate(&self, key: u64) -> (&[AtomicU64; 2], u64) {
        // Multiplication by an odd number modulo a power of two is a bijection, and
        // the high bits depend on the whole key.
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) & low_bits(self.key_bits);
        let rest_bits = self.key_bits.saturating_sub(self.index_bits);
        let (pairs, _) = self.slots.as_chunks();
        (
            &pairs[(mixed >> rest_bits) as usize],
            mixed & low_bits(rest_bits),
        )
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<ValueBounds> {
        let (slots, rest) = self.locate(key);
        let bound = |bits: u64| (bits & low_bits(BOUND_BITS)) as i16 - (MAX_VALUE + 1);
        let slot = slots
            .iter()
            .map(|slot| slot.load(Ordering::Relaxed))
            .find(|&slot| holds(slot, rest))?;
        Some(ValueBounds {
            lower: bound(slot >> BOUND_BITS),
            upper: bound(slot),
        })
    }

    /// Stores the bounds of a position with so many plies left, at the expense of
    /// another one. Both bounds must be within ±[`MAX_VALUE`].
    #[inline]
    pub(crate) fn put(&self, key: u64, bounds: ValueBounds, left: i16) {
        let ([costly, latest], rest) = self.locate(key);
        let level = (left / LEVEL_PLIES).clamp(0, low_bits(LEVEL_BITS) as i16) as u64;
        let bound = |bound: i16| (bound + MAX_VALUE + 1) as u64;
        let bounds = bound(bounds.lower) << BOUND_BITS | bound(bounds.upper);
        let slot = rest << VALUE_BITS | level << (2 * BOUND_BITS) | bounds;
        let kept = costly.load(Ordering::Relaxed);
        if holds(kept, rest) {
            costly.store(slot, Ordering::Relaxed);
        } else if level >= kept >> (2 * BOUND_BITS) & low_bits(LEVEL_BITS) {
            latest.store(kept, Ordering::Relaxed);
            costly.store(slot, Ordering::Relaxed);
        } else {
            latest.store(slot, Ordering::Relaxed);
        }
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
        self.slots.resize_with(2 << index_bits, AtomicU64::default);
        // From the last slot down, because entries move up into the slots of later
        // ones.
        for at in (0..before).rev() {
            let slot = core::mem::take(self.slots[at].get_mut());
            if slot != 0 {
                // The first bits of the rest become the last bits of the index.
                let rest = slot >> VALUE_BITS;
                let index = ((at / 2) << more) | (rest >> rest_bits) as usize;
                let slot = slot & low_bits(rest_bits + VALUE_BITS);
                *self.slots[2 * index + at % 2].get_mut() = slot;
            }
        }
        self.index_bits = index_bits;
    }

    /// Removes all entries and shrinks the table to its minimum.
    pub(crate) fn clear(&mut self) {
        self.index_bits = self.min_index_bits;
        self.slots.truncate(2 << self.index_bits);
        for slot in &mut self.slots {
            *slot.get_mut() = 0;
        }
    }
}

/// Whether a slot holds the position with this rest of a key.
#[inline]
const fn holds(slot: u64, rest: u64) -> bool {
    slot != 0 && slot >> VALUE_BITS == rest
}

#[inline]
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
        for bits in [16, 49, 56, 62] {
            let mut table = Table::new(1 << 24, bits);
            let mut known = HashMap::new();
            for key in keys(bits).take(200) {
                table.put(key, bounds(key), 8);
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
            table.put(key, bounds(key), 8);
        }
        assert!((0..100_000).any(|key| table.get(key).is_some()));
        table.clear();
        assert!((0..100_000).all(|key| table.get(key).is_none()));
        assert_eq!(table.slots(), 2 << MIN_INDEX_BITS);
        assert!(!Table::new(0, 49).can_grow());
    }

    #[test]
    fn keys_in_the_same_slot_are_distinguished() {
        // With as many slots as keys, and with few.
        for (bytes, bits) in [(0, 8), (0, 49), (0, 56), (1 << 20, 24), (1 << 16, 60)] {
            let table = Table::new(bytes, bits);
            for key in keys(bits).take(10_000) {
                table.put(key, bounds(key), 8);
                assert_eq!(table.get(key), Some(bounds(key)));
            }
            for key in keys(bits).take(10_000) {
                let known = table.get(key);
                assert!(known.is_none_or(|known| known == bounds(key)));
            }
        }
    }

    #[test]
    fn positions_with_more_plies_left_are_kept() {
        let table = Table::new(0, 49);
        let costly: Vec<_> = keys(49).take(20).collect();
        for &key in &costly {
            table.put(key, bounds(key), 40);
        }
        let kept = |key: &&u64| table.get(**key) == Some(bounds(**key));
        let before: Vec<_> = costly.iter().filter(kept).collect();
        assert!(before.len() > 15, "few share an index");
        for key in keys(48).take(10_000) {
            table.put(key, bounds(key), 9);
            assert_eq!(table.get(key), Some(bounds(key)), "the latest is kept, too");
        }
        let after = costly.iter().filter(kept).count();
        assert!(after >= 18, "{after} of {}", before.len());
        // Those with as many plies left replace them.
        for key in keys(47).take(10_000) {
            table.put(key, bounds(key), 40);
        }
        assert_eq!(costly.iter().filter(kept).count(), 0);
    }
}
