use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::api_error::ApiError;
use super::clock::ServerClock;
use super::commands::MatchCommand;
use super::names::Appearance;
use crate::MatchId;
use crate::log::{AppendError, LogError, MatchLog};
use crate::protocol::admin::{Ban, Banned};
use crate::protocol::{ErrorCode, ErrorReport};
use crate::replication::Sequence;

/// What the operator has decided: who is banned, and which matches are closed.
///
/// The decisions are a log of their own in the store, which all its servers follow.
#[derive(Debug)]
pub(super) struct Moderation {
    log: Arc<dyn MatchLog>,
    clock: ServerClock,
    decided: RwLock<Decided>,
}

/// The decisions up to an entry of the log.
#[derive(Debug, Default)]
struct Decided {
    sequence: Sequence,
    bans: Vec<HeldBan>,
    closed: HashSet<MatchId>,
}

#[derive(Debug)]
struct HeldBan {
    ban: Ban,
    /// What a banned name looks like.
    appearance: Option<Appearance>,
}

impl HeldBan {
    fn new(ban: Ban) -> Self {
        let appearance = appearance(&ban.who);
        Self { ban, appearance }
    }

    /// Whether it bans them, who have this appearance.
    fn is_of(&self, who: &Banned, appearance: Option<&Appearance>) -> bool {
        match (&self.appearance, appearance) {
            (Some(banned), Some(wanted)) => banned.is_like(wanted),
            _ => self.ban.who == *who,
        }
    }

    fn holds(&self, now: u64) -> bool {
        self.ban.until.is_none_or(|until| now < until)
    }
}

/// What a banned name looks like.
fn appearance(who: &Banned) -> Option<Appearance> {
    match who {
        Banned::Name(name) => Some(Appearance::of(name)),
        Banned::Network(_) => None,
    }
}

/// A decision, as the log holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Decision {
    Ban(Ban),
    Unban(Banned),
    Close(MatchId),
    Reopen(MatchId),
}

/// The log of the decisions. No match has such an id.
const LOG: &str = "_moderation";

/// Number of entries per read.
const PAGE: usize = 512;

/// Maximum number of bans.
const MAX_BANS: usize = 10_000;

/// Pause before following the log again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

impl Moderation {
    pub(super) fn new(log: Arc<dyn MatchLog>, clock: ServerClock) -> Self {
        Self {
            log,
            clock,
            decided: RwLock::default(),
        }
    }

