use core::error::Error;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// The secret that authenticates the holder of a seat: 128 random bits, written
/// as 32 lower-case hexadecimal digits.
///
/// `Debug` does not show the digits.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Token([u8; Token::BYTES]);

/// The text is not a token, which is 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseTokenError;

impl Token {
    /// The length of a token, in bytes.
    pub const BYTES: usize = 16;

    /// A token of these bytes, which must be cryptographically random.
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes of the token.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The digits, for a link or a message.
    pub fn reveal(&self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
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
        if text.len() != 2 * Self::BYTES {
            return Err(ParseTokenError);
        }
        let mut bytes = [0; Self::BYTES];
        for (byte, [high, low]) in bytes.iter_mut().zip(text.as_bytes().as_chunks().0) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

const fn digit(byte: u8) -> Result<u8, ParseTokenError> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        _ => Err(ParseTokenError),
    }
}

impl TryFrom<String> for Token {
    type Error = ParseTokenError;

    fn try_from(text: String) -> Result<Self, ParseTokenError> {
        text.parse()
    }
}

impl From<Token> for String {
    fn from(token: Token) -> Self {
        token.reveal()
    }
}

impl fmt::Display for ParseTokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a token is 32 lower-case hexadecimal digits")
    }
}

impl Error for ParseTokenError {}
