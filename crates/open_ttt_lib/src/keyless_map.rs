//! A map from keys to small numbers in a fraction of the space of its keys, for opening
//! books.

use alloc::vec;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::random::Rng;

/// A map that has the number of each key it was built from, and doesn't know which keys
/// those are: for any other key it has an arbitrary number.
///
/// For each key it takes 1.23 times the bits of a number, and a lookup reads three of
/// them, whose sum modulo 2 is the key's number.
///
/// The construction is that of Botelho, Pagh and Ziviani ("Simple and space-efficient
/// minimal perfect hash functions", 2007), laid out like the xor filters of Graf and
/// Lemire (2020).
///
/// ```
/// use open_ttt_lib::keyless_map::KeylessMap;
///
/// let squares: Vec<(u64, u8)> = (0..8).map(|n| (n, (n * n) as u8)).collect();
/// let bytes = KeylessMap::build(6, &squares)?;
/// let map = KeylessMap::new(&bytes).expect("just built");
/// assert_eq!(map.get(7), 49);
/// # Ok::<(), open_ttt_lib::keyless_map::BuildError>(())
/// ```
///
/// ```text
/// byte 0    1 2 3 4          5 6 7 8        9 ...
///      bits slots, a third   seed           the slots, one after the other from the
///           of all                          lowest bit of each byte; a byte 0
/// ```
///
/// Numbers of several bytes are little-endian.
#[derive(Clone, Copy, Debug)]
pub struct KeylessMap<'a> {
    bits: u8,
    /// The number of slots in each third.
    third: u32,
    seed: u32,
    slots: &'a [u8],
}

const HEADER_BYTES: usize = 9;

/// The maximum number of keys.
const MAX_KEYS: usize = 1 << 24;

/// Slots for each key; with fewer than 1.222 the construction fails for large maps, with
/// any seed.
const SLOTS_FOR_HUNDRED_KEYS: usize = 123;

/// More slots, for small maps.
const EXTRA_SLOTS: usize = 32;

impl<'a> KeylessMap<'a> {
    /// The map in these bytes. `None` if they are not the result of
    /// [`build`](KeylessMap::build), as far as their length and header tell.
    pub const fn new(bytes: &'a [u8]) -> Option<Self> {
        match Self::split_first(bytes) {
            Some((map, [])) => Some(map),
            _ => None,
        }
    }

    /// The map at the beginning of these bytes, and what follows it.
    pub(crate) const fn split_first(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let Some((&[bits], rest)) = bytes.split_first_chunk() else {
            return None;
        };
        let Some((third, rest)) = rest.split_first_chunk() else {
            return None;
        };
        let Some((seed, rest)) = rest.split_first_chunk() else {
            return None;
        };
        let (third, seed) = (u32::from_le_bytes(*third), u32::from_le_bytes(*seed));
        if !matches!(bits, 1..=8) || third as usize > MAX_KEYS {
            return None;
        }
        let Some((slots, rest)) = rest.split_at_checked(slot_bytes(bits, third)) else {
            return None;
        };
        let map = Self {
            bits,
            third,
            seed,
            slots,
        };
        Some((map, rest))
    }

    /// The number of a key that the map was built from, and an arbitrary number for any
    /// other key.
    pub fn get(&self, key: u64) -> u8 {
        let slots = slots_of(key, self.seed, self.third);
        slots.into_iter().fold(0, |sum, slot| sum ^ self.slot(slot))
    }

    fn slot(&self, index: usize) -> u8 {
        let bit = index * usize::from(self.bits);
        let pair = self.slots.get(bit / 8..bit / 8 + 2);
        let pair = pair.map_or(0, |pair| u16::from_le_bytes([pair[0], pair[1]]));
        (pair >> (bit % 8)) as u8 & low_bits(self.bits)
    }
}

impl KeylessMap<'_> {
    /// The bytes of a map with these numbers of so many bits, 1 to 8, by key.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if a number has more bits, a key occurs twice, or there are more
    /// than 2²⁴ keys.
    pub fn build(bits: u8, numbers: &[(u64, u8)]) -> Result<Vec<u8>, BuildError> {
        if !(1..=8).contains(&bits) || numbers.iter().any(|&(_, n)| n > low_bits(bits)) {
            return Err(BuildError::NumberTooLarge);
        }
        if numbers.len() > MAX_KEYS {
            return Err(BuildError::TooManyKeys);
        }
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        if !numbers.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err(BuildError::RepeatedKey);
        }
        let keys: Vec<_> = numbers.iter().map(|&(key, _)| key).collect();
        let slots = numbers.len() * SLOTS_FOR_HUNDRED_KEYS / 100 + EXTRA_SLOTS;
        let third = slots.div_ceil(3) as u32;
        // A seed fails with a probability that falls with the number of keys.
        let mut seed = 0;
        let order = loop {
            if let Some(order) = peel(&keys, seed, third) {
                break order;
            }
            seed += 1;
        };
        let mut bytes = vec![bits];
        bytes.extend(third.to_le_bytes());
        bytes.extend(seed.to_le_bytes());
        bytes.resize(HEADER_BYTES + slot_bytes(bits, third), 0);
        fill(&mut bytes, &numbers, &order);
        Ok(bytes)
    }
}

