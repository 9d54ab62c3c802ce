use core::error::Error;
use core::fmt;

use open_ttt_lib::rules::{Objective, TwoPlayerGame};

/// Says of positions, many at once, which moves are likely to be good and what
/// they are worth: what a network with a policy and a value head does.
///
/// An [`Evaluator`](crate::Evaluator) says what a position is worth to
/// alpha-beta search, a [`LeafEvaluator`](crate::LeafEvaluator) judges
/// for a [`TreeSearch`](crate::TreeSearch), also by chance. Estimates
/// here depend on the position alone, not on what else is asked at the same
/// time or before; so they can be kept, and asked in any company.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_lib::rules::{Objective, TwoPlayerGame};
/// use open_ttt_search::{Estimates, GumbelOptions, GumbelSearch, PolicyValue};
///
/// /// Prefers the first of all moves, and thinks it is a little better off.
/// struct Hopeful;
///
/// impl<G: TwoPlayerGame> PolicyValue<G> for Hopeful {
///     fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
///         for position in positions {
///             let logits = position.moves().enumerate().map(|(index, _)| -(index as f32));
///             estimates.push(0.1, logits);
///         }
///     }
/// }
///
/// let game = TicTacToe::new();
/// let mut search = GumbelSearch::new(&game, GumbelOptions::playing(0), &mut Rng::new(1));
/// search.run(&mut Hopeful)?;
/// assert_eq!(search.answer().chosen, game.moves().next());
/// # Ok::<(), open_ttt_search::InvalidEstimate>(())
/// ```
pub trait PolicyValue<G: TwoPlayerGame> {
    /// Adds an estimate of each of these unfinished positions, in their order.
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates);

    /// What its values predict, for
    /// [`GumbelSearch::with_objective`](super::GumbelSearch::with_objective).
    fn objective(&self) -> Objective<G> {
        Objective::WinLoss
    }
}

impl<G: TwoPlayerGame, P: PolicyValue<G> + ?Sized> PolicyValue<G> for &mut P {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        (**self).estimate(positions, estimates);
    }

    fn objective(&self) -> Objective<G> {
        (**self).objective()
    }
}

impl<G: TwoPlayerGame, P: PolicyValue<G> + ?Sized> PolicyValue<G> for Box<P> {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        (**self).estimate(positions, estimates);
    }

    fn objective(&self) -> Objective<G> {
        (**self).objective()
    }
}

/// What is thought of one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate<'a> {
    /// What it is worth to the side to move: -1 if it is lost, 1 if it is won.
    /// What is beyond counts as that.
    pub value: f32,
    /// A number for each move, in the order of [`TwoPlayerGame::moves`]: softmax
    /// of these is how likely each is thought to be the right one.
    pub logits: &'a [f32],
}

/// Estimates of some positions, in their order, in memory that is used again.
///
/// ```
/// use open_ttt_search::Estimates;
///
/// let mut estimates = Estimates::new();
/// estimates.push(0.5, [0.0, 1.0]);
/// estimates.push(-1.0, [2.0]);
/// let first = estimates.get(0).unwrap();
/// assert_eq!((first.value, first.logits), (0.5, &[0.0, 1.0][..]));
/// assert_eq!(estimates.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimates {
    values: Vec<f32>,
    /// The logits of all, one after the other.
    logits: Vec<f32>,
    /// Where the logits of each end.
    ends: Vec<usize>,
}

impl Estimates {
    /// None yet.
    pub const fn new() -> Self {
        Self {
            values: Vec::new(),
            logits: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds the estimate of the next position.
    pub fn push(&mut self, value: f32, logits: impl IntoIterator<Item = f32>) {
        self.values.push(value);
        self.logits.extend(logits);
        self.ends.push(self.logits.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The estimate of the position with this number, counted from 0.
    pub fn get(&self, index: usize) -> Option<Estimate<'_>> {
        let begin = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        Some(Estimate {
            value: *self.values.get(index)?,
            logits: &self.logits[begin..*self.ends.get(index)?],
        })
    }

    /// Takes all of them away.
    pub fn clear(&mut self) {
        self.values.clear();
        self.logits.clear();
        self.ends.clear();
    }
}

/// An estimate that is none, or is not one of the position in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidEstimate {
    /// No search waits for one.
    NotPending,
    /// There are fewer than positions.
    Missing,
    /// It has not as many logits as there are moves.
    Logits {
        /// How many it has.
        logits: usize,
        /// How many moves there are.
        moves: usize,
    },
    /// The value or a logit is infinite or no number.
    NotFinite,
}

impl fmt::Display for InvalidEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPending => f.write_str("an estimate of no position that waits for one"),
            Self::Missing => f.write_str("fewer estimates than positions"),
            Self::Logits { logits, moves } => {
                write!(f, "an estimate with {logits} logits for {moves} moves")
            }
            Self::NotFinite => f.write_str("an estimate with a number that is not finite"),
        }
    }
}

impl Error for InvalidEstimate {}

impl Estimate<'_> {
    /// Whether it is one of a position with so many moves.
    pub(super) fn check(&self, moves: usize) -> Result<(), InvalidEstimate> {
        if self.logits.len() != moves {
            return Err(InvalidEstimate::Logits {
                logits: self.logits.len(),
                moves,
            });
        }
        let all_finite = self.logits.iter().fold(true, |all, x| all & x.is_finite());
        if all_finite && self.value.is_finite() {
            Ok(())
        } else {
            Err(InvalidEstimate::NotFinite)
        }
    }
}
