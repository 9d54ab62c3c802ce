use core::fmt;

use serde::{Deserialize, Serialize};

/// The number of transitions applied to reach a state. A log entry has the number
/// of the state it leads to.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Sequence(u64);

impl Sequence {
    /// The initial state.
    pub const START: Self = Self(0);

    /// The state after this many transitions.
    pub const fn new(transitions: u64) -> Self {
        Self(transitions)
    }

    /// The number of transitions.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The next number, saturating at `u64::MAX`.
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
