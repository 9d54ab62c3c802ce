use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::MatchId;
use crate::replication::Sequence;

/// How many matches each half of the memory holds.
const HALF: usize = 8192;

/// The last entry of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LastEntry {
    pub(super) number: Sequence,
    /// Its place among all messages of the stream.
    pub(super) place: u64,
    pub(super) entry: Bytes,
}

/// The last entries of the matches heard of last.
///
/// What it knows has been there, so it can be old and is never wrong. It
/// forgets by halves: what has not been asked for while the new half filled up
/// goes with the old one.
#[derive(Debug, Default)]
pub(super) struct LastEntries(Mutex<Halves>);

#[derive(Debug, Default)]
struct Halves {
    new: HashMap<MatchId, LastEntry>,
    old: HashMap<MatchId, LastEntry>,
}

impl LastEntries {
    pub(super) fn last(&self, id: &MatchId) -> Option<LastEntry> {
        let mut halves = self.halves();
        if let Some(last) = halves.new.get(id) {
            return Some(last.clone());
        }
        let last = halves.old.remove(id)?;
        halves.put(id, last.clone());
        Some(last)
    }

    /// Takes note of an entry, if it is the latest of its match.
    pub(super) fn hear(&self, id: &MatchId, last: LastEntry) {
        let mut halves = self.halves();
        let before = halves.new.get(id).or_else(|| halves.old.get(id));
        if before.is_none_or(|before| before.number < last.number) {
            halves.put(id, last);
        }
    }

    fn halves(&self) -> MutexGuard<'_, Halves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Halves {
    fn put(&mut self, id: &MatchId, last: LastEntry) {
        self.old.remove(id);
        self.new.insert(id.clone(), last);
        if self.new.len() >= HALF {
            self.old = mem::take(&mut self.new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(number: u64) -> LastEntry {
        LastEntry {
            number: Sequence::new(number),
            place: number * 10,
            entry: Bytes::new(),
        }
    }

    #[test]
    fn the_latest_counts_whatever_comes_first() {
        let known = LastEntries::default();
        let id: MatchId = "a".parse().expect("a name");
        for number in [3, 5, 4, 1] {
            known.hear(&id, last(number));
        }
        assert_eq!(known.last(&id), Some(last(5)));
    }

    #[test]
    fn what_is_asked_for_is_kept_and_the_rest_is_bounded() {
        let known = LastEntries::default();
        let id = |number: usize| -> MatchId { format!("m{number}").parse().expect("a name") };
        for number in 0..HALF * 5 {
            known.hear(&id(number), last(1));
            assert_eq!(known.last(&id(0)), Some(last(1)), "asked for all the time");
        }
        assert_eq!(known.last(&id(1)), None);
        let halves = known.halves();
        assert!(halves.new.len() + halves.old.len() <= 2 * HALF);
    }
}
