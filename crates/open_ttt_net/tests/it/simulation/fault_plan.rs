use open_ttt_lib::random::Rng;

/// The parameters of one schedule. Probabilities are in thousandths, times in
/// milliseconds.
#[derive(Clone, Debug)]
pub(super) struct FaultPlan {
    pub(super) clients: usize,
    pub(super) nodes: usize,
    /// Whether a malicious client sends proposals that no replica would, also under
    /// the ids of others.
    pub(super) has_attacker: bool,
    /// Whether authors receive their own entries besides the verdicts.
    pub(super) echoes: bool,
    /// How long faults occur.
    pub(super) duration: u64,
    /// The longest time between two steps of a client.
    pub(super) pause: u64,
    pub(super) delay: u64,
    /// The longest additional delay of a late message.
    pub(super) lateness: u64,
    pub(super) late: usize,
    pub(super) lost: usize,
    pub(super) duplicated: usize,
    pub(super) proposing: usize,
    pub(super) cut: usize,
    pub(super) corrupted: usize,
    pub(super) faulty: usize,
    /// Entries that carry the digest of the resulting state.
    pub(super) with_digest: usize,
    /// The entries that a node keeps at least.
    pub(super) kept: usize,
    /// The most entries sent instead of a snapshot.
    pub(super) max_entries: usize,
    /// Appends with an unknown outcome.
    pub(super) unknown: usize,
    /// Entries of which the log does not notify a node.
    pub(super) unwatched: usize,
    /// The mean time between two crashes of a node; 0 for no crashes.
    pub(super) crash: u64,
}

impl FaultPlan {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut chance = |of: &[usize]| of[rng.below(of.len())];
        Self {
            clients: chance(&[2, 2, 3, 4, 6, 8]),
            nodes: chance(&[1, 1, 2, 3]),
            has_attacker: chance(&[0, 0, 0, 1]) == 1,
            echoes: chance(&[0, 1, 1]) == 1,
            duration: chance(&[300, 800, 2000]) as u64,
            pause: chance(&[20, 60]) as u64,
            delay: chance(&[1, 10, 50]) as u64,
            lateness: chance(&[100, 500]) as u64,
            late: chance(&[0, 20, 200]),
            lost: chance(&[0, 0, 50, 300]),
            duplicated: chance(&[0, 100, 300]),
            proposing: chance(&[100, 300, 600]),
            cut: chance(&[0, 20, 100]),
            corrupted: chance(&[0, 0, 20]),
            faulty: chance(&[0, 0, 20]),
            with_digest: chance(&[0, 500, 1000]),
            kept: chance(&[1, 2, 5, 1000, usize::MAX]),
            max_entries: chance(&[0, 3, 1000]),
            unknown: chance(&[0, 50, 300]),
            unwatched: chance(&[0, 300, 1000]),
            crash: chance(&[0, 100, 500]) as u64,
        }
    }

    /// The same parameters without faults and new proposals.
    pub(super) fn without_faults(&self) -> Self {
        Self {
            has_attacker: false,
            late: 0,
            lost: 0,
            duplicated: 0,
            proposing: 0,
            cut: 0,
            corrupted: 0,
            faulty: 0,
            unknown: 0,
            unwatched: 0,
            crash: 0,
            ..self.clone()
        }
    }
}
