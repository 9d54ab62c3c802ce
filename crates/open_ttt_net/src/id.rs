use core::error::Error;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name, in bytes.
const MAX_LENGTH: usize = 32;

/// The name of a match, as it stands in its link.
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

/// The name that a client gives itself, different from all others, and keeps
/// while it goes on, over however many connections.
///
/// It is no secret and proves nothing: it only tells one's own transitions
/// from those of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClientId(String);

/// A text is no name: 1 to 32 characters of `a` to `z`, `A` to `Z`, `0` to `9`,
/// `_` and `-` are.
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

impl MatchId {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ClientId {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MatchId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        check(text).map(|()| Self(text.to_owned()))
    }
}

impl FromStr for ClientId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        check(text).map(|()| Self(text.to_owned()))
    }
}

impl TryFrom<String> for MatchId {
    type Error = ParseIdError;

    fn try_from(text: String) -> Result<Self, ParseIdError> {
        check(&text).map(|()| Self(text))
    }
}

impl TryFrom<String> for ClientId {
    type Error = ParseIdError;

    fn try_from(text: String) -> Result<Self, ParseIdError> {
        check(&text).map(|()| Self(text))
    }
}

impl From<MatchId> for String {
    fn from(id: MatchId) -> Self {
        id.0
    }
}

impl From<ClientId> for String {
    fn from(id: ClientId) -> Self {
        id.0
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a name is 1 to {MAX_LENGTH} letters, digits, underscores and hyphens"
        )
    }
}

impl Error for ParseIdError {}
