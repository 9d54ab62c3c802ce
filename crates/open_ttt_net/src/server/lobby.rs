use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::clock::ServerClock;
use crate::MatchId;
use crate::lock::lock;
use crate::log::{LogError, MatchLog};
use crate::protocol::{MatchList, MatchSummary};

/// The list of matches with an open seat whose creator is connected. The store's
/// notices hold it.
#[derive(Debug)]
pub(super) struct Lobby {
    log: Arc<dyn MatchLog>,
    clock: ServerClock,
    cache: Mutex<Option<(Instant, Vec<MatchSummary>)>>,
}

/// A notice in the store.
#[derive(Serialize, Deserialize)]
struct Notice {
    #[serde(flatten)]
    summary: MatchSummary,
    /// When the creator was last known to be connected, in milliseconds since 1970.
    #[serde(default)]
    seen: u64,
}

/// Number of matches on a page.
const PAGE: usize = 50;

/// Maximum number of matches listed.
const MAX_LISTED: usize = 10_000;

/// How long a list is cached.
const CACHE_TIME: Duration = Duration::from_millis(500);

/// Interval at which the server of a connected creator [posts](Lobby::post) the match
/// again.
pub(super) const REFRESH: Duration = Duration::from_mins(1);

/// Time after which a notice that was not posted again is no longer listed: its server
/// has crashed. In milliseconds.
const EXPIRY_MS: u64 = 150_000;

impl Lobby {
    pub(super) fn new(log: Arc<dyn MatchLog>, clock: ServerClock) -> Self {
        Self {
            log,
            clock,
            cache: Mutex::default(),
        }
    }

    /// Lists a match, or keeps it listed.
    pub(super) fn post(&self, summary: &MatchSummary) {
        if let Some((_, list)) = &mut *lock(&self.cache)
            && list.iter().all(|listed| listed.id != summary.id)
        {
            list.insert(0, summary.clone());
        }
        let notice = Notice {
            summary: summary.clone(),
            seen: self.clock.now_ms(),
        };
        // This type always serializes.
        let notice = serde_json::to_vec(&notice).unwrap_or_default();
        self.set_notice(summary.id.clone(), Some(notice.into()));
    }

    pub(super) fn remove(&self, id: &MatchId) {
        if let Some((_, list)) = &mut *lock(&self.cache) {
            list.retain(|listed| listed.id != *id);
        }
        self.set_notice(id.clone(), None);
    }

    fn set_notice(&self, id: MatchId, notice: Option<Bytes>) {
        let log = Arc::clone(&self.log);
        tokio::spawn(async move {
            if let Err(cause) = log.set_notice(&id, notice).await {
                tracing::warn!(%id, %cause, "failed to store a notice");
            }
        });
    }

    /// A page of the listed matches, the latest first.
    pub(super) async fn list(
        &self,
        game: Option<&str>,
        from: usize,
    ) -> Result<MatchList, LogError> {
        self.read(|list| page(list.iter(), game, from)).await
    }

    /// Looks at all listed matches, the latest first.
    pub(super) async fn read<T>(
        &self,
        look: impl FnOnce(&[MatchSummary]) -> T,
    ) -> Result<T, LogError> {
        if let Some((at, list)) = &*lock(&self.cache)
            && at.elapsed() < CACHE_TIME
        {
            return Ok(look(list));
        }
        let notices = self.log.notices(MAX_LISTED).await?;
        let oldest = self.clock.now_ms().saturating_sub(EXPIRY_MS);
        let mut list: Vec<MatchSummary> = notices
            .iter()
            .filter_map(|(_, notice)| serde_json::from_slice(notice).ok())
            .filter(|notice: &Notice| notice.seen >= oldest)
            .map(|notice| notice.summary)
            .collect();
        list.sort_by_key(|summary| core::cmp::Reverse(summary.since));
        let seen = look(&list);
        *lock(&self.cache) = Some((Instant::now(), list));
        Ok(seen)
    }
}

/// A page of a list of matches, of all games or of one.
pub(super) fn page<'a>(
    list: impl Iterator<Item = &'a MatchSummary>,
    game: Option<&str>,
    from: usize,
) -> MatchList {
    // A game is asked for by its key, with or without parameters.
    let is_of = |summary: &MatchSummary, game: &str| {
        summary.game == game || summary.game.split('(').next() == Some(game)
    };
    let mut total = 0;
    let mut matches = Vec::new();
    for summary in list.filter(|summary| game.is_none_or(|game| is_of(summary, game))) {
        if total >= from && matches.len() < PAGE {
            matches.push(summary.clone());
        }
        total += 1;
    }
    MatchList {
        total,
        from,
        matches,
    }
}
