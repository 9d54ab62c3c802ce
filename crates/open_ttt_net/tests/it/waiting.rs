//! Waiting for events instead of for time.

use std::time::Duration;

use tokio::time::Instant;

/// A test that waits longer than this for one event hangs.
pub(crate) const HANG_GUARD: Duration = Duration::from_mins(10);

/// Calls `poll` until it returns a value.
pub(crate) async fn eventually<T, F>(what: &str, mut poll: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let deadline = Instant::now() + HANG_GUARD;
    loop {
        if let Some(value) = poll().await {
            return value;
        }
        assert!(
            Instant::now() < deadline,
            "{what}: not within {HANG_GUARD:?}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
