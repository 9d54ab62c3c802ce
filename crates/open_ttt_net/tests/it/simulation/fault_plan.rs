use open_ttt_lib::random::Rng;

/// How bad things are, in one schedule; chances are in a thousand.
#[derive(Clone, Debug)]
pub(super) struct FaultPlan {
    pub(super) clients: usize,
    pub(super) nodes: usize,
    /// Whether somebody sends proposals that no replica would.
    pub(super) has_liar: bool,
    /// Whether entries are told to their authors too, or the verdict alone.
    pub(super) echoes: bool,
    /// How long the storm lasts, in milliseconds.
    pub(super) duration: u64,
    /// Between two looks of a client, at most.
    pub(super) pause: u64,
    pub(super) delay: u64,
    /// How much later a late message is.
    pub(super) lateness: u64,
    pub(super) late: usize,
    pub(super) lost: usize,
    pub(super) doubled: usize,
    pub(super) proposing: usize,
    pub(super) cut: usize,
    pub(super) corrupted: usize,
    pub(super) faulty: usize,
    /// Entries that come with the sum of the state behind them.
    pub(super) summed: usize,
    /// The most entries that are given in place of a snapshot.
    pub(super) entries: usize,
    /// Appends that nobody learns the outcome of.
    pub(super) unknown: usize,
    /// Entries that a node is not told of by the log.
    pub(super) unwatched: usize,
    /// Between two crashes of a node, about; 0 for none.
    pub(super) crash: u64,
}

impl FaultPlan {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let mut chance = |of: &[usize]| of[rng.below(of.len())];
        Self {
            clients: chance(&[2, 2, 3, 4, 6, 8]),
            nodes: chance(&[1, 1, 2, 3]),
            has_liar: chance(&[0, 0, 0, 1]) == 1,
            echoes: chance(&[0, 1, 1]) == 1,
            duration: chance(&[300, 800, 2000]) as u64,
            pause: chance(&[20, 60]) as u64,
            delay: chance(&[1, 10, 50]) as u64,
            lateness: chance(&[100, 500]) as u64,
            late: chance(&[0, 20, 200]),
            lost: chance(&[0, 0, 50, 300]),
            doubled: chance(&[0, 100, 300]),
            proposing: chance(&[100, 300, 600]),
            cut: chance(&[0, 20, 100]),
            corrupted: chance(&[0, 0, 20]),
            faulty: chance(&[0, 0, 20]),
            summed: chance(&[0, 500, 1000]),
            entries: chance(&[0, 3, 1000]),
            unknown: chance(&[0, 50, 300]),
            unwatched: chance(&[0, 300, 1000]),
            crash: chance(&[0, 100, 500]) as u64,
        }
    }

    /// The same world when all is well again: nothing is lost, nobody dies, and
    /// nothing new is begun.
    pub(super) fn calmed(&self) -> Self {
        Self {
            has_liar: false,
            late: 0,
            lost: 0,
            doubled: 0,
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
