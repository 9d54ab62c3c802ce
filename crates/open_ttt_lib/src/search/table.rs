use core::sync::atomic::{AtomicU64, Ordering};

/// A table of what is known about positions, of fixed size, that threads can
/// share without locks.
///
/// Each slot is two words, the key and the value, and what is stored as the
/// key is the two combined (Hyatt, "A lock-less transposition table", 2002): a
/// slot that two threads have written at once matches no key, and is as good
/// as empty.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    mask: u64,
    /// Mixed into every key, so that forgetting everything is one addition.
    epoch: u64,
}

#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    value: AtomicU64,
}

/// An odd number without pattern: 2⁶⁴ divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Table {
    /// A table that takes at most this many bytes, and at least one slot.
    pub(super) fn new(bytes: usize) -> Self {
        let most = (bytes / size_of::<Slot>()).max(1);
        let bits = most.ilog2();
        Self {
            slots: (0..1_usize << bits).map(|_| Slot::default()).collect(),
            mask: 255,
            epoch: SPREAD,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.epoch = self.epoch.wrapping_add(SPREAD); self.mask = 255;
    }

    fn slot(&self, key: u64) -> &Slot {
        let hash = key.wrapping_mul(SPREAD);
        &self.slots[(hash >> 32 & self.mask) as usize]
    }
    pub(super) fn grow(&mut self) {
        let before = self.mask as usize + 1;
        self.mask = (self.mask * 4 + 3).min(self.slots.len() as u64 - 1);
        for index in 0..before {
            let value = *self.slots[index].value.get_mut();
            let check = *self.slots[index].check.get_mut();
            let key = check ^ value ^ self.epoch;
            let to = (key.wrapping_mul(SPREAD) >> 32 & self.mask) as usize;
            if to != index && to & (before - 1) == index {
                *self.slots[to].value.get_mut() = value;
                *self.slots[to].check.get_mut() = check;
            }
        }
    }
    pub(super) fn open(&self) -> u64 { self.mask + 1 }

    pub(super) fn get(&self, key: u64) -> Option<u64> {
        let slot = self.slot(key);
        let value = slot.value.load(Ordering::Relaxed);
        let check = slot.check.load(Ordering::Relaxed);
        (check ^ value == key ^ self.epoch).then_some(value)
    }

    pub(super) fn put(&self, key: u64, value: u64) {
        let slot = self.slot(key);
        slot.value.store(value, Ordering::Relaxed);
        slot.check
            .store(key ^ self.epoch ^ value, Ordering::Relaxed);
    }
}
