use std::collections::HashMap;
use std::mem;
use std::sync::Mutex;

use bytes::Bytes;

use crate::MatchId;
use crate::lock::lock;
use crate::replication::Sequence;

/// Capacity of each generation of the cache.
const GENERATION: usize = 8192;

/// The last entry of a match, or the mark of its removal, whose number is
/// [`Sequence::START`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LastEntry {
    pub(super) number: Sequence,
    /// Its sequence number in the stream of all matches.
    pub(super) stream_sequence: u64,
    pub(super) entry: Bytes,
}

/// A cache of the last entries of recently used matches.
///
/// An entry may be outdated, or its match removed, but it was once the last. Eviction is by generations:
/// when the new generation is full it becomes the old one, and what was not
/// used meanwhile is dropped.
#[derive(Debug, Default)]
pub(super) struct LastEntries(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    new: HashMap<MatchId, LastEntry>,
    old: HashMap<MatchId, LastEntry>,
}

impl LastEntries {
    pub(super) fn get(&self, id: &MatchId) -> Option<LastEntry> {
        let mut generations = lock(&self.0);
        if let Some(last) = generations.new.get(id) {
            return Some(last.clone());
        }
        let last = generations.old.remove(id)?;
        generations.insert(id, last.clone());
        Some(last)
    }

    /// Stores an entry, unless a later message of the match is cached.
    pub(super) fn update(&self, id: &MatchId, last: LastEntry) {
        let mut generations = lock(&self.0);
        let cached = generations.new.get(id).or_else(|| generations.old.get(id));
        if cached.is_none_or(|cached| cached.stream_sequence < last.stream_sequence) {
            generations.insert(id, last);
        }
    }
}

impl Generations {
    fn insert(&mut self, id: &MatchId, last: LastEntry) {
        self.old.remove(id);
        self.new.insert(id.clone(), last);
        if self.new.len() >= GENERATION {
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
            stream_sequence: number * 10,
            entry: Bytes::new(),
        }
    }

    #[test]
    fn the_latest_entry_wins_in_any_order() {
        let cache = LastEntries::default();
        let id: MatchId = "a".parse().expect("an identifier");
        for number in [3, 5, 4, 1] {
            cache.update(&id, last(number));
        }
        assert_eq!(cache.get(&id), Some(last(5)));
    }

    #[test]
    fn used_entries_are_kept_and_the_size_is_bounded() {
        let cache = LastEntries::default();
        let id =
            |number: usize| -> MatchId { format!("m{number}").parse().expect("an identifier") };
        for number in 0..GENERATION * 5 {
            cache.update(&id(number), last(1));
            assert_eq!(cache.get(&id(0)), Some(last(1)), "used all the time");
        }
        assert_eq!(cache.get(&id(1)), None);
        let generations = lock(&cache.0);
        assert!(generations.new.len() + generations.old.len() <= 2 * GENERATION);
    }
}
