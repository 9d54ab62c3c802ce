use core::fmt;
use core::ops::Not;

use serde::{Deserialize, Serialize};

/// The longest player name, in characters.
pub const MAX_NAME: usize = 32;

/// One of the two seats of a match. A player keeps the seat for the whole match,
/// while the sides change from game to game.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// The first seat, usually the creator's.
    #[default]
    A,
    /// The second seat.
    B,
}

impl Seat {
    /// Both seats.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// The index of the seat, 0 or 1.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Seat {
    type Output = Self;

    fn not(self) -> Self {
        Self::ALL[1 - self.index()]
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

/// The player in a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The displayed name.
    pub name: String,
    /// The catalog's spec of a computer player that runs on the server; `None` for
    /// a person or an external program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
}

impl Player {
    /// A person, or an external program.
    pub fn person(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            computer: None,
        }
    }

    /// A computer player of the catalog, named by its spec.
    pub fn computer(spec: impl Into<String>) -> Self {
        let spec = spec.into();
        Self {
            name: spec.clone(),
            computer: Some(spec),
        }
    }

    /// Whether the name has 1 to [`MAX_NAME`] characters, none of them a control or
    /// invisible character, and no white space at either end.
    pub fn has_valid_name(&self) -> bool {
        let name = &self.name;
        let count = name.chars().take(MAX_NAME + 1).count();
        (1..=MAX_NAME).contains(&count)
            && name.trim() == name
            && !name.chars().any(|c| c.is_control() || is_invisible(c))
    }
}

/// Characters that would make names look alike or reverse the text direction.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
