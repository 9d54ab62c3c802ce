use std::io;

use crate::text_form::to_hex;

/// A 64-bit FNV-1a hash (Fowler, Noll and Vo, 1991). It shows damage and mistakes, not
/// forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fnv1a(pub(crate) u64);

impl Fnv1a {
    /// The hash of nothing.
    pub(crate) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// The hash of what this one covers, and these bytes.
    pub(crate) fn extended(self, bytes: &[u8]) -> Self {
        let step =
            |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(bytes.iter().fold(self.0, step))
    }

    /// The hash as sixteen lower-case hexadecimal digits.
    pub(crate) fn hex(self) -> String {
        to_hex(&self.0.to_be_bytes())
    }
}

/// Hashes what is written.
impl io::Write for Fnv1a {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self = self.extended(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published test vectors: <http://www.isthe.com/chongo/src/fnv/test_fnv.c>.
    #[test]
    fn published_hashes() {
        let check = |text: &str, hash| {
            assert_eq!(
                Fnv1a::EMPTY.extended(text.as_bytes()),
                Fnv1a(hash),
                "{text}"
            );
        };
        check("", 0xcbf2_9ce4_8422_2325);
        check("a", 0xaf63_dc4c_8601_ec8c);
        check("foobar", 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_hash_has_sixteen_digits() {
        let check = |hash, digits| assert_eq!(Fnv1a(hash).hex(), digits);
        check(0x8594_4171_f739_67e8, "85944171f73967e8");
        check(0xa, "000000000000000a");
    }
}
