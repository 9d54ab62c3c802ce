use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use open_ttt_search::Clock;

/// The server's time, in milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// The clock for the computers' time limits.
pub(super) fn search_clock() -> Clock {
    Clock::new(|| {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    })
}
