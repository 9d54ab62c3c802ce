use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::fnv::Fnv1a;
use crate::text_form::{from_hex, text_form};

/// A hash of a state, for comparing two copies: 64-bit FNV-1a (Fowler, Noll, Vo,
/// 1991) of the state's JSON.
///
/// It detects mistakes, not tampering. Its text form is sixteen hexadecimal
/// digits.
///
/// ```
/// use open_ttt_net::replication::Digest;
///
/// assert_eq!(Digest::of(&"a").to_string(), "d4272417d7c77eea");
/// assert_ne!(Digest::of(&"a"), Digest::of(&"b"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Digest(pub(crate) Fnv1a);

text_form!(Digest, |digest| &digest.0.hex());

/// The text is not a digest, which is sixteen lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is sixteen lower-case hexadecimal digits")]
#[non_exhaustive]
pub struct ParseDigestError;

impl Digest {
    /// The digest of a value. If serialization fails midway, the digest covers
    /// the JSON written up to that point.
    pub fn of(value: &impl Serialize) -> Self {
        let mut hash = Fnv1a::EMPTY;
        // A value without a JSON form fails in the same way on every copy.
        let _ = serde_json::to_writer(&mut hash, value);
        Self(hash)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        let bytes = from_hex(text).ok_or(ParseDigestError)?;
        Ok(Self(Fnv1a(u64::from_be_bytes(bytes))))
    }
}
