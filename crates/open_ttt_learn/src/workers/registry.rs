use std::collections::HashMap;

/// The maximum number of workers; answers of others are ignored.
const MAX_WORKERS: usize = 4096;

/// The known workers, by name.
#[derive(Debug, Default)]
pub(super) struct WorkerRegistry(HashMap<String, KnownWorker>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KnownWorker {
    /// Its first answer has been selected for verification.
    has_answered: bool,
    is_banned: bool,
    /// Games that were used without verification.
    unverified: u64,
}

impl WorkerRegistry {
    /// Whether answers of this worker are accepted.
    pub(super) fn admits(&self, worker: &str) -> bool {
        match self.0.get(worker) {
            Some(known) => !known.is_banned,
            None => self.0.len() < MAX_WORKERS,
        }
    }

    /// Registers an answer. Returns whether it is the worker's first.
    pub(super) fn is_first_answer(&mut self, worker: &str) -> bool {
        !core::mem::replace(&mut self.worker(worker).has_answered, true)
    }

    /// Bans a worker. Returns how many of its games were used without verification;
    /// `None` if it was banned before.
    pub(super) fn ban(&mut self, worker: &str) -> Option<u64> {
        let known = self.worker(worker);
        let was_banned = core::mem::replace(&mut known.is_banned, true);
        (!was_banned).then_some(known.unverified)
    }

    /// Counts games of this worker that are used without verification.
    pub(super) fn add_unverified(&mut self, worker: &str, games: u64) {
        self.worker(worker).unverified += games;
    }

    fn worker(&mut self, worker: &str) -> &mut KnownWorker {
        self.0.entry(worker.to_owned()).or_default()
    }
}
