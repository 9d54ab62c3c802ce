use std::collections::HashMap;

/// More workers are not listened to.
const MOST: usize = 4096;

/// The workers that are known.
#[derive(Debug, Default)]
pub(super) struct Roster(HashMap<String, Standing>);

/// What is thought of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// Something that it gave was played again and found to be the same, or soon
    /// will be.
    is_tried: bool,
    /// It gives no more.
    is_refused: bool,
    /// How many of its games were learned from and not played again.
    unchecked: u64,
}

impl Roster {
    /// Whether anything is taken from this worker.
    pub(super) fn admits(&self, worker: &str) -> bool {
        match self.0.get(worker) {
            Some(standing) => !standing.is_refused,
            None => self.0.len() < MOST,
        }
    }

    /// Whether this is the first that it gives.
    pub(super) fn greet(&mut self, worker: &str) -> bool {
        let standing = self.standing(worker);
        !core::mem::replace(&mut standing.is_tried, true)
    }

    /// Takes nothing from it any more. Tells how many of its games were learned from
    /// unchecked; none if it was refused before.
    pub(super) fn refuse(&mut self, worker: &str) -> Option<u64> {
        let standing = self.standing(worker);
        let was_refused = core::mem::replace(&mut standing.is_refused, true);
        (!was_refused).then_some(standing.unchecked)
    }

    /// So many more of its games are learned from and were not played again.
    pub(super) fn believe(&mut self, worker: &str, games: u64) {
        self.standing(worker).unchecked += games;
    }

    fn standing(&mut self, worker: &str) -> &mut Standing {
        self.0.entry(worker.to_owned()).or_default()
    }
}
