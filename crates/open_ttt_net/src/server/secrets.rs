use core::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::protocol::Token;
use crate::{ClientId, MatchId};

/// What a token has to fit: its SHA-256, as it is kept in the log. A token has
/// 128 random bits, so its sum needs no salt.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(super) fn of(token: &Token) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Whether both are of the same token, in a time that does not depend on
    /// where they differ.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(..)")
    }
}

impl From<TokenHash> for String {
    fn from(key: TokenHash) -> Self {
        use core::fmt::Write;
        key.0.iter().fold(Self::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl TryFrom<String> for TokenHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let wrong = "a key is 64 hexadecimal digits";
        if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(wrong);
        }
        let mut key = [0; 32];
        for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = core::str::from_utf8(digits).map_err(|_| wrong)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong)?;
        }
        Ok(Self(key))
    }
}

/// Random bytes from the operating system.
///
/// # Errors
///
/// If it has none to give, which no server can go on without.
fn random<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// A token that nobody can guess.
pub(super) fn new_token() -> Result<Token, getrandom::Error> {
    random().map(Token::from_bytes)
}

/// A name for a match that nobody can guess: 12 of 36 characters, 62 bits.
pub(super) fn new_match_id() -> Result<MatchId, getrandom::Error> {
    let text = random_text()?;
    text.parse().map_err(|_| getrandom::Error::UNEXPECTED)
}

/// A name for this server among the authors of transitions.
pub(super) fn new_client_id() -> Result<ClientId, getrandom::Error> {
    let text = format!("server-{}", random_text()?);
    text.parse().map_err(|_| getrandom::Error::UNEXPECTED)
}

fn random_text() -> Result<String, getrandom::Error> {
    const CHARACTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut number = u128::from_le_bytes(random()?);
    Ok((0..12)
        .map(|_| {
            let character = CHARACTERS[(number % 36) as usize];
            number /= 36;
            char::from(character)
        })
        .collect())
}

/// One of two, by lot.
pub(super) fn toss() -> Result<bool, getrandom::Error> {
    random::<1>().map(|[byte]| byte & 1 == 1)
}
