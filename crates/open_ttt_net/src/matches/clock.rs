use serde::{Deserialize, Serialize};

use super::{Seat, TimeControl};

/// The most that is forgiven for the way of a move, in milliseconds.
pub const MAX_LAG_MS: u64 = 500;

/// The time of both sides in a game.
///
/// The first move of a game costs no time: the clocks run from the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// What each seat had left when the last move was made, in milliseconds.
    pub left_ms: [u64; 2],
    /// Whose time runs, and since when, in milliseconds since 1970.
    pub running: Option<(Seat, u64)>,
}

impl Clock {
    pub(super) const fn new(control: TimeControl) -> Self {
        Self {
            left_ms: [control.initial_ms; 2],
            running: None,
        }
    }

    /// What a seat has left at a time, in milliseconds.
    pub fn left_at(&self, seat: Seat, at: u64) -> u64 {
        let left = self.left_ms[seat.index()];
        match self.running {
            Some((running, since)) if running == seat => {
                left.saturating_sub(at.saturating_sub(since))
            }
            _ => left,
        }
    }

    /// When the side whose time runs has used it up, with what is forgiven for
    /// a move that may be on its way.
    pub fn deadline(&self) -> Option<u64> {
        let (seat, since) = self.running?;
        Some(
            since
                .saturating_add(self.left_ms[seat.index()])
                .saturating_add(MAX_LAG_MS),
        )
    }

    /// Stops the time of whoever has moved; `false` if it was used up.
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

    /// Lets the time of a seat run.
    pub(super) const fn start(&mut self, seat: Seat, at: u64) {
        self.running = Some((seat, at));
    }

    /// Ends the game's time, keeping what is left.
    pub(super) fn stop(&mut self, at: u64) {
        if let Some((seat, _)) = self.running {
            self.left_ms[seat.index()] = self.left_at(seat, at);
            self.running = None;
        }
    }
}
