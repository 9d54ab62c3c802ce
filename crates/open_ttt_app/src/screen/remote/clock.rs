use std::time::{Duration, Instant};

use open_ttt_lib::rules::Side;

/// The clocks of a game, as they were at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteClock {
    /// The time each side had left.
    pub left: [Duration; 2],
    /// The side whose clock is running.
    pub running: Option<Side>,
    /// The moment.
    pub at: Instant,
}

/// With less time left than this, tenths of a second are shown.
const SHORT: Duration = Duration::from_secs(10);

impl RemoteClock {
    /// The time that a side has left at a later moment.
    pub fn left(&self, side: Side, now: Instant) -> Duration {
        let left = self.left[side.index()];
        if self.running == Some(side) {
            left.saturating_sub(now.saturating_duration_since(self.at))
        } else {
            left
        }
    }
}

/// Whether so little time is left that it is shown in tenths of a second.
pub(super) fn is_short(left: Duration) -> bool {
    left < SHORT
}

/// A time as a clock shows it: `1:02:03`, `4:05`, `9.3`. It is rounded up, so that zero is
/// shown when the time is up.
pub(super) fn clock_text(left: Duration) -> String {
    if is_short(left) {
        let tenths = left.as_millis().div_ceil(100);
        return format!("{}.{}", tenths / 10, tenths % 10);
    }
    let seconds = left.as_millis().div_ceil(1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_clocks_show_them() {
        for (milliseconds, expected) in [
            (0, "0.0"),
            (1, "0.1"),
            (9_300, "9.3"),
            (9_999, "10.0"),
            (10_000, "0:10"),
            (59_001, "1:00"),
            (245_000, "4:05"),
            (3_723_000, "1:02:03"),
        ] {
            assert_eq!(clock_text(Duration::from_millis(milliseconds)), expected);
        }
    }

    #[test]
    fn only_the_running_clock_runs() {
        let at = Instant::now();
        let clock = RemoteClock {
            left: [Duration::from_mins(1), Duration::from_secs(30)],
            running: Some(Side::First),
            at,
        };
        let left = |seconds| {
            let now = at + Duration::from_secs(seconds);
            Side::BOTH.map(|side| clock.left(side, now).as_secs())
        };
        assert_eq!(left(0), [60, 30]);
        assert_eq!(left(20), [40, 30]);
        assert_eq!(left(61), [0, 30]);
    }
}
