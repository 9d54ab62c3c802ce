use core::num::NonZero;

use crate::tree::non_negative;

/// How a Gumbel search goes about it.
///
/// ```
/// use open_ttt_search::GumbelOptions;
///
/// let options = GumbelOptions::exploring(16);
/// assert_eq!(options.noise, 1.0);
/// assert_eq!(GumbelOptions { noise: 0.0, ..options }, GumbelOptions::playing(16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GumbelOptions {
    /// How many lines are looked along for a move; with none, the policy alone
    /// decides. More than [`MOST_SIMULATIONS`](Self::MOST_SIMULATIONS) are not
    /// made.
    ///
    /// With what is kept of earlier moves there are at most twice as many, and
    /// as many positions in the tree: 20 bytes each, and 24 for each of their
    /// moves where a move takes no more than three. There are no more than 67
    /// million moves in all, some 1.6 GB; positions beyond are estimated, but
    /// not looked into.
    pub simulations: u32,
    /// How many moves of the position searched are looked at, at most: the
    /// others are not drawn.
    pub considered: NonZero<usize>,
    /// How much chance counts in the choice of moves: 1 draws them as the
    /// policy says, which is what a game to learn from wants; with 0 the best
    /// one is played.
    pub noise: f32,
    /// How many visits more than it has the best known move is credited with
    /// when values are weighed against logits: `c_visit`.
    pub visit_offset: f32,
    /// How much values count against logits: `c_scale`, for values from -1 to 1.
    /// Targets to learn are the softer the smaller this is, and what is estimated
    /// roughly, say by single random games, is better trusted less: 0.03.
    pub value_scale: f32,
    /// Whether what is proved counts: moves that win at once are found without
    /// being tried, proved results are carried up the tree, and the search ends
    /// when the result is known.
    pub proves: bool,
}

impl GumbelOptions {
    /// The most simulations that are made for a move.
    pub const MOST_SIMULATIONS: u32 = 1 << 20;

    /// For games to learn from: with chance in it.
    pub const fn exploring(simulations: u32) -> Self {
        Self {
            simulations,
            considered: NonZero::<usize>::MIN.saturating_add(15),
            noise: 1.0,
            visit_offset: 50.0,
            value_scale: 0.1,
            proves: true,
        }
    }

    /// For games to win: without chance.
    pub const fn playing(simulations: u32) -> Self {
        Self {
            noise: 0.0,
            ..Self::exploring(simulations)
        }
    }

    /// For games to win with a model that has learned what positions are worth: the
    /// same, with more trust in that.
    pub const fn trusting(simulations: u32) -> Self {
        Self {
            value_scale: 0.25,
            ..Self::playing(simulations)
        }
    }

    /// The same, with everything brought within its limits.
    pub(super) fn bounded(self) -> Self {
        Self {
            simulations: self.simulations.min(Self::MOST_SIMULATIONS),
            noise: non_negative(self.noise),
            visit_offset: non_negative(self.visit_offset),
            value_scale: non_negative(self.value_scale),
            ..self
        }
    }
}
