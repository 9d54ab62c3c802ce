use core::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::protocol::Token;
use crate::{ClientId, MatchId};

/// The SHA-256 of a token, as the log stores it. A token has 128 random bits,
/// so its hash needs no salt.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(super) fn of(token: &Token) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Compares in constant time.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(..)")
    }
}

impl From<TokenHash> for String {
    fn from(hash: TokenHash) -> Self {
        use core::fmt::Write;
        hash.0.iter().fold(Self::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl TryFrom<String> for TokenHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let invalid = "a token hash has 64 hexadecimal digits";
        if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(invalid);
        }
        let mut hash = [0; 32];
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = core::str::from_utf8(digits).map_err(|_| invalid)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| invalid)?;
        }
        Ok(Self(hash))
    }
}

/// Random bytes from the operating system.
fn random<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn new_token() -> Result<Token, getrandom::Error> {
    random().map(Token::from_bytes)
}

/// An unguessable match id: 12 base-36 digits, 62 bits.
pub(super) fn new_match_id() -> Result<MatchId, getrandom::Error> {
    let text = random_text()?;
    text.parse().map_err(|_| getrandom::Error::UNEXPECTED)
}

/// The id under which this server proposes transitions.
pub(super) fn new_client_id() -> Result<ClientId, getrandom::Error> {
    let text = format!("server-{}", random_text()?);
    text.parse().map_err(|_| getrandom::Error::UNEXPECTED)
}

fn random_text() -> Result<String, getrandom::Error> {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut number = u128::from_le_bytes(random()?);
    let mut next_digit = || {
        let digit = DIGITS[(number % 36) as usize];
        number /= 36;
        char::from(digit)
    };
    Ok((0..12).map(|_| next_digit()).collect())
}

pub(super) fn random_bool() -> Result<bool, getrandom::Error> {
    random::<1>().map(|[byte]| byte & 1 == 1)
}
