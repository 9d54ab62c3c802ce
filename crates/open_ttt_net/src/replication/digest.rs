use core::error::Error;
use core::fmt;
use core::str::FromStr;
use std::io;

use serde::{Deserialize, Serialize};

/// A short sum of a state, by which two who hold a copy see whether theirs are
/// the same: FNV-1a (Fowler, Noll, Vo, 1991) on 64 bits of its JSON.
///
/// It guards against mistakes, not against malice. It is written as sixteen
/// hexadecimal digits.
///
/// ```
/// use open_ttt_net::replication::Digest;
///
/// assert_eq!(Digest::of(&"a").to_string(), "d4272417d7c77eea");
/// assert_ne!(Digest::of(&"a"), Digest::of(&"b"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(u64);

/// A text is no digest: sixteen lower-case hexadecimal digits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseDigestError;

impl Digest {
    /// The sum of a value. What cannot be written as JSON counts as far as it
    /// can.
    pub fn of(value: &impl Serialize) -> Self {
        let mut sum = Fnv(0xcbf2_9ce4_8422_2325);
        // Only a value that has no JSON fails here, and it does so for all.
        let _ = serde_json::to_writer(&mut sum, value);
        Self(sum.0)
    }
}

struct Fnv(u64);

impl io::Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
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
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 16 || !text.bytes().all(digit) {
            return Err(ParseDigestError);
        }
        u64::from_str_radix(text, 16)
            .map(Self)
            .map_err(|_| ParseDigestError)
    }
}

impl TryFrom<String> for Digest {
    type Error = ParseDigestError;

    fn try_from(text: String) -> Result<Self, ParseDigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for ParseDigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest is sixteen lower-case hexadecimal digits")
    }
}

impl Error for ParseDigestError {}
