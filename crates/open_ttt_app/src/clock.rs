use std::sync::LazyLock;
use std::time::Instant;

use open_ttt_search::Clock;

/// The operating system's monotonic clock, for search budgets.
///
/// ```
/// use std::time::Duration;
///
/// use open_ttt_app::clock;
/// use open_ttt_search::Budget;
///
/// let budget = Budget::time(Duration::from_secs(1), clock());
/// assert_eq!(budget.time.map(|time| time.clock), Some(clock()));
/// ```
pub fn clock() -> Clock {
    Clock::new(|| {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    })
}
