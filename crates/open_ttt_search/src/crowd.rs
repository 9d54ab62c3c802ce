use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What threads that search the same position tell each other, besides what
/// stands in their table: which moves they are searching, so that the others
/// search something else first.
///
/// What is told may be lost or come late. It changes the order of the work,
/// never a result. After Kerrigan, "Simplified ABDADA", 2017, and Weill, "The
/// ABDADA distributed minimax-search algorithm", 1996.
#[derive(Debug)]
pub(crate) struct Crowd {
    claims: Vec<AtomicU64>,
    over: AtomicBool,
}

/// More than all threads together can be searching; a move's place is given by
/// its number, and a later one takes it.
const CLAIMS: usize = 1 << 12;

impl Crowd {
    pub(crate) fn new() -> Self {
        let mut claims = Vec::new();
        claims.resize_with(CLAIMS, AtomicU64::default);
        Self {
            claims,
            over: AtomicBool::new(false),
        }
    }

    /// Says that a move is being searched.
    pub(crate) fn claim(&self, claim: u64) {
        self.place(claim).store(claim, Ordering::Relaxed);
    }

    /// Says that it is no longer.
    pub(crate) fn disclaim(&self, claim: u64) {
        if self.is_claimed(claim) {
            self.place(claim).store(0, Ordering::Relaxed);
        }
    }

    /// Whether a move is being searched by somebody.
    pub(crate) fn is_claimed(&self, claim: u64) -> bool {
        self.place(claim).load(Ordering::Relaxed) == claim
    }

    fn place(&self, claim: u64) -> &AtomicU64 {
        &self.claims[claim as usize % CLAIMS]
    }

    /// Calls everybody off.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Whether everybody is to come to an end.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}
