use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Token;
use crate::text_form::{from_hex, text_form, to_hex};

/// The secret by which a server knows a player again: 128 random bits, which the
/// player's own device makes and keeps. A server never stores it.
///
/// Its JSON form is that of a [`Token`]. `FromStr` reads a [code](Self::code) as people
/// type it: in either case, with spaces and hyphens anywhere.
///
/// ```
/// use open_ttt_net::protocol::PlayerKey;
///
/// let key: PlayerKey = "00112233-44556677 8899AABB-CCDDEEFF".parse()?;
/// assert_eq!(key.code(), "0011 2233 4455 6677 8899 aabb ccdd eeff");
/// # Ok::<(), open_ttt_net::protocol::ParsePlayerKeyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerKey(pub Token);

/// The text is not the code of a player's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a player code has 32 digits from 0 to 9 and a to f")]
#[non_exhaustive]
pub struct ParsePlayerKeyError;

impl PlayerKey {
    /// A new key, from the operating system's random numbers.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    #[cfg(any(feature = "client", feature = "server"))]
    pub fn random() -> std::io::Result<Self> {
        Token::random().map(Self)
    }

    /// The key as a code to write down or read aloud: its 32 digits in groups of four.
    pub fn code(&self) -> String {
        let digits = self.0.reveal();
        let groups = digits.as_bytes().chunks(4).map(String::from_utf8_lossy);
        groups.collect::<Vec<_>>().join(" ")
    }
}

impl FromStr for PlayerKey {
    type Err = ParsePlayerKeyError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerKeyError> {
        let digits = text.chars().filter(|&c| c != '-' && !c.is_whitespace());
        let digits: String = digits.collect();
        let token = digits.to_ascii_lowercase().parse();
        token.map(Self).map_err(|_| ParsePlayerKeyError)
    }
}

/// The public name of a [`PlayerKey`]'s holder: 120 bits of the key's hash, as 30
/// lower-case hexadecimal digits. It does not reveal the key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct PlayerId([u8; PlayerId::BYTES]);

text_form!(PlayerId, |id| &to_hex(&id.0));

/// The text is not the id of a player, which is 30 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a player's id is 30 lower-case hexadecimal digits")]
#[non_exhaustive]
pub struct ParsePlayerIdError;

impl PlayerId {
    /// The length of an id, in bytes.
    pub const BYTES: usize = 15;

    /// The id of a key's holder: the first bytes of the SHA-256 of `open_ttt player`
    /// and the key's bytes.
    ///
    /// ```
    /// use open_ttt_net::protocol::{PlayerId, PlayerKey, Token};
    ///
    /// let key = PlayerKey(Token::from_bytes([0; 16]));
    /// // printf 'open_ttt player' | cat - <(head -c 16 /dev/zero) | sha256sum
    /// assert_eq!(PlayerId::of(&key).to_string(), "03002b59896a30ef002e620d914620");
    /// ```
    #[cfg(any(feature = "client", feature = "server"))]
    pub fn of(PlayerKey(key): &PlayerKey) -> Self {
        use sha2::{Digest, Sha256};

        let hash = Sha256::new()
            .chain_update(b"open_ttt player")
            .chain_update(key.as_bytes())
            .finalize();
        Self(core::array::from_fn(|index| hash[index]))
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl fmt::Debug for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlayerId({self})")
    }
}

impl FromStr for PlayerId {
    type Err = ParsePlayerIdError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerIdError> {
        from_hex(text).map(Self).ok_or(ParsePlayerIdError)
    }
}
