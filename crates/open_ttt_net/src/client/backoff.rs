use core::time::Duration;

/// The delay before each attempt to connect: exponential backoff with jitter, so
/// that the clients of a restarted server do not all reconnect at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backoff {
    /// The longest next delay.
    limit: Duration,
}

/// The longest delay before the first attempt.
const FIRST: Duration = Duration::from_millis(250);

/// The longest delay of all.
const LONGEST: Duration = Duration::from_secs(15);

impl Backoff {
    /// The next delay: between half the current limit and the limit, chosen by a
    /// uniformly distributed random number. Doubles the limit.
    pub(super) fn next(&mut self, random: u32) -> Duration {
        let half = self.limit / 2;
        self.limit = (self.limit * 2).min(LONGEST);
        half + half.mul_f64(f64::from(random) / f64::from(u32::MAX))
    }

    /// Starts over after a successful attempt.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self { limit: FIRST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_limit() {
        let milliseconds = Duration::from_millis;
        let mut backoff = Backoff::default();
        assert_eq!(backoff.next(u32::MAX), milliseconds(250));
        assert_eq!(backoff.next(u32::MAX), milliseconds(500));
        assert_eq!(backoff.next(0), milliseconds(500));
        for _ in 0..10 {
            backoff.next(0);
        }
        assert_eq!(backoff.next(u32::MAX), LONGEST);
        backoff.reset();
        assert_eq!(backoff.next(0), milliseconds(125));
    }
}
