use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use open_ttt_search::Clock;

/// The server's time, in milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let passed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

/// The clock by which computers think.
pub(super) fn thinking_clock() -> Clock {
    Clock::new(|| {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    })
}
