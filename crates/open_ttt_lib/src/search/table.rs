/// What is known about positions, by key, in a table that grows with the work
/// up to a fixed size.
///
/// An easy position is proved in a table that fits the processor's nearest
/// cache, and forgetting everything costs no more than what there was: a large
/// table from the start would cost most of the time of an easy proof.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    most_slots: usize,
    /// How often something was stored since the table was empty.
    stored: usize,
}

/// One position's place. A later position takes it from an earlier one.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    bounds: Option<Bounds>,
}

/// What is known about a value: it is not below one and not above the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i16,
    pub(super) upper: i16,
}

/// The slots of an empty table.
const FEWEST: usize = 256;

impl Table {
    /// A table that takes at most this many bytes, but never less than a few
    /// thousand.
    pub(super) fn new(bytes: usize) -> Self {
        let most_slots = (bytes / size_of::<Slot>()).max(FEWEST);
        Self {
            slots: vec![Slot::default(); FEWEST],
            // A power of two, so that a mask chooses the slot.
            most_slots: 1 << most_slots.ilog2(),
            stored: 0,
        }
    }

    pub(super) fn forget(&mut self) {
        self.slots.truncate(FEWEST);
        self.slots.fill(Slot::default());
        self.stored = 0;
    }

    fn index(&self, key: u64) -> usize {
        // The middle bits of the product depend on all low bits of the key.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        hash as usize & (self.slots.len() - 1)
    }

    pub(super) fn get(&self, key: u64) -> Option<Bounds> {
        let slot = &self.slots[self.index(key)];
        slot.bounds.filter(|_| slot.key == key)
    }

    pub(super) fn put(&mut self, key: u64, bounds: Bounds) {
        self.stored += 1;
        // Written to as often as it has slots, it begins to forget.
        if self.stored > self.slots.len() && self.slots.len() < self.most_slots {
            self.grow();
        }
        let index = self.index(key);
        self.slots[index] = Slot {
            key,
            bounds: Some(bounds),
        };
    }

    /// Makes the table larger and keeps what it knows.
    fn grow(&mut self) {
        let before = self.slots.len();
        let after = (before * 4).min(self.most_slots);
        self.slots.resize(after, Slot::default());
        for index in 0..before {
            // What moves, moves to a slot that was not there before.
            let Slot { key, bounds } = self.slots[index];
            let to = self.index(key);
            if bounds.is_some() && to != index {
                self.slots[to] = core::mem::take(&mut self.slots[index]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(key: u64) -> Bounds {
        Bounds {
            lower: -(key as i16 % 100),
            upper: key as i16 % 100,
        }
    }

    #[test]
    fn growing_keeps_what_is_known() {
        let mut table = Table::new(1 << 20);
        let mut known = Vec::new();
        for key in (0..40).map(|n| n * 7919) {
            table.put(key, bounds(key));
        }
        for key in (0..40).map(|n| n * 7919) {
            if table.get(key).is_some() {
                known.push(key);
            }
        }
        assert!(known.len() > 30, "few fall on the same slot");
        while table.slots.len() < table.most_slots {
            table.grow();
            for &key in &known {
                assert_eq!(table.get(key), Some(bounds(key)));
            }
        }
    }

    #[test]
    fn a_table_keeps_to_its_size_and_forgets() {
        let mut table = Table::new(100_000);
        for key in 0..100_000 {
            table.put(key, bounds(key));
        }
        assert!(table.slots.len() * size_of::<Slot>() <= 100_000);
        assert!((0..100_000).any(|key| table.get(key).is_some()));
        table.forget();
        assert!((0..100_000).all(|key| table.get(key).is_none()));
        assert_eq!(Table::new(0).slots.len(), FEWEST);
    }

    #[test]
    fn another_key_in_the_same_slot_is_not_mistaken() {
        let mut table = Table::new(0);
        for key in 0..10_000 {
            table.put(key, bounds(key));
            assert_eq!(table.get(key), Some(bounds(key)));
        }
        let found = (0..10_000).filter(|&key| table.get(key).is_some_and(|b| b != bounds(key)));
        assert_eq!(found.count(), 0);
    }
}
