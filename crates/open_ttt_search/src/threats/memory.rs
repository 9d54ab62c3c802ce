use super::cells::Cell;
use crate::bound::Bound;

/// Positions an alpha-beta search has seen, by their hash, in a table of fixed
/// size. For play, not for proofs: two positions may share a hash.
#[derive(Debug)]
pub(super) struct Memory(Vec<Option<Seen>>);

/// What a search came to in a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    key: u64,
    pub(super) value: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    /// The move to try first.
    pub(super) best: Cell,
}

const SLOTS: usize = 1 << 17;

impl Memory {
    pub(super) fn new() -> Self {
        Self(vec![None; SLOTS])
    }

    pub(super) fn get(&self, key: u64) -> Option<Seen> {
        self.0[index(key)].filter(|seen| seen.key == key)
    }

    pub(super) fn put(&mut self, key: u64, value: i32, depth: i32, bound: Bound, best: Cell) {
        self.0[index(key)] = Some(Seen {
            key,
            value,
            depth,
            bound,
            best,
        });
    }
}

fn index(key: u64) -> usize {
    key as usize & (SLOTS - 1)
}
