use core::time::Duration;

use crate::{Budget, Clock, StopFlag};

/// Counts the iterations of a step and says when it is over.
///
/// Reading a clock takes a good part of a quick iteration, and slow ones must
/// not overrun their time: so it is read more and more rarely as long as little
/// time passes in between.
#[derive(Debug)]
pub(super) struct Pace<'a> {
    left: u64,
    /// The iterations that are made whatever the clock and the flag say.
    owed: u64,
    clock: Option<(Clock, Duration)>,
    stop: &'a StopFlag,
    last_look: Duration,
    interval: u64,
    until_look: u64,
    late: bool,
}

impl<'a> Pace<'a> {
    /// The time between two looks that is aimed at.
    const AIM: Duration = Duration::from_micros(20);
    /// The most iterations between two looks.
    const MOST: u64 = 128;

    pub(super) fn new(budget: &Budget, stop: &'a StopFlag, least: u64) -> Self {
        let now = budget.time.map(|time| time.clock.now()).unwrap_or_default();
        let clock = budget
            .time
            .map(|time| (time.clock, now.saturating_add(time.limit)));
        Self {
            left: budget.nodes.unwrap_or(u64::MAX).max(least),
            owed: least,
            late: clock.is_some_and(|(_, deadline)| now >= deadline),
            clock,
            stop,
            last_look: now,
            interval: 1,
            until_look: 1,
        }
    }

    /// The iterations that may still be made.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// The iterations that may be made at once: until the clock is looked at.
    pub(super) fn stretch(&self) -> u64 {
        match self.clock {
            Some(_) => self.left.min(self.until_look),
            None => self.left,
        }
    }

    /// Whether the budget is spent or the flag raised.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0 || self.owed == 0 && (self.late || self.stop.is_raised())
    }

    /// Counts iterations.
    pub(super) fn count(&mut self, iterations: u64) {
        self.left = self.left.saturating_sub(iterations);
        self.owed = self.owed.saturating_sub(iterations);
        let Some((clock, deadline)) = self.clock else {
            return;
        };
        self.until_look = self.until_look.saturating_sub(iterations);
        if self.until_look == 0 {
            let now = clock.now();
            self.late = now >= deadline;
            let passed = now.saturating_sub(self.last_look);
            self.interval = if passed < Self::AIM {
                (2 * self.interval).min(Self::MOST)
            } else {
                (self.interval / 2).max(1)
            };
            self.last_look = now;
            self.until_look = self.interval;
        }
    }
}
