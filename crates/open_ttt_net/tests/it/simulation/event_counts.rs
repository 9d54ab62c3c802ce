use std::collections::BTreeMap;

/// Counts events: a simulation proves nothing about an event that never occurs.
#[derive(Debug, Default)]
pub(super) struct EventCounts(BTreeMap<&'static str, u64>);

impl EventCounts {
    pub(super) fn count(&mut self, event: &'static str) {
        *self.0.entry(event).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (event, times) in &other.0 {
            *self.0.entry(event).or_default() += times;
        }
    }

    pub(super) fn of(&self, event: &str) -> u64 {
        self.0.get(event).copied().unwrap_or(0)
    }
}
