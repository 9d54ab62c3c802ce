use std::collections::HashMap;

use open_ttt_net::replication::{Authored, LogEntry, Sequence};

use super::subject::Subject;

/// The log shared by all nodes, with the states it leads to.
pub(super) struct Store<M: Subject> {
    entries: Vec<LogEntry<M::Transition>>,
    /// The initial state, and the state after each entry.
    states: Vec<M>,
    /// By author and number.
    places: HashMap<(usize, u64), Vec<Sequence>>,
}

/// The append conflicts with another entry, or the previous entry is missing.
pub(super) struct AppendConflict;

impl<M: Subject> Store<M> {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            states: vec![M::fresh()],
            places: HashMap::new(),
        }
    }

    /// Appends an entry after the one with this number.
    pub(super) fn append(
        &mut self,
        last: Sequence,
        entry: LogEntry<M::Transition>,
    ) -> Result<Sequence, AppendConflict> {
        if last != self.end() {
            return Err(AppendConflict);
        }
        let next = self.state(last).apply(&entry.transition);
        self.states.push(next.expect("an entry that is possible"));
        let proposal = (entry.transition.author(), entry.number);
        self.places.entry(proposal).or_default().push(last.next());
        self.entries.push(entry);
        Ok(self.end())
    }

    pub(super) fn end(&self) -> Sequence {
        Sequence::new(self.entries.len() as u64)
    }

    pub(super) fn entry(&self, sequence: Sequence) -> &LogEntry<M::Transition> {
        &self.entries[sequence.get() as usize - 1]
    }

    pub(super) fn state(&self, sequence: Sequence) -> &M {
        &self.states[sequence.get() as usize]
    }

    /// The places of an author's proposal in the log.
    pub(super) fn places(&self, author: usize, number: u64) -> &[Sequence] {
        self.places
            .get(&(author, number))
            .map_or(&[], Vec::as_slice)
    }

    pub(super) fn entries(&self) -> &[LogEntry<M::Transition>] {
        &self.entries
    }
}
