use core::error::Error;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest id, in bytes.
const MAX_LENGTH: usize = 32;

/// The id of a match, as it appears in its link.
///
/// ```
/// use open_ttt_net::MatchId;
///
/// let id: MatchId = "k3h9zq4m2x7d".parse()?;
/// assert_eq!(id.as_str(), "k3h9zq4m2x7d");
/// assert!("../etc".parse::<MatchId>().is_err());
/// # Ok::<(), open_ttt_net::ParseIdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MatchId(String);

/// The id of a client: unique, chosen by the client at random, and kept across its
/// connections.
///
/// It is neither secret nor a credential: it only marks which transitions are the
/// client's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClientId(String);

/// The text is not an id, which is 1 to 32 of the characters `a` to `z`, `A` to
/// `Z`, `0` to `9`, `_` and `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseIdError;

fn check(text: &str) -> Result<(), ParseIdError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(allowed) {
        Ok(())
    } else {
        Err(ParseIdError)
    }
}

/// The conversions of an id from and to text.
macro_rules! text_conversions {
    ($id:ident) => {
        impl $id {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $id {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                check(text).map(|()| Self(text.to_owned()))
            }
        }

        impl TryFrom<String> for $id {
            type Error = ParseIdError;

            fn try_from(text: String) -> Result<Self, ParseIdError> {
                check(&text).map(|()| Self(text))
            }
        }

        impl From<$id> for String {
            fn from(id: $id) -> Self {
                id.0
            }
        }

        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_conversions!(MatchId);
text_conversions!(ClientId);

impl fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an id is 1 to {MAX_LENGTH} letters, digits, underscores and hyphens"
        )
    }
}

impl Error for ParseIdError {}
