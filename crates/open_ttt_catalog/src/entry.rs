use core::fmt::Debug;
use core::num::NonZero;

use super::{DynGame, Solver};
use open_ttt_lib::games::{Column, ConnectFour, Mnk, Peg, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{
    DecisiveMoves, Described, Drawing, Encode, IndexedMoves, Notation, Parameter, Spec, SpecError,
    TwoPlayerGame, quoted,
};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{
    LinePlayer, MonteCarlo, Negamax, Perfect, PerfectProver, PerfectRetrograde, Player,
};
use open_ttt_search::{
    Budget, DecisivePlayout, Evaluator, HeuristicEvaluator, IterativeDeepening, Points,
    ProofNumberSearch, Prover, RootMoves, SearchResult, StopFlag, TooLarge, WinLoss,
    analyze_by_layers, deepen,
};

/// What a game needs to stand in a catalog: the powers a program asks for, and
/// how it is to be judged.
///
/// A game of your own that has them can be made a [`DynGame`] as well.
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
    /// How searchers judge the game.
    type Evaluator: Evaluator<Self> + Clone + Default + Send + Sync;

    /// The strongest computer there is for this game, as a
    /// [`PlayerSpec`](super::PlayerSpec) is written: one that a person does not
    /// mind to wait for.
    fn strongest(&self) -> &'static str;

    /// Finds out what a position is worth, in the best way there is for this
    /// game: [`deepen`] where there is no better one. It uses so many threads at
    /// most.
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

    /// Whether an analysis of any position of this game, without a limit, is
    /// exact soon: within seconds mostly, minutes at worst.
    fn can_be_proved(&self) -> bool {
        false
    }

    /// The player called negamax: [`Negamax`] where there is no better way to
    /// look ahead in this game. It uses so many threads at most.
    fn negamax(
        budget: Budget,
        threads: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        let negamax = Negamax::new(Self::Evaluator::default(), budget);
        Box::new(negamax.with_threads(threads).with_difficulty(difficulty))
    }

    /// The player called mcts: [`MonteCarlo`] that judges in the way that is best
    /// in this game. It uses so many threads at most. Where iterations alone limit
    /// it, a seed gives the same moves each time.
    fn monte_carlo(
        budget: Budget,
        threads: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        let player = MonteCarlo::new(budget).with_threads(threads);
        Box::new(player.with_difficulty(difficulty))
    }

    /// Makes players that cannot be beaten in this game, unless it is lost.
    /// What they share is worked out here, once for all games of a match. Where
    /// a player searches it uses so many threads at most.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if nobody plays it perfectly yet.
    fn perfect(&self, threads: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, TooLarge> {
        let _ = threads;
        let perfect = Perfect::with_evaluator(self, &Self::Evaluator::default())?;
        Ok(Box::new(move |difficulty| {
            Box::new(perfect.clone().with_difficulty(difficulty))
        }))
    }

    /// The file of a [`Network`](open_ttt_nn::Network) that has learned this
    /// game and comes with it; `None` if there is none, and without the feature
    /// `pretrained`.
    fn pretrained(&self) -> Option<&'static [u8]> {
        None
    }

    /// How the game is solved outright; `None` if it is too large for that.
    fn solver(&self) -> Option<Solver<Self>> {
        None
    }
}

/// A tree search that judges by random games in which nobody overlooks a win.
fn decisive<G: CatalogGame + DecisiveMoves>(
    budget: Budget,
    threads: NonZero<usize>,
    difficulty: Difficulty,
) -> Box<dyn Player<G> + Send> {
    let player = MonteCarlo::with_evaluator(DecisivePlayout, budget).with_threads(threads);
    Box::new(player.with_difficulty(difficulty))
}

/// Makes a perfect player with this difficulty.
pub type PerfectPlayerFactory<G> =
    Box<dyn Fn(Difficulty) -> Box<dyn Player<G> + Send> + Send + Sync>;

impl CatalogGame for TicTacToe {
    type Evaluator = WinLoss;

    fn solver(&self) -> Option<Solver<Self>> {
        Some(Solver::every_position())
    }

    fn can_be_proved(&self) -> bool {
        true
    }

    #[cfg(feature = "pretrained")]
    fn pretrained(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("../networks/tic_tac_toe.safetensors"))
    }

    fn strongest(&self) -> &'static str {
        "perfect"
    }
}

impl CatalogGame for Pegs {
    type Evaluator = Points;

    fn solver(&self) -> Option<Solver<Self>> {
        Some(Solver::by_layers())
    }

    fn can_be_proved(&self) -> bool {
        true
    }

    #[cfg(feature = "pretrained")]
    fn pretrained(&self) -> Option<&'static [u8]> {
        (self.line_set() == Self::new().line_set())
            .then_some(include_bytes!("../networks/pegs.safetensors"))
    }

    fn strongest(&self) -> &'static str {
        "perfect"
    }

    /// Exact, whatever the budget: it takes a fraction of a second.
    fn analyze(&self, _: NonZero<usize>, _: &Budget, stop: &StopFlag) -> SearchResult<Peg> {
        analyze_by_layers(self, stop).unwrap_or_else(|| {
            let shallow = Budget::depth(1);
            deepen(self, RootMoves::BestOnly, &Points, &shallow, stop)
        })
    }

    fn perfect(&self, _: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, TooLarge> {
        Ok(Box::new(|difficulty| {
            Box::new(PerfectRetrograde::new(difficulty))
        }))
    }
}

