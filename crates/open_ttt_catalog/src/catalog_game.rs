use core::fmt::Debug;
use core::num::NonZero;

use super::Solver;
use open_ttt_lib::rules::{Described, Drawing, Encode, Notation, TwoPlayerGame};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{MonteCarlo, Negamax, Perfect, Player};
use open_ttt_search::{
    Budget, Evaluator, IterativeDeepening, RootMoves, SearchResult, SolveError, StopFlag,
};

/// A game of a catalog: the traits that programs need, and what the game offers
/// beyond them.
///
/// Only the evaluator is required; the other items have defaults that suit any game.
/// Games of your own can implement the trait and become a [`DynGame`](super::DynGame).
pub trait CatalogGame:
    Described
    + Notation
    + Drawing
    + Encode
    + TwoPlayerGame<Move: Send + Sync>
    + Debug
    + Send
    + Sync
    + 'static
{
    /// The evaluator of alpha-beta search.
    type Evaluator: Evaluator<Self> + Clone + Default + Send + Sync;

    /// The player `negamax`. Default: [`Negamax`].
    const NEGAMAX: SearchPlayer<Self> = |budget, threads, difficulty| {
        let negamax = Negamax::new(Self::Evaluator::default(), budget);
        Box::new(negamax.with_threads(threads).with_difficulty(difficulty))
    };

    /// The player `mcts`. A seed and a budget without time determine its moves.
    /// Default: [`MonteCarlo`] with random playouts.
    const MONTE_CARLO: SearchPlayer<Self> = |budget, threads, difficulty| {
        let player = MonteCarlo::new(budget).with_threads(threads);
        Box::new(player.with_difficulty(difficulty))
    };

    /// The strongest computer player that is fast enough for interactive play, as
    /// a [`PlayerSpec`](super::PlayerSpec). Default: `perfect` if the game
    /// [can be proved](Self::can_be_proved), otherwise `negamax`.
    fn strongest(&self) -> &'static str {
        if self.can_be_proved() {
            "perfect"
        } else {
            "negamax"
        }
    }

    /// Analyzes a position by the best search for this game, on at most this number
    /// of threads. Default: [`IterativeDeepening`].
    fn analyze(
        &self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> SearchResult<Self::Move> {
        IterativeDeepening::default().with_threads(threads).search(
            self,
            RootMoves::BestOnly,
            &Self::Evaluator::default(),
            budget,
            stop,
        )
    }

    /// Whether [`analyze`](Self::analyze) without a limit proves the value of any
    /// position: within seconds as a rule, minutes at worst.
    fn can_be_proved(&self) -> bool {
        false
    }

    /// The player `perfect`, on at most this number of threads. The call computes
    /// what the players share, once for all games of a match. Default:
    /// [`Perfect`].
    ///
    /// # Errors
    ///
    /// [`SolveError`] if there is no perfect player for this game.
    fn perfect(&self, threads: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, SolveError> {
        let _ = threads;
        let perfect = Perfect::with_evaluator(self, &Self::Evaluator::default())?;
        Ok(Box::new(move |difficulty| {
            Box::new(perfect.clone().with_difficulty(difficulty))
        }))
    }

    /// The file of a pretrained [`Network`](open_ttt_nn::Network) for this game,
    /// the player `net:pretrained`. The networks of the built-in games need the
    /// feature `pretrained`.
    fn pretrained(&self) -> Option<&'static [u8]> {
        None
    }

    /// The way to solve the game outright; `None` if it is too large.
    fn solver(&self) -> Option<Solver<Self>> {
        None
    }
}

/// Makes a player from its budget, the most threads it may use and its difficulty.
pub type SearchPlayer<G> = fn(Budget, NonZero<usize>, Difficulty) -> Box<dyn Player<G> + Send>;

/// Makes a perfect player with a difficulty.
pub type PerfectPlayerFactory<G> =
    Box<dyn Fn(Difficulty) -> Box<dyn Player<G> + Send> + Send + Sync>;
