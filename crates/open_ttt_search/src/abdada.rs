use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The moves that threads are searching, so that the other threads defer them
/// and search something else first.
///
/// Entries may be lost or seen late. The table changes the order of the search,
/// never its result. Kerrigan, "Simplified ABDADA", 2017, after Weill, "The
/// ABDADA distributed minimax-search algorithm", 1996.
#[derive(Debug)]
pub(crate) struct AbdadaTable {
    /// The hashes of the moves being searched; a later one overwrites an earlier
    /// one in its slot.
    moves: Vec<AtomicU64>,
    stopped: AtomicBool,
}

/// More than all threads together are searching at a time.
const SLOTS: usize = 1 << 12;

impl AbdadaTable {
    pub(crate) fn new() -> Self {
        Self {
            moves: (0..SLOTS).map(|_| AtomicU64::default()).collect(),
            stopped: AtomicBool::new(false),
        }
    }

    /// Marks a move as being searched. Its hash must not be 0.
    pub(crate) fn start(&self, move_hash: u64) {
        self.slot(move_hash).store(move_hash, Ordering::Relaxed);
    }

    pub(crate) fn finish(&self, move_hash: u64) {
        if self.is_searching(move_hash) {
            self.slot(move_hash).store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_searching(&self, move_hash: u64) -> bool {
        self.slot(move_hash).load(Ordering::Relaxed) == move_hash
    }

    fn slot(&self, move_hash: u64) -> &AtomicU64 {
        &self.moves[move_hash as usize % SLOTS]
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
