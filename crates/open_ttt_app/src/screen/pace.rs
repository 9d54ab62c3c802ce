use std::time::{Duration, Instant};

/// How fast computers play against each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The least time from one move to the next.
    interval: Duration,
    pub(super) paused: bool,
    last_move: Option<Instant>,
    /// Whether a move was asked for while the game is paused.
    steps: bool,
}

/// What a person can choose by keys, the slowest first.
const INTERVALS: [Duration; 6] = [
    Duration::from_secs(4),
    Duration::from_secs(2),
    Duration::from_secs(1),
    Duration::from_millis(500),
    Duration::from_millis(250),
    Duration::ZERO,
];

impl Default for Pace {
    fn default() -> Self {
        Self::with_interval(Duration::from_secs(1))
    }
}

impl Pace {
    /// The pace with this interval.
    pub(super) const fn with_interval(interval: Duration) -> Self {
        Self {
            interval,
            paused: false,
            last_move: None,
            steps: false,
        }
    }

    /// The least time from one move to the next.
    pub(super) const fn interval(self) -> Duration {
        self.interval
    }

    pub(super) fn can_be_faster(self) -> bool {
        self.next(true).is_some()
    }

    pub(super) fn can_be_slower(self) -> bool {
        self.next(false).is_some()
    }

    pub(super) fn change(&mut self, faster: bool) {
        self.interval = self.next(faster).unwrap_or(self.interval);
    }

    /// The next interval that is shorter, or longer.
    fn next(self, faster: bool) -> Option<Duration> {
        let mut intervals = INTERVALS.into_iter();
        if faster {
            intervals.find(|&interval| interval < self.interval)
        } else {
            intervals.rfind(|&interval| interval > self.interval)
        }
    }

    /// Lets one move be played although the game is paused.
    pub(super) const fn step(&mut self) {
        self.steps = true;
    }

    pub(super) const fn has_moved(&mut self, now: Instant) {
        self.last_move = Some(now);
        self.steps = false;
    }

    pub(super) fn may_move(self, now: Instant) -> bool {
        self.steps || !self.paused && self.wait(now).is_none_or(|wait| wait.is_zero())
    }

    /// The time until the next move; `None` if the game is paused.
    pub(super) fn wait(self, now: Instant) -> Option<Duration> {
        let interval = self.interval();
        let since = self
            .last_move
            .map(|last| now.saturating_duration_since(last));
        (!self.paused).then(|| interval.saturating_sub(since.unwrap_or(interval)))
    }

    /// The pace in words.
    pub(super) fn text(self) -> String {
        if self.interval.is_zero() {
            "full speed".to_owned()
        } else {
            format!("a move every {} s", self.interval.as_secs_f32())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_interval_can_be_left_in_both_directions() {
        let milliseconds = Duration::from_millis;
        for (interval, faster, slower) in [
            (0, None, Some(250)),
            (100, Some(0), Some(250)),
            (250, Some(0), Some(500)),
            (1_000, Some(500), Some(2_000)),
            (4_000, Some(2_000), None),
            (90_000, Some(4_000), None),
        ] {
            let pace = Pace::with_interval(milliseconds(interval));
            assert_eq!(pace.interval(), milliseconds(interval));
            let next = [faster, slower].map(|next| next.map(milliseconds));
            assert_eq!([pace.next(true), pace.next(false)], next, "{interval}");
        }
    }
}
