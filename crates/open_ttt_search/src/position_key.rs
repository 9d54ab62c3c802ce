use core::hash::{Hash, Hasher};

/// A position as a pair of 64-bit hashes, its key in a table.
///
/// The hashes use different multipliers. Keys are not unique: two given positions
/// have the same key with a probability of about 2⁻¹²⁸.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PositionKey {
    /// Selects the slot in a table.
    pub(crate) index: u64,
    /// Distinguishes positions that share a slot.
    pub(crate) check: u64,
}

impl PositionKey {
    /// The key of a position. Positions of different game types have different
    /// keys.
    pub(crate) fn of<G: Hash>(game: &G, salt: Salt) -> Self {
        let mut hasher = salt.0;
        game.hash(&mut hasher);
        Self {
            index: hasher.index,
            check: hasher.check,
        }
    }
}

/// The initial hash state of a game type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Salt(TwinHasher);

impl Salt {
    /// The same for every game.
    pub(crate) const NONE: Self = Self(TwinHasher { index: 0, check: 0 });

    /// The salt of a type, from its name. Types of the same path and name from two
    /// versions of a crate share it.
    pub(crate) fn of<G>() -> Self {
        let mut hasher = TwinHasher {
            index: 0x243F_6A88_85A3_08D3,
            check: 0x1319_8A2E_0370_7344,
        };
        core::any::type_name::<G>().hash(&mut hasher);
        Self(hasher)
    }
}

/// Computes two 64-bit hashes at once.
///
/// Each word is mixed in by a multiplication whose upper half is folded onto the
/// lower one, as in wyhash (Wang Yi, 2019). The constants are the first digits of
/// π.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TwinHasher {
    index: u64,
    check: u64,
}

fn folded_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Hasher for TwinHasher {
    fn finish(&self) -> u64 {
        self.index
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.index = folded_product(self.index ^ word, 0xA409_3822_299F_31D1);
        self.check = folded_product(
            self.check.rotate_left(23) ^ word ^ 0xA458_FEA3_F493_3D7E,
            0x082E_FA98_EC4E_6C89,
        );
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn flipping_a_bit_of_a_position_changes_half_the_bits_of_its_key() {
        let salt = Salt::of::<[u64; 3]>();
        let mut flipped = [0; 2];
        let mut changes = 0;
        for seed in 0..50_u64 {
            let words = [seed, seed << 40, !seed];
            let key = PositionKey::of(&words, salt);
            for bit in 0..192 {
                let mut other = words;
                other[bit / 64] ^= 1 << (bit % 64);
                let other = PositionKey::of(&other, salt);
                flipped[0] += (key.index ^ other.index).count_ones();
                flipped[1] += (key.check ^ other.check).count_ones();
                changes += 1;
            }
        }
        for flipped in flipped.map(|bits| f64::from(bits) / f64::from(changes)) {
            assert!((31.0..33.0).contains(&flipped), "{flipped} of 64");
        }
    }

    #[test]
    fn low_bits_of_similar_positions_are_spread_evenly() {
        let salt = Salt::of::<u64>();
        let key = |n: u64| PositionKey::of(&n, salt);
        let indices: HashSet<_> = (0..1 << 16).map(|n| key(n).index & 0xFFFF).collect();
        let checks: HashSet<_> = (0..1 << 16).map(|n| key(n).check & 0xFFFF).collect();
        // Random values would hit 1 - 1/e of 65,536: 41,427.
        assert!(indices.len() > 39_500, "{}", indices.len());
        assert!(checks.len() > 39_500, "{}", checks.len());
    }

    #[test]
    fn keys_depend_on_length_type_and_order() {
        let bytes = |bytes: &[u8]| PositionKey::of(&bytes, Salt::of::<u8>());
        assert_ne!(bytes(&[1, 2]), bytes(&[2, 1]));
        assert_ne!(bytes(&[1]), bytes(&[1, 0]));
        assert_ne!(bytes(&[0; 8]), bytes(&[0; 16]));
        let key = |salt| PositionKey::of(&7_u64, salt);
        assert_ne!(key(Salt::of::<u64>()), key(Salt::of::<i64>()));
        assert_eq!(key(Salt::of::<u64>()), key(Salt::of::<u64>()));
    }
}