    fn read<T>(&self, read: impl FnOnce(&Decided) -> T) -> T {
        let decided = self.decided.read();
        read(&decided.unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// The bans that hold, the latest first.
    pub(super) fn bans(&self) -> Vec<Ban> {
        let now = self.clock.now_ms();
        self.read(|decided| {
            let bans = decided.bans.iter().rev().filter(|held| held.holds(now));
            bans.map(|held| held.ban.clone()).collect()
        })
    }

    pub(super) fn bans_address(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let now = self.clock.now_ms();
        let is_banned = |held: &HeldBan| match &held.ban.who {
            Banned::Network(network) => network.contains(&address) && held.holds(now),
            Banned::Name(_) => false,
        };
        self.read(|decided| decided.bans.iter().any(is_banned))
    }

    /// Whether this name, or one that looks like it, is banned.
    pub(super) fn bans_name(&self, name: &str) -> bool {
        let (name, now) = (Appearance::of(name), self.clock.now_ms());
        let is_banned = |held: &HeldBan| {
            let appearance = held.appearance.as_ref();
            appearance.is_some_and(|banned| banned.is_like(&name)) && held.holds(now)
        };
        self.read(|decided| decided.bans.iter().any(is_banned))
    }

    pub(super) fn is_closed(&self, id: &MatchId) -> bool {
        self.read(|decided| decided.closed.contains(id))
    }

    /// Refuses a match that is closed.
    pub(super) fn check_open(&self, id: &MatchId) -> Result<(), ErrorReport> {
        if self.is_closed(id) {
            return Err(closed_report());
        }
        Ok(())
    }

    /// Stores a decision and applies it. Refuses a ban for which there is no room, and to lift
    /// one that doesn't hold.
    pub(super) async fn decide(
        &self,
        shared: &Shared,
        decision: &Decision,
    ) -> Result<(), ApiError> {
        let id = log_id();
        // This type always serializes.
        let entry: Bytes = serde_json::to_vec(decision).unwrap_or_default().into();
        // What another server has decided just now may be what this one is about.
        self.catch_up(shared).await?;
        loop {
            let now = self.clock.now_ms();
            let (last, refusal) =
                self.read(|decided| (decided.sequence, decided.refusal(decision, now)));
            if let Some(refusal) = refusal {
                return Err(refusal);
            }
            match self.log.append(&id, last, entry.clone()).await {
                Ok(()) | Err(AppendError::Unknown(_) | AppendError::Conflict) => {}
                Err(AppendError::Refused(cause)) => return Err(cause.into()),
            }
            let found = self.catch_up(shared).await?;
            // Deciding the same twice does no harm.
            if found.contains(&entry) {
                return Ok(());
            }
        }
    }

    /// Applies the decisions that were stored meanwhile, and returns their entries.
    pub(super) async fn catch_up(&self, shared: &Shared) -> Result<Vec<Bytes>, LogError> {
        let mut found = Vec::new();
        loop {
            let mut at = self.read(|decided| decided.sequence);
            let page = self.log.read(&log_id(), at, PAGE).await?;
            let is_last = page.len() < PAGE;
            for entry in page {
                at = at.next();
                if let Some(decision) = self.apply(at, &entry) {
                    enforce(shared, &decision);
                }
                found.push(entry);
            }
            if is_last {
                return Ok(found);
            }
        }
    }

    /// Applies the entry with this number, unless that was done already.
    fn apply(&self, at: Sequence, entry: &[u8]) -> Option<Decision> {
        let decided = self.decided.write();
        let mut decided = decided.unwrap_or_else(std::sync::PoisonError::into_inner);
        if decided.sequence.next() != at {
            return None;
        }
        decided.sequence = at;
        // A later version's decision means nothing to this one.
        let decision: Decision = serde_json::from_slice(entry).ok()?;
        match &decision {
            Decision::Ban(ban) => {
                decided.unban(&ban.who);
                let now = self.clock.now_ms();
                decided.bans.retain(|held| held.holds(now));
                if decided.bans.len() < MAX_BANS {
                    decided.bans.push(HeldBan::new(ban.clone()));
                }
            }
            Decision::Unban(who) => decided.unban(who),
            Decision::Close(id) => drop(decided.closed.insert(id.clone())),
            Decision::Reopen(id) => drop(decided.closed.remove(id)),
        }
        Some(decision)
    }

    /// Follows the log until the server shuts down.
    pub(super) async fn follow(shared: Arc<Shared>) {
        let mut shutdown = std::pin::pin!(shared.shutdown());
        loop {
            let moderation = &shared.moderation;
            let after = moderation.read(|decided| decided.sequence);
            let mut entries = moderation.log.watch(&log_id(), after);
            loop {
                // First the shutdown, which closes the store.
                let entry = tokio::select! {
                    biased;
                    () = &mut shutdown => return,
                    entry = entries.next() => entry,
                };
                let result = match entry {
                    Some(Ok(_)) => moderation.catch_up(&shared).await.map(drop),
                    Some(Err(cause)) => Err(cause),
                    None => break,
                };
                if let Err(cause) = result {
                    tracing::warn!(%cause, "failed to read the bans");
                    break;
                }
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
}

impl Decided {
    fn unban(&mut self, who: &Banned) {
        let appearance = appearance(who);
        self.bans
            .retain(|held| !held.is_of(who, appearance.as_ref()));
    }

    /// Why a decision would have no effect.
    fn refusal(&self, decision: &Decision, now: u64) -> Option<ApiError> {
        let (Decision::Ban(Ban { who, .. }) | Decision::Unban(who)) = decision else {
            return None;
        };
        let appearance = appearance(who);
        let mut held = self.bans.iter().filter(|held| held.holds(now));
        let is_of = |held: &&HeldBan| held.is_of(who, appearance.as_ref());
        if let Decision::Unban(_) = decision {
            let is_banned = held.any(|held| is_of(&held));
            let text = "There is no such ban.";
            return (!is_banned).then(|| ApiError::new(ErrorCode::NotFound, text));
        }
        // It may take the place of another.
        let is_full = held.filter(|held| !is_of(held)).count() >= MAX_BANS;
        let text = format!("There are {MAX_BANS} bans already. Take others back first.");
        is_full.then(|| ApiError::new(ErrorCode::TooMany, text))
    }
}

/// Checks that the log of the decisions can be read; `None` for another log.
pub(super) fn check_decisions(id: &MatchId, entries: &[Bytes]) -> Option<Result<(), LogError>> {
    let check = |(entry, number): (&Bytes, u64)| match serde_json::from_slice::<Decision>(entry) {
        Ok(_) => Ok(()),
        Err(error) => Err(LogError::damaged(format_args!(
            "log {id}, entry {number}: {error}"
        ))),
    };
    (id.as_str() == LOG).then(|| entries.iter().zip(1..).try_for_each(check))
}

fn log_id() -> MatchId {
    // This text is an identifier.
    LOG.parse().expect("an identifier")
}

/// Closes the connections that a decision concerns.
fn enforce(shared: &Shared, decision: &Decision) {
    match decision {
        Decision::Ban(_) => shared.matches.send_all(|| MatchCommand::DropBanned),
        Decision::Close(id) => {
            let command = MatchCommand::Close(Box::new(closed_report()));
            shared.matches.send_if_loaded(id, command);
        }
        Decision::Unban(_) | Decision::Reopen(_) => {}
    }
}

/// Why a closed match can't be played or watched.
fn closed_report() -> ErrorReport {
    let text = "The operator of this server has closed this game.";
    ErrorReport::new(ErrorCode::Closed, text)
}

/// Why a client is refused.
pub(super) fn banned_report() -> ErrorReport {
    let text = "The operator of this server doesn't let you play here.";
    ErrorReport::new(ErrorCode::Banned, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::MemoryLog;
    use crate::server::{Config, Server};

    fn ban(name: &str) -> Decision {
        Decision::Ban(Ban {
            who: Banned::Name(name.to_owned()),
            until: None,
            reason: None,
        })
    }

    #[tokio::test]
    async fn a_ban_without_room_is_refused() {
        let catalog = open_ttt_catalog::Catalog::bundled();
        let log = Arc::new(MemoryLog::new());
        let server = Server::new(catalog, Config::default(), log).expect("a server");
        let shared = &server.shared;
        let moderation = &shared.moderation;
        let names = (0..MAX_BANS).map(|number| format!("player{number}"));
        let bans = names.map(|name| {
            HeldBan::new(Ban {
                who: Banned::Name(name),
                until: None,
                reason: None,
            })
        });
        moderation.decided.write().expect("a lock").bans = bans.collect();
        let refused = moderation.decide(shared, &ban("eve")).await;
        let refused = refused.expect_err("no room").into_report();
        assert_eq!(refused.code, ErrorCode::TooMany);
        assert!(!moderation.bans_name("eve"));
        // One that replaces another needs none.
        moderation
            .decide(shared, &ban("player7"))
            .await
            .expect("decided");
        let unban = Decision::Unban(Banned::Name("player7".to_owned()));
        moderation.decide(shared, &unban).await.expect("decided");
        moderation.decide(shared, &ban("eve")).await.expect("room");
        assert!(moderation.bans_name("eve") && !moderation.bans_name("player7"));
    }
}
