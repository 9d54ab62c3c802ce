use std::time::Duration;

use super::clock::milliseconds;
use crate::matches::MAX_LAG_MS;

/// Number of round trips that an estimate considers.
const SAMPLES: usize = 8;

/// What a seat's budget gains with each of its moves, in milliseconds.
const REFILL_MS: u64 = 100;

/// The times of the first pings, in seconds after the connection was opened. Later
/// ones only keep it alive.
const FIRST_PINGS: [u64; 4] = [0, 1, 2, 4];

/// An estimate of a connection's network delay: half of the shortest of the latest
/// round trips. A client that answers some pings late gains nothing.
#[derive(Debug)]
pub(super) struct LagEstimate {
    /// In a ring; [`UNKNOWN`] before there are that many.
    halves_ms: [u16; SAMPLES],
    /// The place of the next one.
    next: u8,
}

/// Half of a round trip of more than a minute, of which no estimate takes notice.
const UNKNOWN: u16 = u16::MAX;

impl Default for LagEstimate {
    fn default() -> Self {
        Self {
            halves_ms: [UNKNOWN; SAMPLES],
            next: 0,
        }
    }
}

impl LagEstimate {
    /// Adds the time from a ping to its pong.
    pub(super) fn add(&mut self, round_trip: Duration) {
        let half = milliseconds(round_trip) / 2;
        let place = usize::from(self.next) % SAMPLES;
        self.halves_ms[place] = u16::try_from(half).unwrap_or(UNKNOWN);
        self.next = (place + 1) as u8;
    }

    /// The estimate, in milliseconds; 0 before the first round trip.
    pub(super) fn ms(&self) -> u64 {
        match self.halves_ms.into_iter().min() {
            Some(UNKNOWN) | None => 0,
            Some(half) => half.into(),
        }
    }
}

/// The network delay that is not charged to a seat. It is bounded over a game, so a
/// client that answers every ping late gains [`REFILL_MS`] a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct LagBudget {
    left_ms: u64,
}

impl LagBudget {
    pub(super) const FULL: Self = Self {
        left_ms: MAX_LAG_MS,
    };

    /// The part of an estimate that is not charged, in milliseconds.
    pub(super) fn credit(self, estimate_ms: u64) -> u64 {
        estimate_ms.min(self.left_ms)
    }

    /// Takes the credit of a move, and refills.
    pub(super) fn spend(&mut self, credit_ms: u64) {
        let left = self.left_ms.saturating_sub(credit_ms);
        self.left_ms = (left + REFILL_MS).min(MAX_LAG_MS);
    }
}

/// The pause before the next ping of a connection: short at first, for the
/// estimate, and then several per idle time-out, to detect dead connections.
pub(super) fn ping_pause(sent: usize, idle_timeout: Duration) -> Duration {
    let longest = idle_timeout / 3;
    match FIRST_PINGS.get(sent) {
        Some(&at) => {
            let previous = sent.checked_sub(1).map_or(0, |index| FIRST_PINGS[index]);
            Duration::from_secs(at - previous).min(longest)
        }
        None => longest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_pongs_do_not_raise_the_estimate() {
        let mut lag = LagEstimate::default();
        assert_eq!(lag.ms(), 0);
        let mut add = |round_trip| {
            lag.add(Duration::from_millis(round_trip));
            lag.ms()
        };
        assert_eq!(add(1_000), 500);
        assert_eq!(add(80), 40);
        for _ in 0..SAMPLES - 1 {
            assert_eq!(add(1_000), 40);
        }
        // The connection has become slower.
        assert_eq!(add(90), 45);
        assert_eq!(add(30), 15);
    }

    #[test]
    fn credit_is_bounded_over_a_game() {
        let mut budget = LagBudget::FULL;
        let mut total = 0;
        for _ in 0..40 {
            let credit = budget.credit(u64::MAX);
            budget.spend(credit);
            total += credit;
        }
        assert_eq!(total, 500 + 39 * 100);
        // An honest client with a delay of 60 ms is never charged for it.
        let mut budget = LagBudget::FULL;
        for _ in 0..1_000 {
            let credit = budget.credit(60);
            assert_eq!(credit, 60);
            budget.spend(credit);
        }
    }

    #[test]
    fn the_first_pings_are_sent_soon() {
        let pause = |sent| ping_pause(sent, Duration::from_mins(1));
        let pauses: Vec<_> = (0..6).map(|sent| pause(sent).as_secs()).collect();
        assert_eq!(pauses, [0, 1, 1, 2, 20, 20]);
        let pause = ping_pause(3, Duration::from_millis(300));
        assert_eq!(pause, Duration::from_millis(100));
    }
}
