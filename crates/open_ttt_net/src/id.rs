use core::fmt;
use core::str::FromStr;

use serde::Deserialize;

use crate::text_form::text_form;

/// Maximum length of an identifier, in bytes.
const MAX_LENGTH: usize = 32;

/// The text is not an identifier: 1 to 32 characters out of `a` to `z`,
/// `A` to `Z`, `0` to `9`, `_` and `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an identifier has 1 to {MAX_LENGTH} letters, digits, underscores or hyphens")]
#[non_exhaustive]
pub struct ParseIdError;

/// Defines an identifier type that holds only valid text.
macro_rules! identifier {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                if is_valid(text) { Ok(Self(text.to_owned())) } else { Err(ParseIdError) }
            }
        }

        text_form!($name, |id| id.as_str());

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

identifier! {
    /// The identifier of a match, as it appears in its link.
    ///
    /// ```
    /// use open_ttt_net::MatchId;
    ///
    /// let id: MatchId = "k3h9zq4m2x7d".parse()?;
    /// assert_eq!(id.as_str(), "k3h9zq4m2x7d");
    /// assert!("../etc".parse::<MatchId>().is_err());
    /// # Ok::<(), open_ttt_net::ParseIdError>(())
    /// ```
    MatchId
}

identifier! {
    /// The identifier that a client chooses for itself: unique, and the same
    /// over all its connections to a match.
    ///
    /// It is not a secret and proves nothing. It tells a client's own
    /// transitions from those of others.
    ClientId
}

impl MatchId {
    /// Whether this is the id of a log that a server keeps for itself, not of a match:
    /// it begins with `_`. No new match gets such an id.
    pub fn is_reserved(&self) -> bool {
        self.0.starts_with('_')
    }
}

fn is_valid(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(allowed)
}
