use serde::{Deserialize, Serialize};

use super::{Seat, TimeControl};

/// The longest network delay that is not counted against a player's clock, in
/// milliseconds.
pub const MAX_LAG_MS: u64 = 500;

/// The clocks of both seats in a game.
///
/// The clocks start with the second move; the first one takes no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// The time each seat had left after the last move, in milliseconds.
    pub left_ms: [u64; 2],
    /// The seat whose clock is running, and since when, in milliseconds since 1970.
    pub running: Option<(Seat, u64)>,
}

impl Clock {
    pub(super) const fn new(control: TimeControl) -> Self {
        Self {
            left_ms: [control.initial_ms; 2],
            running: None,
        }
    }

    /// The time a seat has left at the time `at`, in milliseconds.
    pub fn left_at(&self, seat: Seat, at: u64) -> u64 {
        let left = self.left_ms[seat.index()];
        match self.running {
            Some((running, since)) if running == seat => {
                left.saturating_sub(at.saturating_sub(since))
            }
            _ => left,
        }
    }

    /// When the running clock runs out, in milliseconds since 1970, including the
    /// allowance for the network delay of a move.
    pub fn deadline(&self) -> Option<u64> {
        let (seat, since) = self.running?;
        Some(
            since
                .saturating_add(self.left_ms[seat.index()])
                .saturating_add(MAX_LAG_MS),
        )
    }

    /// Stops the running clock after a move; `false` if the time was used up.
    pub(super) fn press(&mut self, at: u64, lag_ms: u64, control: TimeControl) -> bool {
        let Some((seat, since)) = self.running else {
            return true;
        };
        let used = at
            .saturating_sub(since)
            .saturating_sub(lag_ms.min(MAX_LAG_MS));
        let left = &mut self.left_ms[seat.index()];
        if used > *left {
            return false;
        }
        *left = (*left - used).saturating_add(control.increment_ms);
        self.running = None;
        true
    }

    /// Lets the running clock start later by this time, at most at `at`; `false` if
    /// no clock is running.
    pub(super) fn give_back(&mut self, ms: u64, at: u64) -> bool {
        let Some((_, since)) = &mut self.running else {
            return false;
        };
        *since = since.saturating_add(ms).min(at);
        true
    }

    /// Starts a seat's clock.
    pub(super) const fn start(&mut self, seat: Seat, at: u64) {
        self.running = Some((seat, at));
    }

    /// Stops the running clock at the end of a game.
    pub(super) fn stop(&mut self, at: u64) {
        if let Some((seat, _)) = self.running {
            self.left_ms[seat.index()] = self.left_at(seat, at);
            self.running = None;
        }
    }
}
