use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::log::{LogError, MatchLog};

/// Whether matches can be stored, as of the last check. A check writes to the store, so
/// it is not repeated for everyone who asks.
#[derive(Debug, Default)]
pub(super) struct Readiness {
    last: Mutex<Option<(Instant, Result<(), LogError>)>>,
}

/// How long the result of a check is used.
const VALID_FOR: Duration = Duration::from_secs(1);

impl Readiness {
    /// Checks the store, unless that was done just now.
    pub(super) async fn check(&self, log: &dyn MatchLog) -> Result<(), LogError> {
        // Who comes during a check waits for its result.
        let mut last = self.last.lock().await;
        if let Some((at, result)) = &*last
            && at.elapsed() < VALID_FOR
        {
            return result.clone();
        }
        let result = log.check().await;
        if let Err(cause) = &result {
            tracing::warn!(%cause, "the store is not ready");
        }
        *last = Some((Instant::now(), result.clone()));
        result
    }
}
