use core::fmt;
use core::str::FromStr;

use serde::Deserialize;

use crate::text_form::{from_hex, text_form, to_hex};

/// The secret that authenticates the holder of a seat: 128 random bits, written
/// as 32 lower-case hexadecimal digits.
///
/// `Debug` does not show the digits.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Token([u8; Token::BYTES]);

text_form!(Token, |token| &token.reveal());

/// The text is not a token, which is 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token is 32 lower-case hexadecimal digits")]
#[non_exhaustive]
pub struct ParseTokenError;

impl Token {
    /// The length of a token, in bytes.
    pub const BYTES: usize = 16;

    /// A token of these bytes, which must be cryptographically random.
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// A new token, from the operating system's random numbers.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    #[cfg(any(feature = "client", feature = "server"))]
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; Self::BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Self(bytes))
    }

    /// The bytes of the token.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The digits, for a link or a message.
    pub fn reveal(&self) -> String {
        to_hex(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl FromStr for Token {
    type Err = ParseTokenError;

    fn from_str(text: &str) -> Result<Self, ParseTokenError> {
        from_hex(text).map(Self).ok_or(ParseTokenError)
    }
}
