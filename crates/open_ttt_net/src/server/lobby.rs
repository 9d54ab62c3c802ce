use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::clock::now_ms;
use crate::MatchId;
use crate::lock::lock;
use crate::log::{LogError, MatchLog};
use crate::protocol::MatchSummary;

/// The list of matches with an open seat. The store's notices hold it.
#[derive(Debug)]
pub(super) struct Lobby {
    log: Arc<dyn MatchLog>,
    cache: Mutex<Option<(Instant, Vec<MatchSummary>)>>,
}

/// Maximum number of matches listed.
const MAX_LISTED: usize = 100;

/// How long a list is cached.
const CACHE_TIME: Duration = Duration::from_millis(500);

/// Age from which a match is no longer listed, in milliseconds.
const EXPIRY_MS: u64 = 3_600_000;

impl Lobby {
    pub(super) fn new(log: Arc<dyn MatchLog>) -> Self {
        Self {
            log,
            cache: Mutex::default(),
        }
    }

    pub(super) fn add(&self, summary: &MatchSummary) {
        let notice = serde_json::to_vec(summary).unwrap_or_default();
        self.set_notice(summary.id.clone(), Some(notice.into()));
    }

    pub(super) fn remove(&self, id: &MatchId) {
        self.set_notice(id.clone(), None);
    }

    fn set_notice(&self, id: MatchId, notice: Option<Bytes>) {
        *lock(&self.cache) = None;
        let log = Arc::clone(&self.log);
        tokio::spawn(async move {
            if let Err(cause) = log.set_notice(&id, notice).await {
                tracing::warn!(%id, %cause, "failed to store a notice");
            }
        });
    }

    /// The listed matches, the latest first.
    pub(super) async fn list(&self) -> Result<Vec<MatchSummary>, LogError> {
        if let Some((at, list)) = &*lock(&self.cache)
            && at.elapsed() < CACHE_TIME
        {
            return Ok(list.clone());
        }
        let notices = self.log.notices(MAX_LISTED).await?;
        let oldest = now_ms().saturating_sub(EXPIRY_MS);
        let list: Vec<MatchSummary> = notices
            .iter()
            .filter_map(|(_, notice)| serde_json::from_slice(notice).ok())
            .filter(|summary: &MatchSummary| summary.since >= oldest)
            .collect();
        *lock(&self.cache) = Some((Instant::now(), list.clone()));
        Ok(list)
    }
}
