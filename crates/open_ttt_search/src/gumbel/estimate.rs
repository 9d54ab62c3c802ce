use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use open_ttt_lib::rules::{Objective, TwoPlayerGame};

/// A model that estimates the policy and the value of positions in batches, as a
/// network with two heads does.
///
/// An estimate depends on the position alone, so it can be cached, and batches of
/// any composition give the same estimates. ([`Evaluator`](crate::Evaluator)s are
/// for alpha-beta search, [`LeafEvaluator`](crate::LeafEvaluator)s for
/// [`TreeSearch`](crate::TreeSearch).)
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_lib::rules::{Objective, TwoPlayerGame};
/// use open_ttt_search::{Estimates, GumbelOptions, GumbelSearch, PolicyValue};
///
/// /// Prefers the first of all moves and has a slightly positive value.
/// struct FirstMove;
///
/// impl<G: TwoPlayerGame> PolicyValue<G> for FirstMove {
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
/// search.run(&mut FirstMove)?;
/// assert_eq!(search.answer().chosen, game.moves().next());
/// # Ok::<(), open_ttt_search::InvalidEstimate>(())
/// ```
pub trait PolicyValue<G: TwoPlayerGame> {
    /// Appends an estimate of each of these unfinished positions, in their order.
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates);

    /// What the values predict in this game, for
    /// [`GumbelSearch::with_objective`](super::GumbelSearch::with_objective).
    fn objective(&self, game: &G) -> Objective<G> {
        let _ = game;
        Objective::WinLoss
    }
}

/// The estimate of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate<'a> {
    /// The value for the side to move: -1 for a loss, 1 for a win. Values beyond
    /// are clamped.
    pub value: f32,
    /// The logit of each move, in the order of [`TwoPlayerGame::moves`]. The policy
    /// is their softmax.
    pub logits: &'a [f32],
}

/// The estimates of a batch of positions, in their order. The memory is reused.
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
    /// The logits of all estimates in sequence.
    logits: Vec<f32>,
    /// The end of the logits of each estimate.
    ends: Vec<usize>,
}

impl Estimates {
    /// An empty batch.
    pub const fn new() -> Self {
        Self {
            values: Vec::new(),
            logits: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Appends the estimate of the next position.
    pub fn push(&mut self, value: f32, logits: impl IntoIterator<Item = f32>) {
        self.values.push(value);
        self.logits.extend(logits);
        self.ends.push(self.logits.len());
    }

    /// The number of estimates.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no estimates.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The estimate of the position with this index.
    pub fn get(&self, index: usize) -> Option<Estimate<'_>> {
        let value = *self.values.get(index)?;
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let logits = &self.logits[begin..self.ends[index]];
        Some(Estimate { value, logits })
    }

    /// Removes all estimates.
    pub fn clear(&mut self) {
        self.values.clear();
        self.logits.clear();
        self.ends.clear();
    }
}

/// An estimate that a search refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidEstimate {
    /// No search waits for an estimate.
    NotPending,
    /// There are fewer estimates than positions.
    Missing,
    /// The number of logits is not the number of moves.
    Logits {
        /// The number of logits.
        logits: usize,
        /// The number of moves.
        moves: usize,
    },
    /// The value or a logit is NaN or infinite.
    NotFinite,
}

impl fmt::Display for InvalidEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPending => f.write_str("no position waits for an estimate"),
            Self::Missing => f.write_str("fewer estimates than positions"),
            Self::Logits { logits, moves } => {
                write!(f, "an estimate with {logits} logits for {moves} moves")
            }
            Self::NotFinite => f.write_str("an estimate with a NaN or infinite number"),
        }
    }
}

impl Error for InvalidEstimate {}

impl Estimate<'_> {
    /// Checks an estimate of a position with this many moves.
    pub(super) fn check(&self, moves: usize) -> Result<(), InvalidEstimate> {
        if self.logits.len() != moves {
            let logits = self.logits.len();
            return Err(InvalidEstimate::Logits { logits, moves });
        }
        let all_finite = self.logits.iter().fold(true, |all, x| all & x.is_finite());
        if all_finite && self.value.is_finite() {
            Ok(())
        } else {
            Err(InvalidEstimate::NotFinite)
        }
    }
}