impl CatalogGame for ConnectFour {
    type Evaluator = HeuristicEvaluator;

    fn can_be_proved(&self) -> bool {
        true
    }

    #[cfg(feature = "pretrained")]
    fn pretrained(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("../networks/connect_four.safetensors"))
    }

    fn strongest(&self) -> &'static str {
        "perfect"
    }

    fn monte_carlo(
        budget: Budget,
        threads: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        decisive(budget, threads, difficulty)
    }

    fn perfect(&self, threads: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, TooLarge> {
        Ok(Box::new(move |difficulty| {
            Box::new(PerfectProver::new(difficulty).with_threads(threads))
        }))
    }

    /// A proof if the budget allows it, and a guess otherwise.
    fn analyze(
        &self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> SearchResult<Column> {
        const MOST_TABLE_BYTES: usize = 1 << 28;
        const GUESS: Budget = Budget::depth(8);
        Prover::new(MOST_TABLE_BYTES)
            .with_book()
            .with_threads(threads)
            .analyze(self, budget, stop)
            .unwrap_or_else(|| {
                // Who stopped the proof wants a good guess no less.
                let never = StopFlag::new();
                deepen(
                    self,
                    RootMoves::BestOnly,
                    &HeuristicEvaluator,
                    &GUESS,
                    &never,
                )
            })
    }
}

/// How many cells a board may have so that one can look at all its positions:
/// three to the power of that many at most.
const SMALL_BOARD: usize = 12;

impl CatalogGame for Mnk {
    type Evaluator = HeuristicEvaluator;

    fn can_be_proved(&self) -> bool {
        self.move_count() <= SMALL_BOARD
    }

    fn solver(&self) -> Option<Solver<Self>> {
        match self.move_count() {
            ..=SMALL_BOARD => Some(Solver::every_position()),
            _ if ProofNumberSearch::supports(self) => Some(Solver::by_proof_number_search()),
            _ => None,
        }
    }

    fn strongest(&self) -> &'static str {
        // Up to tic-tac-toe's size a game is solved before one notices.
        if self.move_count() <= 9 {
            "perfect"
        } else {
            "negamax"
        }
    }

    fn negamax(
        budget: Budget,
        _: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        Box::new(LinePlayer::new(budget).with_difficulty(difficulty))
    }

    fn monte_carlo(
        budget: Budget,
        threads: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        decisive(budget, threads, difficulty)
    }
}

impl CatalogGame for Qubic {
    type Evaluator = HeuristicEvaluator;

    fn solver(&self) -> Option<Solver<Self>> {
        Some(Solver::by_proof_number_search())
    }

    fn strongest(&self) -> &'static str {
        "negamax"
    }

    fn negamax(
        budget: Budget,
        _: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        Box::new(LinePlayer::new(budget).with_difficulty(difficulty))
    }

    fn monte_carlo(
        budget: Budget,
        threads: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        decisive(budget, threads, difficulty)
    }
}

impl CatalogGame for Ultimate {
    type Evaluator = HeuristicEvaluator;

    fn strongest(&self) -> &'static str {
        "mcts(ms=1000)"
    }

    fn monte_carlo(
        budget: Budget,
        threads: NonZero<usize>,
        difficulty: Difficulty,
    ) -> Box<dyn Player<Self> + Send> {
        let player = MonteCarlo::new(budget);
        let player = match budget.time {
            // Here one tree of all threads beats a tree for each.
            Some(_) => player.with_threads_together(threads),
            None => player.with_threads(threads),
        };
        Box::new(player.with_difficulty(difficulty))
    }
}

/// A kind of game in the catalog.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GameEntry {
    /// The word it is asked for by.
    pub key: &'static str,
    /// What it is called in a menu.
    pub title: &'static str,
    /// How it is played, in a few short lines.
    pub rules: &'static str,
    /// What can be chosen about it.
    pub parameters: &'static [Parameter],
    start: fn(&Spec) -> Result<DynGame, SpecError>,
}

impl GameEntry {
    const fn of<G: CatalogGame>() -> Self {
        Self {
            key: G::KEY,
            title: G::TITLE,
            rules: G::RULES,
            parameters: G::PARAMETERS,
            start: |spec| G::from_spec(spec).map(DynGame::new),
        }
    }
}

const GAMES: &[GameEntry] = &[
    GameEntry::of::<TicTacToe>(),
    GameEntry::of::<Pegs>(),
    GameEntry::of::<ConnectFour>(),
    GameEntry::of::<Mnk>(),
    GameEntry::of::<Qubic>(),
    GameEntry::of::<Ultimate>(),
];

/// Every kind of game there is, in the order of a menu.
pub const fn games() -> &'static [GameEntry] {
    GAMES
}

/// The start of the game with this name: a key, with parameters where others
/// than the defaults are wanted.
///
/// # Errors
///
/// [`SpecError`] says what is wrong with the name and what is allowed.
pub fn game(name: &str) -> Result<DynGame, SpecError> {
    let spec: Spec = name.parse()?;
    match GAMES.iter().find(|entry| entry.key == spec.name) {
        Some(entry) => (entry.start)(&spec),
        None => Err(SpecError::UnknownName {
            name: format!("game {}", quoted(&spec.name)),
            allowed: GAMES.iter().map(|entry| entry.key.to_owned()).collect(),
        }),
    }
}
