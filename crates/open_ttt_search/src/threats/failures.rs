/// Positions in which a search of some depth found nothing, by their hash, in
/// a table of fixed size.
///
/// Two positions with the same hash may be mistaken for one another; then a win
/// is missed, but none is ever claimed.
#[derive(Debug)]
pub(super) struct Failures(Vec<Slot>);

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    /// One more than the depth of the search; 0 in an empty slot.
    depth: u32,
}

impl Failures {
    /// A table with so many slots, a power of two.
    pub(super) fn new(slots: usize) -> Self {
        Self(vec![Slot::default(); slots])
    }

    pub(super) fn forget(&mut self) {
        self.0.fill(Slot::default());
    }

    /// Whether a search of this depth, or a deeper one, found nothing.
    pub(super) fn knows(&self, key: u64, depth: u32) -> bool {
        let slot = self.0[self.index(key)];
        slot.key == key && slot.depth > depth
    }

    pub(super) fn learn(&mut self, key: u64, depth: u32) {
        let index = self.index(key);
        self.0[index] = Slot {
            key,
            depth: depth + 1,
        };
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.0.len() - 1)
    }
}
