use std::collections::HashMap;

use open_ttt_net::ClientId;
use open_ttt_net::replication::{LogEntry, Sequence};

use super::subject::Subject;

/// The log that all nodes share, and what it means.
pub(super) struct Store<M: Subject> {
    entries: Vec<LogEntry<M::Transition>>,
    /// The state behind each entry, from the start on.
    states: Vec<M>,
    places: HashMap<(ClientId, u64), Vec<Sequence>>,
}

/// Another entry stands there, or the one before it is missing.
pub(super) struct Taken;

impl<M: Subject> Store<M> {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            states: vec![M::fresh()],
            places: HashMap::new(),
        }
    }

    /// Adds an entry behind the one with this number.
    pub(super) fn append(
        &mut self,
        last: Sequence,
        entry: LogEntry<M::Transition>,
    ) -> Result<Sequence, Taken> {
        if last != self.end() {
            return Err(Taken);
        }
        let next = self.state(last).apply(&entry.transition);
        self.states.push(next.expect("an entry that is possible"));
        let author = (entry.client.clone(), entry.number);
        self.places.entry(author).or_default().push(last.next());
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

    /// Where a proposal stands.
    pub(super) fn places(&self, client: &ClientId, number: u64) -> &[Sequence] {
        let author = (client.clone(), number);
        self.places.get(&author).map_or(&[], Vec::as_slice)
    }

    pub(super) fn entries(&self) -> &[LogEntry<M::Transition>] {
        &self.entries
    }
}
