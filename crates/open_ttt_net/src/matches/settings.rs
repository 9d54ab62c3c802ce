use core::error::Error;
use core::fmt;

use open_ttt_lib::rules::SpecError;
use serde::{Deserialize, Serialize};

use super::Seat;

/// What is agreed on before a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The game, by its name in the catalog: `pegs(lines=38)`.
    pub game: String,
    /// How much time each side has; none for as much as it likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Who moves first in the first game; then they take turns.
    #[serde(default = "seat_a")]
    pub first: Seat,
}

const fn seat_a() -> Seat {
    Seat::A
}

/// How much time a side has for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// At the beginning, in milliseconds.
    pub initial_ms: u64,
    /// Added after each of its moves, in milliseconds.
    #[serde(default)]
    pub increment_ms: u64,
}

/// What is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no such game.
    Game(SpecError),
    /// The time is not within [`TimeControl`]'s bounds.
    Clock,
}

impl Settings {
    /// A game without clocks, in which seat A moves first.
    pub fn of_game(name: impl Into<String>) -> Self {
        Self {
            game: name.into(),
            clock: None,
            first: Seat::A,
        }
    }
}

impl TimeControl {
    /// The least time at the beginning, a second.
    pub const MIN_INITIAL_MS: u64 = 1_000;
    /// The most time at the beginning, thirty days.
    pub const MAX_INITIAL_MS: u64 = 30 * 24 * 3_600_000;
    /// The most time added after a move, a day.
    pub const MAX_INCREMENT_MS: u64 = 24 * 3_600_000;

    /// Whether the times are within bounds.
    pub const fn is_valid(&self) -> bool {
        self.initial_ms >= Self::MIN_INITIAL_MS
            && self.initial_ms <= Self::MAX_INITIAL_MS
            && self.increment_ms <= Self::MAX_INCREMENT_MS
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(error) => error.fmt(f),
            Self::Clock => f.write_str(
                "a clock has 1 second to 30 days at first, and at most a day is added for a move",
            ),
        }
    }
}

impl Error for SettingsError {}
