use std::collections::BTreeMap;

use serde_json::Value;

use super::model::Face;
use super::world::MAX_AHEAD_MS;
use crate::matches::{Act, Seat, Transition};
use crate::replication::{Digest, LogEntry};
use crate::{ClientId, MatchId};

/// What the clients have been told, and have done. Whatever contradicts it fails at once.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Whether several servers share the store.
    is_shared: bool,
    pub(super) matches: BTreeMap<MatchId, Told>,
    /// When no server served: from the end of the last one to the start of the next.
    pub(super) outages: Vec<(u64, u64)>,
    /// When the store took nothing.
    pub(super) full: Vec<(u64, u64)>,
    counts: BTreeMap<&'static str, u64>,
}

/// What the clients of one match have been told, by the number of the change.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) changes: BTreeMap<u64, LogEntry<Transition>>,
    digests: BTreeMap<u64, Digest>,
    pub(super) faces: BTreeMap<u64, Face>,
    pub(super) acts: Vec<ProposedAct>,
    /// When each seat, or a spectator, was connected.
    pub(super) online: Vec<Presence>,
}

/// A connection, in milliseconds; `until` is `None` while it lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presence {
    pub(super) seat: Option<Seat>,
    pub(super) from: u64,
    pub(super) until: Option<u64>,
}

/// An act that a client has proposed.
#[derive(Clone, Debug)]
pub(super) struct ProposedAct {
    pub(super) client: ClientId,
    pub(super) number: u64,
    pub(super) act: Act,
    /// When it was sent, in milliseconds.
    pub(super) sent: Vec<u64>,
    /// `None` if its author never learned what became of it.
    pub(super) answer: Option<Answer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is the change with this number.
    Accepted(u64),
    Rejected,
}

impl Ledger {
    pub(super) fn new(is_shared: bool) -> Self {
        Self {
            is_shared,
            ..Self::default()
        }
    }

    pub(super) fn count(&mut self, event: &'static str) {
        *self.counts.entry(event).or_default() += 1;
    }

    pub(super) const fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    pub(super) fn told(&mut self, id: &MatchId) -> &mut Told {
        self.matches.entry(id.clone()).or_default()
    }

    /// The most time between two times that a server may leave uncharged, in
    /// milliseconds: it can't know more exactly when the last one ended, and clients
    /// have some time to reconnect.
    pub(super) fn uncharged_at_most(&self, from: u64, to: u64) -> u64 {
        let before = super::SERVICE_INTERVAL.as_millis() as u64 + 100;
        let outages = self.outages.iter();
        let outages = outages.map(|&(down, up)| (down - before, up + MAX_AHEAD_MS + 5_000));
        let full = self.full.iter().map(|&(full, free)| (full, free + 2_000));
        overlap(outages.chain(full), from, to)
    }

    /// The least time between two times that a server leaves uncharged. Without a shared
    /// store it leaves out what is shorter than a second; with one, it can't tell whether
    /// another server served while the last note is recent.
    pub(super) fn uncharged_at_least(&self, from: u64, to: u64) -> u64 {
        let recent = 2 * super::SERVICE_INTERVAL.as_millis() as u64 + MAX_AHEAD_MS;
        let shortest = if self.is_shared { recent } else { 1_000 };
        let outages = self.outages.iter().copied();
        let long = outages.filter(|(down, up)| up - down > shortest);
        let uncharged = overlap(long, from, to);
        if uncharged < 1_000 { 0 } else { uncharged }
    }
}

fn overlap(spans: impl Iterator<Item = (u64, u64)>, from: u64, to: u64) -> u64 {
    spans
        .map(|(start, end)| end.min(to).saturating_sub(start.max(from)))
        .sum()
}

impl Told {
    /// A client has received a change.
    pub(super) fn change(&mut self, number: u64, entry: &LogEntry<Transition>) {
        let known = self.changes.entry(number).or_insert_with(|| entry.clone());
        assert_eq!(known, entry, "two clients know another change {number}");
    }

    pub(super) fn digest(&mut self, number: u64, digest: Digest) {
        let known = *self.digests.entry(number).or_insert(digest);
        assert_eq!(known, digest, "two clients know another state {number}");
    }

    /// A client sees this state, or a model has it.
    pub(super) fn face(&mut self, number: u64, face: &Face) {
        let known = self.faces.entry(number).or_insert_with(|| face.clone());
        assert_eq!(known, face, "another state {number} for another client");
    }

    /// The proposal that a stored entry comes from; `None` for one of a server.
    pub(super) fn act_of(&self, entry: &Value) -> Option<&ProposedAct> {
        let is_same = |own: &&ProposedAct| {
            entry["client"] == own.client.as_str() && entry["number"] == own.number
        };
        self.acts.iter().find(is_same)
    }

    /// Whether somebody was connected all the time.
    pub(super) fn is_attended(&self, from: u64, to: u64) -> bool {
        let mut online = self.online.iter();
        online.any(|online| online.from <= from && online.until.is_none_or(|until| until >= to))
    }

    /// Whether a seat was connected at some time in between.
    pub(super) fn is_seen(&self, seat: Seat, from: u64, to: u64) -> bool {
        let mut online = self
            .online
            .iter()
            .filter(|online| online.seat == Some(seat));
        online.any(|online| online.from <= to && online.until.is_none_or(|until| until >= from))
    }
}

impl ProposedAct {
    /// When it was sent last, if that was not the first time.
    pub(super) fn last_resent(&self) -> Option<u64> {
        self.sent.get(1..)?.last().copied()
    }
}
