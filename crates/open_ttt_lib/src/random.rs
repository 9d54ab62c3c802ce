//! A small, fast random number generator, reproducible from its seed on every
//! platform.

use core::error::Error;
use core::fmt;
#[cfg(feature = "std")]
use core::hash::BuildHasher;
#[cfg(feature = "std")]
use std::hash::RandomState;

/// A reproducible random number generator. Not cryptographically secure.
///
/// The algorithm is `SplitMix64` (Steele, Lea, Flood: "Fast splittable
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
    /// A generator with this seed. All seeds are equally good.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator that differs from run to run and from process to process, seeded like the
    /// standard library's hash maps.
    #[cfg(feature = "std")]
    pub fn from_entropy() -> Self {
        // A process that is forked has the keys of hash maps from its parent. Modules in
        // WebAssembly are no processes.
        #[cfg(not(target_family = "wasm"))]
        let process = std::process::id();
        #[cfg(target_family = "wasm")]
        let process = 0_u32;
        Self::new(RandomState::new().hash_one(process))
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = self.state;
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A uniformly random number from 0 to `bound - 1`; 0 if the bound is 0.
    ///
    /// The bias is below 2⁻⁵⁰ for bounds up to 2¹⁴.
    pub const fn below(&mut self, bound: usize) -> usize {
        below(self.next_u64(), bound)
    }

    /// True with this probability.
    pub const fn chance(&mut self, probability: Probability) -> bool {
        // 53 bits fill the significand: 0 <= unit < 1.
        let unit = (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        unit < probability.0
    }

    /// A uniformly random item, or `None` if there are none.
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

/// Maps 64 random bits to 0 to `bound - 1`, by the multiplication of Lemire ("Fast
/// random integer generation in an interval", 2019) without its rejection step.
pub(crate) const fn below(bits: u64, bound: usize) -> usize {
    ((bits as u128 * bound as u128) >> 64) as usize
}

/// The seed of the `n`-th of many independent generators, derived from one seed.
///
/// ```
/// use open_ttt_lib::random::nth_seed;
///
/// assert_ne!(nth_seed(1, 0), nth_seed(1, 1));
/// assert_ne!(nth_seed(1, 0), nth_seed(2, 0));
/// ```
pub const fn nth_seed(seed: u64, n: u64) -> u64 {
    // Mixed twice: the sequences of nearby seeds would otherwise overlap.
    Rng::new(Rng::new(seed).next_u64() ^ n).next_u64()
}

/// A probability, 0 to 1.
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
    /// Probability 0.
    pub const NEVER: Self = Self(0.0);

    /// A probability with this value.
    ///
    /// # Errors
    ///
    /// [`InvalidProbability`] if the value is NaN or not within 0 to 1.
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

/// A number that isn't a probability: NaN, below 0 or above 1.
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
