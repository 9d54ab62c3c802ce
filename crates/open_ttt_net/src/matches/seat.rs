use core::fmt;
use core::ops::Not;

use serde::{Deserialize, Serialize};

/// The longest name of a player, in characters.
pub const MAX_NAME: usize = 32;

/// One of the two places at the table, which its player keeps for the whole
/// match, whichever side that is in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// The place of whoever made the match, mostly.
    A,
    /// The other one.
    B,
}

impl Seat {
    /// Both seats.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// 0 or 1.
    pub const fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
        }
    }
}

impl Not for Seat {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "a",
            Self::B => "b",
        })
    }
}

/// Who sits on a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// What the others call them.
    pub name: String,
    /// Which computer of the catalog it is; none for a person, or a program of
    /// somebody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
}

impl Player {
    /// A person, or a program that plays like one from outside.
    pub fn person(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            computer: None,
        }
    }

    /// A computer of the catalog, called by what it is.
    pub fn computer(spec: impl Into<String>) -> Self {
        let spec = spec.into();
        Self {
            name: spec.clone(),
            computer: Some(spec),
        }
    }

    /// Whether the name can be shown: 1 to [`MAX_NAME`] characters, none of
    /// them a control character, no blank at either end.
    pub fn has_valid_name(&self) -> bool {
        let name = &self.name;
        let count = name.chars().take(MAX_NAME + 1).count();
        (1..=MAX_NAME).contains(&count)
            && name.trim() == name
            && !name.chars().any(|c| c.is_control() || is_invisible(c))
    }
}

/// Characters that would let a name pass for another or turn a line around.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
