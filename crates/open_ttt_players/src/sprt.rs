use core::error::Error;
use core::fmt;

use super::PentanomialScore;
use super::match_score::share_at;

/// A sequential probability ratio test (Wald 1945): plays on until it is clear
/// which of two Elo differences explains the games better, and no longer.
///
/// Little is known of how often such players draw, so of all distributions of
/// pairs with a given mean the likeliest is taken: the generalized test of Li,
/// Liu and Ying (2014), as testers of chess engines use it with pairs of games.
///
/// ```
/// use open_ttt_players::{Hypothesis, PentanomialScore, Sprt};
///
/// let test = Sprt::new(0.0, 20.0)?;
/// let pairs = |counts| PentanomialScore { counts };
/// assert_eq!(test.accepted(&pairs([10, 20, 40, 20, 10])), None);
/// assert_eq!(test.accepted(&pairs([20, 40, 300, 120, 60])), Some(Hypothesis::Elo1));
/// # Ok::<(), open_ttt_players::SprtError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// One of the two Elo differences that a test tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hypothesis {
    /// The smaller one.
    Elo0,
    /// The larger one.
    Elo1,
}

/// What stands in for a result that has not been seen yet, so that no
/// distribution is ruled out by it.
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// The largest Elo difference that is tested, to either side.
    pub const MAX_ELO: f64 = 1_000.0;

    /// A test between two Elo differences, wrong in at most one of twenty
    /// matches, whichever of them is true.
    ///
    /// # Errors
    ///
    /// [`SprtError::Elo`] unless the first is less than the second, and both
    /// are from −1,000 to 1,000.
    pub fn new(elo0: f64, elo1: f64) -> Result<Self, SprtError> {
        let allowed = -Self::MAX_ELO..=Self::MAX_ELO;
        if elo0 < elo1 && allowed.contains(&elo0) && allowed.contains(&elo1) {
            Ok(Self {
                elo0,
                elo1,
                alpha: 0.05,
                beta: 0.05,
            })
        } else {
            Err(SprtError::Elo { elo0, elo1 })
        }
    }

    /// The same test with other chances to be wrong: of accepting the larger
    /// difference where the smaller is true (`alpha`), and the other way round
    /// (`beta`).
    ///
    /// # Errors
    ///
    /// [`SprtError::Chance`] unless both are above 0 and at most one half.
    pub fn with_errors(self, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let bad = |chance: &f64| !(*chance > 0.0 && *chance <= 0.5);
        match [alpha, beta].into_iter().find(bad) {
            Some(chance) => Err(SprtError::Chance { chance }),
            None => Ok(Self {
                alpha,
                beta,
                ..self
            }),
        }
    }

    /// The smaller Elo difference.
    pub const fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The larger Elo difference.
    pub const fn elo1(&self) -> f64 {
        self.elo1
    }

    /// The log-likelihood ratio at or below which the smaller difference is
    /// accepted.
    pub fn lower_bound(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// The log-likelihood ratio at or above which the larger difference is
    /// accepted.
    pub fn upper_bound(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// The logarithm of how much likelier the larger difference makes these
    /// pairs than the smaller does.
    pub fn log_likelihood_ratio(&self, pairs: &PentanomialScore) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let weights = pairs.counts.map(|count| f64::from(count).max(UNSEEN));
        let all: f64 = weights.iter().sum();
        let chances = weights.map(|weight| weight / all);
        let smaller = likeliest(chances, share_at(self.elo0));
        let larger = likeliest(chances, share_at(self.elo1));
        (0..weights.len())
            .map(|cell| weights[cell] * (larger[cell] / smaller[cell]).ln())
            .sum()
    }

    /// Which difference the pairs speak for clearly enough, if for one.
    pub fn accepted(&self, pairs: &PentanomialScore) -> Option<Hypothesis> {
        let ratio = self.log_likelihood_ratio(pairs);
        if ratio >= self.upper_bound() {
            Some(Hypothesis::Elo1)
        } else if ratio <= self.lower_bound() {
            Some(Hypothesis::Elo0)
        } else {
            None
        }
    }
}

/// Of the distributions of pairs with this mean, the one that makes pairs
/// seen with these frequencies likeliest.
///
/// By Lagrange's multipliers each frequency is divided by `1 + x (share - mean)`,
/// with the one `x` that gives the mean. What is left of the mean falls as `x`
/// grows, so halving finds it.
fn likeliest(frequencies: [f64; 5], mean: f64) -> [f64; 5] {
    const HALVINGS: u32 = 80;
    let at = |x: f64| {
        let mut cell = 0;
        frequencies.map(|frequency| {
            let divided = frequency / (1.0 + x * (PentanomialScore::SHARES[cell] - mean));
            cell += 1;
            divided
        })
    };
    // Outside of these a chance would be negative.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..HALVINGS {
        let x = f64::midpoint(low, high);
        let excess: f64 = at(x)
            .iter()
            .zip(PentanomialScore::SHARES)
            .map(|(chance, share)| chance * (share - mean))
            .sum();
        if excess > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    at(f64::midpoint(low, high))
}

/// Why there is no such test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SprtError {
    /// The differences are not in order, or one is too large.
    Elo {
        /// What was to be the smaller.
        elo0: f64,
        /// What was to be the larger.
        elo1: f64,
    },
    /// A chance to be wrong is none.
    Chance {
        /// The number.
        chance: f64,
    },
}

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elo { elo0, elo1 } => write!(
                f,
                "{elo0} and {elo1} are not two Elo differences from {} to {}, the smaller one first",
                -Sprt::MAX_ELO,
                Sprt::MAX_ELO
            ),
            Self::Chance { chance } => {
                write!(f, "{chance} is not a chance above 0 and at most 0.5")
            }
        }
    }
}

impl Error for SprtError {}
