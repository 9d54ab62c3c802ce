use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::clock::now_ms;
use crate::MatchId;
use crate::log::{LogError, MatchLog};
use crate::protocol::MatchSummary;

/// The matches in which a seat is open, for whoever wants to join one.
#[derive(Debug)]
pub(super) struct Lobby {
    log: Arc<dyn MatchLog>,
    /// The last answer, which is given again for a moment.
    last: Mutex<Option<(Instant, Vec<MatchSummary>)>>,
}

/// How many are shown.
const MOST: usize = 100;

/// How long an answer is given again.
const FRESH: Duration = Duration::from_millis(500);

/// After this nobody is waiting any more, in milliseconds.
const STALE_MS: u64 = 3_600_000;

impl Lobby {
    pub(super) fn new(log: Arc<dyn MatchLog>) -> Self {
        Self {
            log,
            last: Mutex::default(),
        }
    }

    /// Shows a match.
    pub(super) fn show(&self, summary: &MatchSummary) {
        let notice = serde_json::to_vec(summary).unwrap_or_default();
        self.post(summary.id.clone(), Some(notice.into()));
    }

    /// Shows a match no longer.
    pub(super) fn withdraw(&self, id: &MatchId) {
        self.post(id.clone(), None);
    }

    fn post(&self, id: MatchId, notice: Option<bytes::Bytes>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let log = Arc::clone(&self.log);
        tokio::spawn(async move {
            if let Err(cause) = log.set_notice(&id, notice).await {
                tracing::warn!(%id, %cause, "a notice was not stored");
            }
        });
    }

    /// The matches shown, the latest first.
    pub(super) async fn list(&self) -> Result<Vec<MatchSummary>, LogError> {
        {
            let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((at, list)) = &*last
                && at.elapsed() < FRESH
            {
                return Ok(list.clone());
            }
        }
        let notices = self.log.notices(MOST).await?;
        let oldest = now_ms().saturating_sub(STALE_MS);
        let list: Vec<MatchSummary> = notices
            .iter()
            .filter_map(|(_, notice)| serde_json::from_slice(notice).ok())
            .filter(|summary: &MatchSummary| summary.since >= oldest)
            .collect();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Instant::now(), list.clone()));
        Ok(list)
    }
}
