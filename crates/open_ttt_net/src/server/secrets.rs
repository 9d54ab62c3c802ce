use core::fmt;
use core::str::FromStr;

use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::matches::Seat;
use crate::protocol::{PlayerId, PlayerKey, Token};
use crate::text_form::{from_hex, text_form, to_hex};
use crate::{ClientId, MatchId};

/// The SHA-256 of a token, as the log stores it. A token has 128 random bits,
/// so its hash needs no salt.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
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

text_form!(TokenHash, |hash| &to_hex(&hash.0));

impl FromStr for TokenHash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let hash = from_hex(text).map(Self);
        hash.ok_or("a token hash has 64 hexadecimal digits")
    }
}

/// What identifies the holder of a seat.
#[derive(Clone, Debug, Default)]
pub(super) struct Credentials {
    pub(super) token_hash: Option<TokenHash>,
    pub(super) player: Option<PlayerId>,
}

impl Credentials {
    pub(super) fn of(token: Option<&Token>, key: Option<&PlayerKey>) -> Self {
        Self {
            token_hash: token.map(TokenHash::of),
            player: key.map(PlayerId::of),
        }
    }

    /// Whether a client with these credentials holds the seat of `holder`. Its token
    /// decides if it has one.
    pub(super) fn are_of(&self, holder: &Self) -> bool {
        match (&self.token_hash, &holder.token_hash) {
            (Some(own), Some(expected)) => own.matches(expected),
            (Some(_), None) => false,
            (None, _) => self.player.is_some() && self.player == holder.player,
        }
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

pub(super) fn random_seat() -> Result<Seat, getrandom::Error> {
    random().map(|[byte]| Seat::ALL[usize::from(byte & 1)])
}
