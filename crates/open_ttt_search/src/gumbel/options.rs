use core::num::NonZero;

use crate::tree::non_negative;

/// The options of a Gumbel search.
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
    /// The number of simulations per move, at most
    /// [`MAX_SIMULATIONS`](Self::MAX_SIMULATIONS). With 0 the policy alone chooses.
    ///
    /// With those kept from earlier moves, a tree has at most twice as many
    /// simulations and nodes. A node takes 20 bytes, and each of its moves 24 if a
    /// move takes at most three bytes. A tree has at most 67 million moves, about
    /// 1.6 GB; positions beyond that are estimated but not expanded.
    pub simulations: u32,
    /// The most moves of the root that are considered.
    pub considered: NonZero<usize>,
    /// The scale of the Gumbel noise: 1 samples moves from the policy, as self-play
    /// needs; with 0 the best move is played.
    pub noise: f32,
    /// The constant `c_visit`: added to the most visits of a move when values are
    /// weighed against logits.
    pub visit_offset: f32,
    /// The constant `c_scale`: the weight of values, from -1 to 1, against logits.
    /// A smaller one gives softer training targets, and suits inexact values: 0.03
    /// for single random games.
    pub value_scale: f32,
    /// Whether proofs count (MCTS-Solver): immediate wins are found without a
    /// visit, proved results are backed up, and the search ends when the root is
    /// proved.
    pub proves: bool,
}

impl GumbelOptions {
    /// The most simulations per move.
    pub const MAX_SIMULATIONS: u32 = 1 << 20;

    /// Options for self-play, with noise.
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

    /// Options for play, without noise.
    pub const fn playing(simulations: u32) -> Self {
        Self {
            noise: 0.0,
            ..Self::exploring(simulations)
        }
    }

    /// Options for play with a trained model, whose values count more.
    pub const fn trusting(simulations: u32) -> Self {
        Self {
            value_scale: 0.25,
            ..Self::playing(simulations)
        }
    }

    /// The options with every number clamped to its range.
    pub(super) fn clamped(self) -> Self {
        Self {
            simulations: self.simulations.min(Self::MAX_SIMULATIONS),
            noise: non_negative(self.noise),
            visit_offset: non_negative(self.visit_offset),
            value_scale: non_negative(self.value_scale),
            ..self
        }
    }
}
