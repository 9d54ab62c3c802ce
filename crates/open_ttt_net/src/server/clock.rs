use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use open_ttt_search::Clock;
use tokio::time::Instant;

/// The server's time, in milliseconds since 1970.
///
/// The system's clock is read once. From then on a monotonic clock counts, so no
/// correction of the system's clock reaches a match. Clones share the clock.
#[derive(Clone, Debug)]
pub(super) struct ServerClock {
    started: Instant,
    /// The reading at `started`.
    reading: Arc<AtomicU64>,
}

impl ServerClock {
    /// A clock with the time of the system.
    pub(super) fn of_system() -> Self {
        let reading = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            started: Instant::now(),
            reading: Arc::new(milliseconds(reading.unwrap_or_default()).into()),
        }
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.now_of(self.reading())
    }

    /// What the clock showed when it started, as it was set since.
    pub(super) fn reading(&self) -> u64 {
        self.reading.load(Ordering::Relaxed)
    }

    /// The time now on a clock with another reading.
    pub(super) fn now_of(&self, reading: u64) -> u64 {
        reading.saturating_add(milliseconds(self.started.elapsed()))
    }

    /// Sets the clock, to the time of the servers that serve the matches already.
    pub(super) fn set(&self, now_ms: u64) {
        let reading = self.reading_at(now_ms);
        self.reading.store(reading, Ordering::Relaxed);
    }

    /// Sets the clock forward to this time, never back.
    pub(super) fn set_forward(&self, now_ms: u64) {
        let reading = self.reading_at(now_ms);
        self.reading.fetch_max(reading, Ordering::Relaxed);
    }

    /// The reading of a clock on which it is this time now.
    fn reading_at(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(milliseconds(self.started.elapsed()))
    }
}

/// The clock for the computers' time limits.
pub(super) fn search_clock() -> Clock {
    Clock::new(|| {
        static START: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);
        START.elapsed()
    })
}

/// Whole milliseconds.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_clock_counts_from_where_it_was_set() {
        let clock = ServerClock::of_system();
        let start = clock.now_ms();
        // In 2020 or later.
        assert!(start > 1_577_836_800_000, "{start}");
        tokio::time::advance(Duration::from_millis(1_500)).await;
        assert_eq!(clock.now_ms(), start + 1_500);
        let copy = clock.clone();
        clock.set(7_000);
        tokio::time::advance(Duration::from_millis(2)).await;
        assert_eq!(copy.now_ms(), 7_002);
        clock.set_forward(7_001);
        assert_eq!(copy.now_ms(), 7_002);
        clock.set_forward(9_000);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(copy.now_ms(), 9_001);
    }
}
