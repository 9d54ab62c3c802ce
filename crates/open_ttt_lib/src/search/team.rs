use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What threads that search the same tree tell each other: which positions
/// they are at, and that the search is settled.
///
/// A thread puts off the moves that lead to where another one is; when it comes
/// back to them, the table mostly has the answer. This is "simplified ABDADA"
/// (Tom Kerrigan, after Jean-Christophe Weill's ABDADA, 1996).
#[derive(Debug)]
pub(super) struct Team {
    /// The keys of positions being searched, each plus one, in the place its
    /// key gives; one may be missing where two want the same place.
    at: Box<[AtomicU64; PLACES]>,
    settled: AtomicBool,
}

const PLACES: usize = 1024;

impl Team {
    pub(super) fn new() -> Self {
        Self {
            at: Box::new([const { AtomicU64::new(0) }; PLACES]),
            settled: AtomicBool::new(false),
        }
    }

    fn place(&self, key: u64) -> &AtomicU64 {
        &self.at[(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % PLACES]
    }

    pub(super) fn enter(&self, key: u64) {
        self.place(key)
            .store(key.wrapping_add(1), Ordering::Relaxed);
    }

    pub(super) fn leave(&self, key: u64) {
        self.place(key).store(0, Ordering::Relaxed);
    }

    /// Whether another thread is at this position.
    pub(super) fn is_at(&self, key: u64) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.wrapping_add(1)
    }

    pub(super) fn settle(&self) {
        self.settled.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Relaxed)
    }
}
