//! A [`KeylessMap`] of numbers some of which are much more frequent than others.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::keyless_map::{BuildError, KeylessMap};

/// A map that has the number of each key it was built from, and doesn't know which keys
/// those are, like [`KeylessMap`]; frequent numbers take fewer bits than rare ones.
///
/// Each number has a code of bits (Huffman, 1952), and the first bits of all codes are a
/// [`KeylessMap`], as are the second ones of those codes that have so many, and so on. A key
/// takes 1.23 times the bits of its code.
///
/// ```
/// use open_ttt_lib::coded_map::CodedMap;
///
/// // Every tenth is an 8, and one is a 3.
/// let number = |key| if key == 50 { 3 } else if key % 10 == 0 { 8 } else { 0 };
/// let numbers: Vec<(u64, u8)> = (0..1_000).map(|key| (key, number(key))).collect();
/// let bytes = CodedMap::build(&numbers)?;
/// let map = CodedMap::new(&bytes).expect("just built");
/// assert_eq!((map.get(50), map.get(60), map.get(61)), (3, 8, 0));
/// // A `KeylessMap` needs 4 bits for each.
/// assert!(bytes.len() < 220);
/// # Ok::<(), open_ttt_lib::keyless_map::BuildError>(())
/// ```
///
/// ```text
/// byte 0        1 ... 16              17 ...            ...
///      numbers  how many of them      the numbers, the  a KeylessMap of 1 bit for
///               have a code of 1 to   shortest code     each bit of the longest
///               16 bits               first             code, from the first bit on
/// ```
///
/// Codes of one length follow each other in the order of their numbers, and each length
/// begins where the one before ends (a canonical code).
#[derive(Clone, Copy, Debug)]
pub struct CodedMap<'a> {
    /// How many numbers have a code of so many bits, from 1 on.
    counts: &'a [u8; MAX_BITS],
    /// The numbers in the order of their codes.
    numbers: &'a [u8],
    /// The bits of the codes.
    bits: [Option<KeylessMap<'a>>; MAX_BITS],
}

/// The most bits of a code.
const MAX_BITS: usize = 16;

impl<'a> CodedMap<'a> {
    /// The map in these bytes. `None` if they are not the result of
    /// [`build`](CodedMap::build), as far as their length and headers tell.
    pub const fn new(bytes: &'a [u8]) -> Option<Self> {
        let Some((&[count], rest)) = bytes.split_first_chunk() else {
            return None;
        };
        let Some((counts, rest)) = rest.split_first_chunk::<MAX_BITS>() else {
            return None;
        };
        let Some((numbers, mut rest)) = rest.split_at_checked(count as usize) else {
            return None;
        };
        // As many codes as numbers, of which none is the beginning of another.
        let mut longest = 0;
        let mut codes = 0;
        let mut free = 1_usize;
        let mut bit = 0;
        while bit < MAX_BITS {
            let here = counts[bit] as usize;
            free *= 2;
            if here > free {
                return None;
            }
            free -= here;
            codes += here;
            if here > 0 {
                longest = bit + 1;
            }
            bit += 1;
        }
        // A single number needs no code.
        if codes != count as usize && !(codes == 0 && count == 1) {
            return None;
        }
        let mut bits = [None; MAX_BITS];
        let mut bit = 0;
        while bit < longest {
            let Some((map, after)) = KeylessMap::split_first(rest) else {
                return None;
            };
            bits[bit] = Some(map);
            rest = after;
            bit += 1;
        }
        if !rest.is_empty() {
            return None;
        }
        Some(Self {
            counts,
            numbers,
            bits,
        })
    }

    /// The number of a key that the map was built from, and an arbitrary number for any
    /// other key.
    pub fn get(&self, key: u64) -> u8 {
        // The code so far, the first code of its length, and the number of that one.
        let (mut code, mut first, mut index) = (0, 0, 0);
        for (&count, map) in self.counts.iter().zip(&self.bits) {
            let Some(map) = map else {
                break;
            };
            code = 2 * code + usize::from(map.get(key));
            let count = usize::from(count);
            if code - first < count {
                index += code - first;
                break;
            }
            index += count;
            first = 2 * (first + count);
        }
        self.numbers.get(index).copied().unwrap_or(0)
    }
}

impl CodedMap<'_> {
    /// The bytes of a map with these numbers by key.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if a key occurs twice, or there are more than 2²⁴ keys or 255 different
    /// numbers.
    pub fn build(numbers: &[(u64, u8)]) -> Result<Vec<u8>, BuildError> {
        let mut frequencies = BTreeMap::<u8, usize>::new();
        for &(_, number) in numbers {
            *frequencies.entry(number).or_default() += 1;
        }
        if frequencies.len() > usize::from(u8::MAX) {
            return Err(BuildError::NumberTooLarge);
        }
        let mut lengths = code_lengths(&frequencies);
        lengths.sort_unstable_by_key(|&(number, length)| (length, number));
        let mut bytes = Vec::from([lengths.len() as u8]);
        bytes.extend((1..=MAX_BITS).map(|bits| {
            let of_length = lengths.iter().filter(|&&(_, length)| length == bits);
            of_length.count() as u8
        }));
        bytes.extend(lengths.iter().map(|&(number, _)| number));
        let codes = canonical_codes(&lengths);
        let longest = lengths.last().map_or(0, |&(_, length)| length);
        for bit in 0..longest {
            let bits: Vec<(u64, u8)> = numbers
                .iter()
                .filter_map(|&(key, number)| {
                    let (code, length) = codes[&number];
                    let shift = length.checked_sub(bit + 1)?;
                    Some((key, (code >> shift) as u8 & 1))
                })
                .collect();
            bytes.extend(KeylessMap::build(1, &bits)?);
        }
        Ok(bytes)
    }
}

