use core::error::Error;
use core::fmt;

use super::PentanomialScore;
use super::match_score::share_at;

/// A sequential probability ratio test (Wald 1945): ends a match as soon as one
/// of two Elo differences explains the results significantly better.
///
/// The rate of draws is unknown, so each hypothesis uses the distribution of
/// pair scores with its mean that has the greatest likelihood: the generalized
/// test of Li, Liu and Ying (2014), as engine testers use it with pentanomial
/// scores.
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

/// One of the two Elo differences of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hypothesis {
    /// The smaller one.
    Elo0,
    /// The larger one.
    Elo1,
}

/// The count of a pair score that hasn't occurred, so that it rules out no
/// distribution.
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// The largest Elo difference, positive or negative.
    pub const MAX_ELO: f64 = 1_000.0;

    /// A test between two Elo differences with error rates of 5 %.
    ///
    /// # Errors
    ///
    /// [`SprtError::Elo`] unless `elo0` is less than `elo1` and both are from
    /// −1,000 to 1,000.
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

    /// Sets the error rates: of accepting the larger difference if the smaller is
    /// true (`alpha`), and the smaller if the larger is true (`beta`).
    ///
    /// # Errors
    ///
    /// [`SprtError::ErrorRate`] unless both are above 0 and at most 0.5.
    pub fn with_error_rates(self, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let invalid = |rate: &f64| !(*rate > 0.0 && *rate <= 0.5);
        match [alpha, beta].into_iter().find(invalid) {
            Some(rate) => Err(SprtError::ErrorRate { rate }),
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

    /// The log-likelihood ratio at or below which `elo0` is accepted.
    pub fn lower_bound(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// The log-likelihood ratio at or above which `elo1` is accepted.
    pub fn upper_bound(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// The logarithm of the likelihood of these pairs at `elo1` over that at
    /// `elo0`.
    pub fn log_likelihood_ratio(&self, pairs: &PentanomialScore) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let weights = pairs.counts.map(|count| f64::from(count).max(UNSEEN));
        let total: f64 = weights.iter().sum();
        let frequencies = weights.map(|weight| weight / total);
        let smaller = maximum_likelihood(frequencies, share_at(self.elo0));
        let larger = maximum_likelihood(frequencies, share_at(self.elo1));
        (0..weights.len())
            .map(|cell| weights[cell] * (larger[cell] / smaller[cell]).ln())
            .sum()
    }

    /// The hypothesis that these pairs make significant, if any.
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

/// The distribution of pair scores with this mean under which the frequencies
/// have the greatest likelihood.
///
/// By Lagrange multipliers it divides each frequency by `1 + x (share - mean)`,
/// for the one `x` that gives the mean. The mean falls as `x` grows, so bisection
/// finds `x`.
fn maximum_likelihood(frequencies: [f64; 5], mean: f64) -> [f64; 5] {
    const BISECTIONS: u32 = 80;
    let at = |x: f64| {
        let mut cell = 0;
        frequencies.map(|frequency| {
            let divided = frequency / (1.0 + x * (PentanomialScore::SHARES[cell] - mean));
            cell += 1;
            divided
        })
    };
    // Outside these bounds a probability would be negative.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..BISECTIONS {
        let x = f64::midpoint(low, high);
        let excess: f64 = at(x)
            .iter()
            .zip(PentanomialScore::SHARES)
            .map(|(probability, share)| probability * (share - mean))
            .sum();
        if excess > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    at(f64::midpoint(low, high))
}

/// The parameters of a test are invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SprtError {
    /// The differences aren't in ascending order, or one is too large.
    Elo {
        /// The smaller difference.
        elo0: f64,
        /// The larger difference.
        elo1: f64,
    },
    /// An error rate isn't above 0 and at most 0.5.
    ErrorRate {
        /// The error rate.
        rate: f64,
    },
}

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elo { elo0, elo1 } => write!(
                f,
                "{elo0} and {elo1} aren't two Elo differences from {} to {}, the smaller one first",
                -Sprt::MAX_ELO,
                Sprt::MAX_ELO
            ),
            Self::ErrorRate { rate } => {
                write!(f, "{rate} isn't an error rate above 0 and at most 0.5")
            }
        }
    }
}

impl Error for SprtError {}
