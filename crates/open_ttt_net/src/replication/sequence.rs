use core::fmt;

use serde::{Deserialize, Serialize};

/// How many transitions have led to a state; the number of an entry is that of
/// the state behind it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Sequence(u64);

impl Sequence {
    /// The state that no transition has changed.
    pub const START: Self = Self(0);

    /// The state after so many transitions.
    pub const fn new(transitions: u64) -> Self {
        Self(transitions)
    }

    /// How many transitions that is.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// One transition later. Nobody counts so far that it would overflow.
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
