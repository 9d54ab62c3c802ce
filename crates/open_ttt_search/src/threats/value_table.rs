use super::cell_set::Cell;
use crate::bound::Bound;

/// The transposition table of the line search, of fixed size. Positions are told
/// apart by their hash alone, which suits play but not proofs.
#[derive(Debug)]
pub(super) struct ValueTable(Vec<Option<ValueEntry>>);

/// The result of a search of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueEntry {
    pub(super) key: u64,
    pub(super) value: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    /// The best move found, to be tried first.
    pub(super) best: Cell,
}

const SLOTS: usize = 1 << 17;

impl ValueTable {
    pub(super) fn new() -> Self {
        Self(vec![None; SLOTS])
    }

    pub(super) fn get(&self, key: u64) -> Option<ValueEntry> {
        self.0[key as usize % SLOTS].filter(|entry| entry.key == key)
    }

    pub(super) fn insert(&mut self, entry: ValueEntry) {
        self.0[entry.key as usize % SLOTS] = Some(entry);
    }
}
