/// The positions, by hash, in which a search of some depth found no win, in a
/// table of fixed size.
///
/// A hash collision can hide a win but never claims one.
#[derive(Debug)]
pub(super) struct NoWinTable(Vec<Slot>);

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    /// The depth of the search plus 1; 0 in an empty slot.
    depth: u32,
}

impl NoWinTable {
    const SLOTS: usize = 1 << 16;

    pub(super) fn new() -> Self {
        Self(vec![Slot::default(); Self::SLOTS])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(Slot::default());
    }

    /// Whether a search of this depth or a greater one found no win.
    pub(super) fn contains(&self, key: u64, depth: u32) -> bool {
        let slot = self.0[key as usize % Self::SLOTS];
        slot.key == key && slot.depth > depth
    }

    pub(super) fn insert(&mut self, key: u64, depth: u32) {
        self.0[key as usize % Self::SLOTS] = Slot {
            key,
            depth: depth + 1,
        };
    }
}
