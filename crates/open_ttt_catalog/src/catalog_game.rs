use core::fmt::Debug;
use core::num::NonZero;

use super::{Encoder, Searches, Solver, Transforms};
use open_ttt_coach::Judge;
use open_ttt_lib::rules::{Described, Drawing, IndexedMoves, Notation, TwoPlayerGame};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{LevelSkills, MonteCarlo, Player};
use open_ttt_search::{Budget, ProvedOutcome, SearchResult, SolveError, StopFlag, WinLoss};

/// A game of a catalog: the traits that programs need, and what the game offers
/// beyond them.
///
/// No item is required: the defaults suit any game, so that `impl CatalogGame for
/// MyGame {}` makes a game of your own one of a [`Catalog`](super::Catalog).
pub trait CatalogGame:
    Described
    + Notation
    + Drawing
    + IndexedMoves
    + TwoPlayerGame<Move: Send + Sync>
    + Debug
    + Send
    + Sync
    + 'static
{
    /// The alpha-beta searches, with what a position is worth to them. Default:
    /// [`WinLoss`], the outcome alone.
    const SEARCHES: Searches<Self> = Searches::with::<WinLoss>();

    /// What a network sees of a position. Default: [what is drawn](Encoder::picture).
    const ENCODER: Encoder<Self> = Encoder::picture();

    /// The player `negamax`. Default: [`Negamax`](open_ttt_players::Negamax) with the
    /// evaluator of [`SEARCHES`](Self::SEARCHES).
    const NEGAMAX: SearchPlayer<Self> = Self::SEARCHES.negamax;

    /// The player `mcts`. A seed and a budget without time determine its moves.
    /// Default: [`MonteCarlo`] with random playouts.
    const MONTE_CARLO: SearchPlayer<Self> = |budget, threads, difficulty| {
        let player = MonteCarlo::new(budget).with_threads(threads);
        Box::new(player.with_difficulty(difficulty))
    };

    /// The position that stands for all that mirroring and rotating the board make of this
    /// one, so that none is shown twice as a puzzle. Default: the position itself.
    const CANONICAL: fn(&Self) -> Self = Self::clone;

    /// The symmetries of the board, for training: a network learns each position in a random
    /// image. Default: [none](Transforms::none).
    const TRANSFORMS: Transforms<Self> = Transforms::none();

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

    /// The skill of the computer at each level below the highest, which is that of
    /// [`strongest`](Self::strongest). Default: skills that suit most games. Those of the
    /// built-in games come from matches.
    fn level_skills(&self) -> LevelSkills {
        [0.2, 0.35, 0.52, 0.7, 0.87]
    }

    /// The player of the attentive turns of the levels below the highest, as a
    /// [`PlayerSpec`](super::PlayerSpec): strong, quick and not limited by time, so that the
    /// levels are equally strong on every machine. Default: alpha-beta search of 20,000
    /// positions.
    fn attentive(&self) -> &'static str {
        "negamax(nodes=20000)"
    }

    /// Who wins an unfinished game, if that is known without the distance to the end and
    /// sooner than [`analyze`](Self::analyze) would find it. Default: unknown.
    fn known_outcome(&self, stop: &StopFlag) -> Option<ProvedOutcome<Self::Move>> {
        let _ = stop;
        None
    }

    /// Analyzes a position by the best search for this game, on at most this number
    /// of threads. Default:
    /// [`IterativeDeepening`](open_ttt_search::IterativeDeepening).
    fn analyze(
        &self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> SearchResult<Self::Move> {
        (Self::SEARCHES.analyze)(self, threads, budget, stop)
    }

    /// Finds what every move of a position is worth, on at most this number of threads.
    /// Default: the solution of a game that [can be proved](Self::can_be_proved), otherwise
    /// a search with the evaluator of [`SEARCHES`](Self::SEARCHES) if it has a
    /// [scale](Searches::with_scale), or tree search.
    fn judge(&self, threads: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        let _ = threads;
        Self::SEARCHES.judge(self)
    }

    /// Whether [`analyze`](Self::analyze) without a limit proves the value of any
    /// position: within seconds as a rule, minutes at worst.
    fn can_be_proved(&self) -> bool {
        false
    }

    /// The player `perfect`, on at most this number of threads. The call computes
    /// what the players share, once for all games of a match. Default:
    /// [`Perfect`](open_ttt_players::Perfect).
    ///
    /// # Errors
    ///
    /// [`SolveError`] if there is no perfect player for this game.
    fn perfect(&self, threads: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, SolveError> {
        let _ = threads;
        (Self::SEARCHES.perfect)(self)
    }

    /// The file of a pretrained [`Network`](open_ttt_nn::Network) for this game,
    /// the player `net:pretrained`. The networks of the built-in games need the
    /// feature `pretrained`.
    fn pretrained(&self) -> Option<&'static [u8]> {
        None
    }

    /// The text of the [puzzles](super::Puzzles) that come with this game. Default: none.
    /// Those of the built-in games need the feature `puzzles`.
    fn puzzles(&self) -> &'static str {
        ""
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
