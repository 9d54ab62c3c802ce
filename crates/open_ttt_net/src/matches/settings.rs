use open_ttt_lib::rules::SpecError;
use open_ttt_lib::state_machine::{GameMove, RestoreError};
use serde::{Deserialize, Serialize};

use super::Seat;

/// The settings of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The game's name in the catalog: `pegs(lines=38)`.
    pub game: String,
    /// The time control; `None` for unlimited time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The seat that moves first in the first game; the seats alternate after that.
    #[serde(default)]
    pub first: Seat,
    /// Whether the games change the players' ratings. Then no move is taken back, and
    /// no computer of the catalog plays.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub rated: bool,
    /// The moves that lead from the start of the game to the position in which each
    /// game of the match begins, at most [`MAX_GIVEN`](Self::MAX_GIVEN). Nobody has
    /// played them: they cost no time and are not taken back.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::protocol::MoveText>"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<GameMove>,
}

/// The time each side has for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// The initial time, in milliseconds.
    pub initial_ms: u64,
    /// The increment after each move, in milliseconds.
    #[serde(default)]
    pub increment_ms: u64,
}

/// Why settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no such game.
    #[error(transparent)]
    Game(SpecError),
    /// The time control is out of bounds.
    #[error("the clock must start at 1 second to 30 days and add at most 1 day per move")]
    Clock,
    /// There are more than [`Settings::MAX_GIVEN`] moves before the match.
    #[error("a match can't begin after more than {max} moves", max = Settings::MAX_GIVEN)]
    TooManyMoves,
    /// A move before the match is illegal.
    #[error("the match can't begin there: {0}")]
    Moves(RestoreError),
    /// The game is over where the match begins.
    #[error("the match can't begin there: the game is over")]
    Over,
    /// A rated match begins in another position than the start of the game.
    #[error("a rated match begins at the start of the game")]
    Rated,
}

impl Settings {
    /// The most moves that can lead to the position in which a match begins.
    pub const MAX_GIVEN: usize = 500;

    /// A game without clocks and ratings, in which seat A moves first.
    pub fn of_game(name: impl Into<String>) -> Self {
        Self {
            game: name.into(),
            clock: None,
            first: Seat::A,
            rated: false,
            moves: Vec::new(),
        }
    }
}

impl TimeControl {
    /// The shortest initial time, one second.
    pub const MIN_INITIAL_MS: u64 = 1_000;
    /// The longest initial time, thirty days.
    pub const MAX_INITIAL_MS: u64 = 30 * 24 * 3_600_000;
    /// The longest increment, one day.
    pub const MAX_INCREMENT_MS: u64 = 24 * 3_600_000;

    /// Whether the times are within bounds.
    pub const fn is_valid(&self) -> bool {
        self.initial_ms >= Self::MIN_INITIAL_MS
            && self.initial_ms <= Self::MAX_INITIAL_MS
            && self.increment_ms <= Self::MAX_INCREMENT_MS
    }
}
