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

impl Default for Pace {
    /// A move a second.
    fn default() -> Self {
        Self {
            interval: 2,
            paused: false,
            last_move: None,
            steps: false,
        }
    }
}

impl Pace {
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
        let interval = Duration::from_millis(INTERVALS[self.interval]);
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
