use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Mutex;

use super::lobby::page;
use crate::MatchId;
use crate::lock::lock;
use crate::protocol::{MatchList, MatchSummary};

/// The public games in progress on this server, which anyone can watch: those of matches
/// that the lobby has listed, while a player is connected.
#[derive(Debug, Default)]
pub(super) struct Playing {
    /// The newest first.
    matches: Mutex<BTreeMap<(Reverse<u64>, MatchId), MatchSummary>>,
}

impl Playing {
    pub(super) fn add(&self, summary: MatchSummary) {
        lock(&self.matches).insert(key(&summary), summary);
    }

    pub(super) fn remove(&self, summary: &MatchSummary) {
        lock(&self.matches).remove(&key(summary));
    }

    /// A page of the games, those of the newest matches first.
    pub(super) fn list(&self, game: Option<&str>, from: usize) -> MatchList {
        page(lock(&self.matches).values(), game, from)
    }
}

fn key(summary: &MatchSummary) -> (Reverse<u64>, MatchId) {
    (Reverse(summary.since), summary.id.clone())
}
