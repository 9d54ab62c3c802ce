//! A small, fast source of random numbers that is the same everywhere for the
//! same seed.

use core::error::Error;
use core::fmt;
use core::hash::BuildHasher;
use std::hash::RandomState;

/// A reproducible source of random numbers, for ties, mistakes and playouts.
/// Not for secrets.
///
/// The generator is `SplitMix64` (Steele, Lea, Flood: "Fast splittable
/// pseudorandom number generators", 2014).
///
/// ```
/// use open_ttt_lib::random::Rng;
///
/// let (mut one, mut other) = (Rng::new(7), Rng::new(7));
/// assert_eq!(one.below(1000), other.below(1000));
/// assert_eq!(one.pick([1, 2, 3]), other.pick([1, 2, 3]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The source that this seed begins. Any number is as good as another.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A source that differs from run to run, seeded from the randomness the
    /// standard library gives its hash maps.
    pub fn from_entropy() -> Self {
        Self::new(RandomState::new().hash_one(0_u64))
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = self.state;
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`, or 0 if there is none.
    ///
    /// By multiplication (Lemire 2019) without its rejection step: for the
    /// small bounds of a game the bias is below one in 2⁵⁰.
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.next_u64() as u128 * bound as u128) >> 64) as usize
    }

    /// True with this probability: never at 0, always at 1.
    pub const fn chance(&mut self, probability: Probability) -> bool {
        // 53 bits fill the significand, so the number is at least 0 and below 1.
        let unit = (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        unit < probability.0
    }

    /// One of the items, each as likely as another; `None` if there is none.
    pub fn pick<T>(&mut self, items: impl IntoIterator<Item = T>) -> Option<T> {
        let mut picked = None;
        for (index, item) in items.into_iter().enumerate() {
            if self.below(index + 1) == 0 {
                picked = Some(item);
            }
        }
        picked
    }
}

/// The seed of the `n`-th of many sources that are to have nothing to do with
/// each other, all from one seed.
///
/// ```
/// use open_ttt_lib::random::nth_seed;
///
/// assert_ne!(nth_seed(1, 0), nth_seed(1, 1));
/// assert_ne!(nth_seed(1, 0), nth_seed(2, 0));
/// ```
pub const fn nth_seed(seed: u64, n: u64) -> u64 {
    // Mixed twice: neighbouring seeds would otherwise lead to one sequence,
    // begun at different places.
    Rng::new(Rng::new(seed).next_u64() ^ n).next_u64()
}

/// A number from 0 to 1: how likely something is.
///
/// ```
/// use open_ttt_lib::random::Probability;
///
/// assert_eq!(Probability::new(0.25)?.get(), 0.25);
/// assert_eq!(Probability::new(7.0).unwrap_err().to_string(), "7 is not a probability from 0 to 1");
/// assert!(Probability::new(f64::NAN).is_err());
/// # Ok::<(), open_ttt_lib::random::InvalidProbability>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Probability(f64);

impl Probability {
    /// It does not happen.
    pub const NEVER: Self = Self(0.0);
    /// It happens each time.
    pub const ALWAYS: Self = Self(1.0);

    /// The probability with this value.
    ///
    /// # Errors
    ///
    /// [`InvalidProbability`] unless the value is 0 to 1; "not a number" is not.
    pub const fn new(value: f64) -> Result<Self, InvalidProbability> {
        if value >= 0.0 && value <= 1.0 {
            Ok(Self(value))
        } else {
            Err(InvalidProbability { value })
        }
    }

    /// The value, 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A number that is no probability: below 0, above 1 or not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvalidProbability {
    /// The number.
    pub value: f64,
}

impl fmt::Display for InvalidProbability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a probability from 0 to 1", self.value)
    }
}

impl Error for InvalidProbability {}
