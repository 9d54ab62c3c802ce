use super::SideValue;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{DecisiveMoves, TwoPlayerGame};

/// Evaluates the leaves of a search tree: by a random game, by a heuristic, by a
/// network.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_lib::rules::TwoPlayerGame;
/// use open_ttt_search::{
///     Budget, LeafEvaluator, SideValue, StopFlag, TreeOptions, TreeSearch,
/// };
///
/// /// The side to move is a little better off.
/// #[derive(Clone)]
/// struct Tempo;
///
/// impl<G: TwoPlayerGame> LeafEvaluator<G> for Tempo {
///     fn evaluate(&mut self, leaf: &G, _: &mut Rng) -> SideValue {
///         SideValue::for_side(leaf.to_move(), 0.6)
///     }
/// }
///
/// let options = TreeOptions::default();
/// let mut search = TreeSearch::new(&ConnectFour::new(), Tempo, options, Rng::new(1));
/// search.step(&Budget::nodes(100), &StopFlag::new());
/// assert_eq!(search.answer().iterations, 100);
/// ```
pub trait LeafEvaluator<G: TwoPlayerGame> {
    /// Evaluates an unfinished position. All randomness comes from `rng`.
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> SideValue;
}

/// Evaluates by one game of random moves; needs nothing but the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout;

impl<G: TwoPlayerGame> LeafEvaluator<G> for Playout {
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> SideValue {
        leaf.clone().play_out(&mut || rng.next_u64()).into()
    }
}

/// Evaluates by one random game in which no immediate win is missed: better than
/// [`Playout`] in most games that one move wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecisivePlayout;

impl<G: DecisiveMoves> LeafEvaluator<G> for DecisivePlayout {
    // Inlined into the search, its loop would have to share registers with that.
    #[inline(never)]
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> SideValue {
        leaf.clone()
            .play_out_decisively(&mut || rng.next_u64())
            .into()
    }
}
