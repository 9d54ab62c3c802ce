use super::Estimate;
use crate::position_key::PositionKey;
use alloc::vec;
use alloc::vec::Vec;

/// A cache of estimates by position key. The oldest make room for the newest.
///
/// ```text
/// slots   | key, begin | key, begin | ..        by the key
///               |            |
/// numbers | value logit logit logit | value logit | ..   in the order they came,
///           round and round
/// ```
///
/// Positions in the ring buffer are counted without wrapping, so one comparison
/// tells whether an entry was overwritten.
#[derive(Clone, Debug)]
pub(super) struct EstimateCache {
    slots: Vec<Slot>,
    numbers: Vec<f32>,
    /// Where the next number is written, without wrapping.
    end: u64,
    /// Entries before it are cleared.
    begin: u64,
}

/// The two words of a key, the beginning of its estimate and the count of its
/// numbers. All are zero in an empty slot, which costs no memory where it is mapped
/// page by page.
type Slot = [u64; 4];

impl EstimateCache {
    /// A cache of at most this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let half = bytes / 2;
        Self {
            slots: vec![[0; 4]; power_of_two_within(half / size_of::<Slot>())],
            numbers: vec![0.0; power_of_two_within(half / size_of::<f32>())],
            end: 1,
            begin: 1,
        }
    }

    pub(super) fn clear(&mut self) {
        self.begin = self.end;
    }

    pub(super) fn get(&self, key: PositionKey) -> Option<Estimate<'_>> {
        let slot = self.slots.get(self.slot_of(key))?;
        let &[place, check, begin, count] = slot;
        let is_there = begin >= self.begin && self.end - begin <= self.numbers.len() as u64;
        if [place, check] != [key.index, key.check] || !is_there {
            return None;
        }
        let first = self.index(begin);
        let (&value, logits) = self.numbers[first..first + count as usize].split_first()?;
        Some(Estimate { value, logits })
    }

    /// Stores the estimate of the position with this key, if it fits at all.
    pub(super) fn insert(&mut self, key: PositionKey, estimate: Estimate<'_>) {
        let count = 1 + estimate.logits.len();
        if count > self.numbers.len() || self.slots.is_empty() {
            return;
        }
        let mut first = self.index(self.end);
        if first + count > self.numbers.len() {
            self.end += (self.numbers.len() - first) as u64;
            first = 0;
        }
        self.numbers[first] = estimate.value;
        self.numbers[first + 1..first + count].copy_from_slice(estimate.logits);
        let slot = self.slot_of(key);
        self.slots[slot] = [key.index, key.check, self.end, count as u64];
        self.end += count as u64;
    }

    /// The index of a position in the ring buffer, whose length is a power of two.
    fn index(&self, place: u64) -> usize {
        place as usize & (self.numbers.len() - 1)
    }

    fn slot_of(&self, key: PositionKey) -> usize {
        key.index as usize & self.slots.len().wrapping_sub(1)
    }
}

/// The greatest power of two up to a number; 0 for 0.
fn power_of_two_within(number: usize) -> usize {
    number.checked_ilog2().map_or(0, |log| 1 << log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position_key::Salt;

    fn key(number: u64) -> PositionKey {
        PositionKey::of(&number, Salt::of::<u64>())
    }

    /// Logits that identify a number.
    fn logits(number: u64) -> Vec<f32> {
        (0..number % 7)
            .map(|index| (number + index) as f32)
            .collect()
    }

    fn insert(cache: &mut EstimateCache, number: u64) {
        let (value, logits) = (number as f32, &logits(number)[..]);
        cache.insert(key(number), Estimate { value, logits });
    }

    /// Whether an estimate is stored; if so, it must be right.
    #[track_caller]
    fn has(cache: &EstimateCache, number: u64) -> bool {
        cache.get(key(number)).is_some_and(|found| {
            assert_eq!(found.value.to_bits(), (number as f32).to_bits());
            assert_eq!(found.logits, logits(number), "{number}");
            true
        })
    }

    #[test]
    fn stored_estimates_are_found() {
        let mut cache = EstimateCache::new(1 << 14);
        let mut found = 0;
        for number in 0..20_000 {
            insert(&mut cache, number);
            assert!(has(&cache, number), "the newest, {number}");
            let older = (0..number).rev().take(64);
            found += older.filter(|&older| has(&cache, older)).count();
            assert!(!has(&cache, number + 1));
            let overwritten = number.checked_sub(3_000);
            assert!(overwritten.is_none_or(|number| !has(&cache, number)));
        }
        // Of 256 slots, one of 32 newer entries takes a given one with a
        // probability of 12 %.
        assert!(found > 64 * 20_000 * 4 / 5, "{found}");
    }

    #[test]
    fn cleared_estimates_are_not_found() {
        let mut cache = EstimateCache::new(1 << 14);
        insert(&mut cache, 5);
        assert!(has(&cache, 5));
        cache.clear();
        assert!(!has(&cache, 5));
        insert(&mut cache, 5);
        assert!(has(&cache, 5));
    }

    #[test]
    fn a_cache_without_room_stores_nothing() {
        for bytes in [0, 1, 8, 63, 64] {
            let mut cache = EstimateCache::new(bytes);
            assert!(cache.slots.len() * 32 + cache.numbers.len() * 4 <= bytes);
            for number in 0..10 {
                insert(&mut cache, number);
                assert!(!has(&cache, number) || bytes >= 64);
            }
        }
        let mut cache = EstimateCache::new(64);
        let (value, logits) = (0.0, &[0.0; 8][..]);
        cache.insert(key(1), Estimate { value, logits });
        let found = cache.get(key(1));
        assert_eq!(found, None, "nine numbers where there are eight");
    }
}
