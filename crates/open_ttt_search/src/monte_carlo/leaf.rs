use core::num::NonZero;

use super::SideValue;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{DecisiveMoves, Heuristic, TwoPlayerGame};

/// What a tree search is told of a position it looks no further into.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// How the game is expected to end.
    pub expectation: SideValue,
    /// For each move, in the order of [`TwoPlayerGame::moves`], how likely it
    /// is to be the right one; empty where nothing is known of the moves. They
    /// need not add up to one; a number too few, or one that is negative or no
    /// number, counts as zero.
    pub priors: Vec<f32>,
}

impl From<SideValue> for Judgement {
    fn from(expectation: SideValue) -> Self {
        Self {
            expectation,
            priors: Vec::new(),
        }
    }
}

/// Judges the positions at the edge of a tree: by a random game, by a
/// heuristic, by a network.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_lib::rules::TwoPlayerGame;
/// use open_ttt_search::{
///     Budget, SideValue, Judgement, LeafEvaluator, StopFlag, TreeOptions, TreeSearch,
/// };
///
/// /// Thinks that the side to move is a little better off.
/// #[derive(Clone)]
/// struct Hopeful;
///
/// impl<G: TwoPlayerGame> LeafEvaluator<G> for Hopeful {
///     fn evaluate(&mut self, leaf: &G, _: &mut Rng) -> Judgement {
///         SideValue::for_side(leaf.to_move(), 0.6).into()
///     }
/// }
///
/// let options = TreeOptions::default();
/// let mut search = TreeSearch::new(&ConnectFour::new(), Hopeful, options, Rng::new(1));
/// search.step(&Budget::nodes(100), &StopFlag::new());
/// assert_eq!(search.answer().iterations, 100);
/// ```
pub trait LeafEvaluator<G: TwoPlayerGame> {
    /// Judges an unfinished position. All chance comes from `rng`.
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> Judgement;

    /// How many positions are best judged together. A search with more than
    /// one collects them along different lines before it asks, and counts each
    /// line meanwhile as lost so that the next one differs (virtual loss:
    /// Chaslot, Winands and van den Herik, 2008).
    fn batch(&self) -> NonZero<usize> {
        NonZero::<usize>::MIN
    }

    /// Judges unfinished positions, at most [`batch`](Self::batch) of them, in
    /// their order. A judgement too few counts as even.
    fn evaluate_batch(&mut self, leaves: &[G], rng: &mut Rng) -> Vec<Judgement> {
        leaves.iter().map(|leaf| self.evaluate(leaf, rng)).collect()
    }
}

/// Judges by one game of random moves: needs nothing but the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout;

impl<G: TwoPlayerGame> LeafEvaluator<G> for Playout {
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> Judgement {
        let outcome = leaf.clone().play_out(&mut || rng.next_u64());
        SideValue::from(outcome).into()
    }
}

/// Judges by one random game in which nobody overlooks a win: better than
/// [`Playout`] in most games that one move wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecisivePlayout;

impl<G: DecisiveMoves> LeafEvaluator<G> for DecisivePlayout {
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> Judgement {
        let outcome = leaf.clone().play_out_decisively(&mut || rng.next_u64());
        SideValue::from(outcome).into()
    }
}

/// Judges by the game's [`Heuristic`], both the position and its moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByHeuristic {
    /// The difference in the heuristic that makes a side expect 73 points of
    /// 100, which is where the logistic function is at one.
    pub unit: f32,
    /// How much of the judgement comes from a random game instead, 0 to 1.
    pub playout_share: f32,
}

impl<G: Heuristic> LeafEvaluator<G> for ByHeuristic {
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> Judgement {
        let side = leaf.to_move();
        let mut points = logistic(leaf.heuristic() as f32 / self.unit);
        if self.playout_share > 0.0 {
            let outcome = leaf.clone().play_out(&mut || rng.next_u64());
            let played = SideValue::from(outcome).points(side);
            points += self.playout_share * (played - points);
        }
        Judgement {
            expectation: SideValue::for_side(side, points),
            priors: self.priors(leaf),
        }
    }
}

impl ByHeuristic {
    /// By how good the position after each move looks, as softmax weighs it.
    fn priors<G: Heuristic>(&self, leaf: &G) -> Vec<f32> {
        let worth = |m| {
            let next = leaf.after(m);
            let judged = -next.heuristic() as f32 / self.unit;
            // A finished game is better or worse than any judgement.
            match next.outcome() {
                None => judged.clamp(-9.0, 9.0).exp(),
                Some(outcome) => match SideValue::from(outcome).points(leaf.to_move()) {
                    points if points > 0.5 => 1e6,
                    points if points < 0.5 => 0.0,
                    _ => 1.0,
                },
            }
        };
        leaf.moves().map(worth).collect()
    }
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