/// Writes the slots of these keys, each with the slot that is its own. The numbers are in
/// the order of their keys.
fn fill(bytes: &mut [u8], numbers: &[(u64, u8)], order: &[(u64, usize)]) {
    for &(key, own) in order.iter().rev() {
        let Some(map) = KeylessMap::new(bytes) else {
            return;
        };
        // The own slot is still 0.
        let rest = map.get(key);
        let index = numbers.binary_search_by_key(&key, |&(key, _)| key);
        let number = index.map_or(0, |index| numbers[index].1 ^ rest);
        let bit = own * usize::from(map.bits);
        let at = HEADER_BYTES + bit / 8;
        let [low, high] = (u16::from(number) << (bit % 8)).to_le_bytes();
        bytes[at] |= low;
        bytes[at + 1] |= high;
    }
}

/// An order of the keys in which each has a slot that no later key has, with those slots.
/// `None` if there is no such order with this seed.
fn peel(keys: &[u64], seed: u32, third: u32) -> Option<Vec<(u64, usize)>> {
    // For each slot the number of keys that have it, and their sum modulo 2: of a single
    // key, that key.
    let mut slots = vec![(0_u32, 0_u64); 3 * third as usize];
    for &key in keys {
        for slot in slots_of(key, seed, third) {
            slots[slot].0 += 1;
            slots[slot].1 ^= key;
        }
    }
    let mut single: Vec<_> = (0..slots.len()).filter(|&at| slots[at].0 == 1).collect();
    let mut order = Vec::with_capacity(keys.len());
    while let Some(own) = single.pop() {
        let (1, key) = slots[own] else {
            continue;
        };
        order.push((key, own));
        for slot in slots_of(key, seed, third) {
            slots[slot].0 -= 1;
            slots[slot].1 ^= key;
            if slots[slot].0 == 1 {
                single.push(slot);
            }
        }
    }
    (order.len() == keys.len()).then_some(order)
}

/// The slots of a key, one in each third.
fn slots_of(key: u64, seed: u32, third: u32) -> [usize; 3] {
    let hash = Rng::new(key ^ Rng::new(seed.into()).next_u64()).next_u64();
    [0, 21, 42].map(|turn| {
        let bits = u64::from(hash.rotate_left(turn) as u32);
        let within = (bits * u64::from(third)) >> 32;
        (u64::from(turn) / 21 * u64::from(third) + within) as usize
    })
}

/// The bytes of all slots, and one more, so that each slot lies in two bytes.
const fn slot_bytes(bits: u8, third: u32) -> usize {
    (3 * third as usize * bits as usize).div_ceil(8) + 1
}

const fn low_bits(count: u8) -> u8 {
    u8::MAX >> (8 - count)
}

/// Why a [`KeylessMap`] can't be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// A number has more bits than there are for it, or these are not 1 to 8.
    NumberTooLarge,
    /// A key occurs twice.
    RepeatedKey,
    /// There are more than 2²⁴ keys.
    TooManyKeys,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NumberTooLarge => "a number has too many bits",
            Self::RepeatedKey => "a key occurs twice",
            Self::TooManyKeys => "there are more than 2^24 keys",
        })
    }
}

impl Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_numbers(seed: u64, count: usize, bits: u8) -> Vec<(u64, u8)> {
        let mut rng = Rng::new(seed);
        let random = |_| (rng.next_u64(), rng.next_u64() as u8 & low_bits(bits));
        (0..count).map(random).collect()
    }

    #[test]
    fn every_key_has_its_number() {
        for bits in 1..=8 {
            for count in [0, 1, 2, 3, 10, 100, 1_000, 20_000] {
                let numbers = random_numbers(u64::from(bits), count, bits);
                let bytes = KeylessMap::build(bits, &numbers).expect("different keys");
                let map = KeylessMap::new(&bytes).expect("a map");
                for &(key, number) in &numbers {
                    assert_eq!(map.get(key), number, "{count} keys, {bits} bits");
                }
            }
        }
    }

    #[test]
    fn neighbouring_keys_are_as_good_as_random_ones() {
        let numbers: Vec<_> = (0..50_000).map(|key| (key, (key % 61) as u8)).collect();
        let bytes = KeylessMap::build(6, &numbers).expect("different keys");
        let map = KeylessMap::new(&bytes).expect("a map");
        assert!(numbers.iter().all(|&(key, number)| map.get(key) == number));
        // 1.23 times 6 bits for each.
        assert!(bytes.len() < 46_200, "{}", bytes.len());
    }

    #[test]
    fn wrong_numbers_and_keys_are_refused() {
        let build = KeylessMap::build;
        assert_eq!(build(6, &[(1, 64)]), Err(BuildError::NumberTooLarge));
        assert_eq!(build(0, &[]), Err(BuildError::NumberTooLarge));
        assert_eq!(build(9, &[(1, 1)]), Err(BuildError::NumberTooLarge));
        assert_eq!(
            build(6, &[(1, 2), (7, 3), (1, 2)]),
            Err(BuildError::RepeatedKey)
        );
    }

    #[test]
    fn other_bytes_are_refused_or_have_arbitrary_numbers() {
        let numbers = random_numbers(5, 100, 6);
        let bytes = KeylessMap::build(6, &numbers).expect("different keys");
        assert!(KeylessMap::new(&bytes[..bytes.len() - 1]).is_none());
        assert!(KeylessMap::new(&[]).is_none());
        let mut rng = Rng::new(3);
        for _ in 0..2_000 {
            let mut bytes = bytes.clone();
            bytes[rng.below(HEADER_BYTES)] = rng.next_u64() as u8;
            if let Some(map) = KeylessMap::new(&bytes) {
                assert!(numbers.iter().all(|&(key, _)| map.get(key) < 64));
            }
        }
    }
}
