use alloc::vec;
use alloc::vec::Vec;

/// A hash table of bounded size in which a new entry replaces the one in its slot.
///
/// It grows with its use, because clearing a large table would take longer than most
/// searches of fours.
///
/// Positions are told apart by their hash alone, which suits play but not proofs; in a
/// table of positions without a win a collision can hide a win but never claims one.
#[derive(Debug)]
pub(super) struct DirectMappedTable<V> {
    slots: Vec<(u64, Option<V>)>,
    max_slots: usize,
    used_slots: usize,
}

/// The slots of an empty table.
const MIN_SLOTS: usize = 1 << 8;

impl<V: Copy> DirectMappedTable<V> {
    /// An empty table that grows to this many slots, a power of two.
    pub(super) fn new(max_slots: usize) -> Self {
        let max_slots = max_slots.next_power_of_two();
        Self {
            slots: vec![(0, None); MIN_SLOTS.min(max_slots)],
            max_slots,
            used_slots: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill((0, None));
        self.used_slots = 0;
    }

    pub(super) fn get(&self, hash: u64) -> Option<V> {
        let (stored, value) = self.slots[self.slot(hash)];
        value.filter(|_| stored == hash)
    }

    pub(super) fn insert(&mut self, hash: u64, value: V) {
        if self.used_slots > self.slots.len() / 4 && self.slots.len() < self.max_slots {
            self.grow();
        }
        let slot = self.slot(hash);
        self.used_slots += usize::from(self.slots[slot].1.is_none());
        self.slots[slot] = (hash, Some(value));
    }

    /// Enlarges the table and keeps its entries.
    fn grow(&mut self) {
        let larger = (self.slots.len() * 8).min(self.max_slots);
        let smaller = core::mem::replace(&mut self.slots, vec![(0, None); larger]);
        self.used_slots = 0;
        for (hash, value) in smaller {
            if let Some(value) = value {
                self.insert(hash, value);
            }
        }
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }
}