/// The number of bits of each number's code, by Huffman's algorithm; none has more than
/// [`MAX_BITS`].
fn code_lengths(frequencies: &BTreeMap<u8, usize>) -> Vec<(u8, usize)> {
    let mut weights: Vec<usize> = frequencies.values().copied().collect();
    loop {
        let lengths = huffman(&weights);
        if lengths.iter().all(|&length| length <= MAX_BITS) {
            return frequencies.keys().copied().zip(lengths).collect();
        }
        // Weights that differ less have codes that differ less.
        for weight in &mut weights {
            *weight = weight.div_ceil(2);
        }
    }
}

/// The lengths of the best codes for these weights.
fn huffman(weights: &[usize]) -> Vec<usize> {
    let mut lengths = alloc::vec![0; weights.len()];
    // Trees with their weights, each as the numbers of its leaves.
    let leaf = |(number, &weight)| (weight, Vec::from([number]));
    let mut trees: Vec<(usize, Vec<usize>)> = weights.iter().enumerate().map(leaf).collect();
    while trees.len() > 1 {
        // The two lightest, which are the last.
        trees.sort_unstable_by(|a, b| b.cmp(a));
        let joined = trees.split_off(trees.len() - 2);
        let weight = joined.iter().map(|(weight, _)| weight).sum();
        let leaves: Vec<usize> = joined.into_iter().flat_map(|(_, leaves)| leaves).collect();
        for &leaf in &leaves {
            lengths[leaf] += 1;
        }
        trees.push((weight, leaves));
    }
    lengths
}

/// The canonical code of each number and its length, from lengths in ascending order.
fn canonical_codes(lengths: &[(u8, usize)]) -> BTreeMap<u8, (usize, usize)> {
    let mut codes = BTreeMap::new();
    let (mut next, mut bits) = (0, 0);
    for &(number, length) in lengths {
        next <<= length - bits;
        bits = length;
        codes.insert(number, (next, length));
        next += 1;
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    /// Numbers each of which is half as frequent as the one before.
    fn uneven_numbers(seed: u64, count: usize) -> Vec<(u64, u8)> {
        let mut rng = Rng::new(seed);
        let random = |_| (rng.next_u64(), 7 * rng.next_u64().trailing_zeros() as u8);
        (0..count).map(random).collect()
    }

    #[test]
    fn every_key_has_its_number() {
        for count in [0, 1, 2, 3, 10, 1_000, 200_000] {
            let numbers = uneven_numbers(count as u64, count);
            let bytes = CodedMap::build(&numbers).expect("different keys");
            let map = CodedMap::new(&bytes).expect("a map");
            for &(key, number) in &numbers {
                assert_eq!(map.get(key), number, "{count} keys");
            }
        }
    }

    #[test]
    fn even_and_single_numbers_are_found() {
        for different in [1, 2, 3, 5, 64, 255] {
            let numbers: Vec<_> = (0..2_000)
                .map(|key| (key, (key % different) as u8))
                .collect();
            let bytes = CodedMap::build(&numbers).expect("different keys");
            let map = CodedMap::new(&bytes).expect("a map");
            assert!(numbers.iter().all(|&(key, number)| map.get(key) == number));
        }
    }

    #[test]
    fn a_map_takes_as_many_bits_as_its_numbers_have_entropy() {
        // Two bits each: 1/2 + 2/4 + 3/8 + ...
        let numbers = uneven_numbers(1, 100_000);
        let bytes = CodedMap::build(&numbers).expect("different keys");
        let bound = 100_000 * 2 * 124 / 100 / 8;
        assert!(bytes.len() < bound, "{} bytes, {bound}", bytes.len());
    }

    #[test]
    fn codes_have_the_lengths_of_the_textbook() {
        // Huffman's own example has these weights in per cent, and these lengths.
        let weights = [20, 18, 10, 10, 10, 6, 6, 4, 4, 4, 4, 3, 1];
        let lengths = huffman(&weights);
        let total: usize = weights.iter().zip(&lengths).map(|(w, l)| w * l).sum();
        assert_eq!(total, 342, "{lengths:?}");
    }

    #[test]
    fn wrong_keys_and_numbers_are_refused() {
        let repeated = [(1, 2), (7, 3), (1, 2)];
        assert_eq!(CodedMap::build(&repeated), Err(BuildError::RepeatedKey));
        let all: Vec<_> = (0..=u8::MAX)
            .map(|number| (number.into(), number))
            .collect();
        assert_eq!(CodedMap::build(&all), Err(BuildError::NumberTooLarge));
    }

    #[test]
    fn other_bytes_are_refused_or_have_arbitrary_numbers() {
        let numbers = uneven_numbers(5, 100);
        let bytes = CodedMap::build(&numbers).expect("different keys");
        assert!(CodedMap::new(&[]).is_none());
        for length in 1..bytes.len() {
            assert!(CodedMap::new(&bytes[..length]).is_none(), "{length}");
        }
        let mut rng = Rng::new(3);
        for _ in 0..5_000 {
            let mut bytes = bytes.clone();
            bytes[rng.below(40)] = rng.next_u64() as u8;
            if let Some(map) = CodedMap::new(&bytes) {
                let _ = map.get(rng.next_u64());
            }
        }
    }
}
