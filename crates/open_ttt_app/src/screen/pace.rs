use std::time::{Duration, Instant};

/// How fast computers play against each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// An index into the intervals.
    interval: usize,
    pub(super) paused: bool,
    last_move: Option<Instant>,
    /// Whether a move was asked for while the game is paused.
    steps: bool,
}

/// The least time from one move to the next, in milliseconds.
const INTERVALS: [u64; 6] = [4000, 2000, 1000, 500, 250, 0];

/// A move a second.
const DEFAULT: usize = 2;

impl Default for Pace {
    fn default() -> Self {
        Self {
            interval: DEFAULT,
            paused: false,
            last_move: None,
            steps: false,
        }
    }
}

impl Pace {
    /// The pace with the interval nearest to this one.
    pub(super) fn with_interval(interval: Duration) -> Self {
        let distance = |index: &usize| interval.abs_diff(Duration::from_millis(INTERVALS[*index]));
        let nearest = (0..INTERVALS.len()).min_by_key(distance);
        Self {
            interval: nearest.unwrap_or(DEFAULT),
            ..Self::default()
        }
    }

    /// The least time from one move to the next.
    pub(super) const fn interval(self) -> Duration {
        Duration::from_millis(INTERVALS[self.interval])
    }

    pub(super) const fn can_be_faster(self) -> bool {
        self.interval + 1 < INTERVALS.len()
    }

    pub(super) const fn can_be_slower(self) -> bool {
        self.interval > 0
    }

    pub(super) fn change(&mut self, faster: bool) {
        self.interval = if faster {
            (self.interval + 1).min(INTERVALS.len() - 1)
        } else {
            self.interval.saturating_sub(1)
        };
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
        match INTERVALS[self.interval] {
            0 => "full speed".to_owned(),
            interval => format!("a move every {} s", interval as f32 / 1000.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_any_length_has_a_pace() {
        for (wanted, expected) in [
            (0, 0),
            (100, 0),
            (200, 250),
            (1_000, 1_000),
            (90_000, 4_000),
        ] {
            let pace = Pace::with_interval(Duration::from_millis(wanted));
            assert_eq!(pace.interval(), Duration::from_millis(expected), "{wanted}");
        }
    }
}
