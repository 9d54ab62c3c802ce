use core::num::NonZero;

use super::{CatalogGame, DynGame, PerfectPlayerFactory, SearchPlayer, Solver};
use open_ttt_lib::games::{Column, ConnectFour, Mnk, Peg, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{
    DecisiveMoves, IndexedMoves, LineGame, Parameter, Spec, SpecError, Symmetry, quoted,
};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{LinePlayer, MonteCarlo, PerfectProver, PerfectRetrograde, Player};
use open_ttt_search::{
    Budget, DecisivePlayout, HeuristicEvaluator, Points, ProofNumberSearch, Prover, RootMoves,
    SearchResult, SolveError, StopFlag, WinLoss, analyze_by_layers, deepen,
};

/// Registers the built-in games: the one list of their types.
macro_rules! built_in_games {
    ($($game:ty),* $(,)?) => {
        const GAMES: &[GameEntry] = &[$(GameEntry::of::<$game>()),*];

        impl DynGame {
            /// Calls the visitor with a built-in game in its own type, for work
            /// that would be slow through a `DynGame`. `None` for other games.
            pub fn visit<V: GameVisitor>(&self, visitor: V) -> Option<V::Output> {
                $(if let Some(game) = self.downcast_ref::<$game>() {
                    return Some(visitor.visit(game));
                })*
                None
            }
        }
    };
}

// To add a game: its name here, in the order of the menu, and its `CatalogGame`
// below.
built_in_games![TicTacToe, Pegs, ConnectFour, Mnk, Qubic, Ultimate];

/// Generic work on a game whose type is known only at run time.
pub trait GameVisitor {
    /// The result of the work.
    type Output;

    /// Works on a game in its own type.
    fn visit<G: CatalogGame + Symmetry>(self, game: &G) -> Self::Output;
}

/// A kind of game in the catalog.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GameEntry {
    /// The key in names of games.
    pub key: &'static str,
    /// The title in a menu.
    pub title: &'static str,
    /// The rules in a few short lines.
    pub rules: &'static str,
    /// The parameters of the game.
    pub parameters: &'static [Parameter],
    start: fn(&Spec) -> Result<DynGame, SpecError>,
}

impl GameEntry {
    pub(super) const fn of<G: CatalogGame>() -> Self {
        Self {
            key: G::KEY,
            title: G::TITLE,
            rules: G::RULES,
            parameters: G::PARAMETERS,
            start: |spec| G::from_spec(spec).map(DynGame::new),
        }
    }
}

/// Every kind of game, in the order of a menu.
pub const fn games() -> &'static [GameEntry] {
    GAMES
}

/// The start position of the game with this name: a key, and any parameters that
/// aren't at their defaults.
///
/// # Errors
///
/// [`SpecError`] says what is wrong with the name and what is allowed.
pub fn game(name: &str) -> Result<DynGame, SpecError> {
    let spec: Spec = name.parse()?;
    let unknown = || SpecError::UnknownName {
        name: format!("game {}", quoted(&spec.name)),
        allowed: GAMES.iter().map(|entry| entry.key.to_owned()).collect(),
    };
    let entry = GAMES.iter().find(|entry| entry.key == spec.name);
    (entry.ok_or_else(unknown)?.start)(&spec)
}

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

    /// Exact within a fraction of a second, so the budget is ignored.
    fn analyze(&self, _: NonZero<usize>, _: &Budget, stop: &StopFlag) -> SearchResult<Peg> {
        analyze_by_layers(self, stop).unwrap_or_else(|| {
            let shallow = Budget::depth(1);
            deepen(self, RootMoves::BestOnly, &Points, &shallow, stop)
        })
    }

    fn perfect(&self, _: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, SolveError> {
        Ok(Box::new(|difficulty| {
            Box::new(PerfectRetrograde::new(difficulty))
        }))
    }
}

impl CatalogGame for ConnectFour {
    type Evaluator = HeuristicEvaluator;
    const MONTE_CARLO: SearchPlayer<Self> = decisive_mcts;

    fn can_be_proved(&self) -> bool {
        true
    }

    #[cfg(feature = "pretrained")]
    fn pretrained(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("../networks/connect_four.safetensors"))
    }

    fn perfect(&self, threads: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, SolveError> {
        Ok(Box::new(move |difficulty| {
            Box::new(PerfectProver::new(difficulty).with_threads(threads))
        }))
    }

    /// A proof if the budget allows it, otherwise a heuristic search.
    fn analyze(
        &self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> SearchResult<Column> {
        const MAX_TABLE_BYTES: usize = 1 << 28;
        const UNPROVED: Budget = Budget::depth(8);
        Prover::new(MAX_TABLE_BYTES)
            .with_book()
            .with_threads(threads)
            .analyze(self, budget, stop)
            .unwrap_or_else(|| {
                // The flag that ended the proof doesn't end this short search.
                let never = StopFlag::new();
                deepen(
                    self,
                    RootMoves::BestOnly,
                    &HeuristicEvaluator,
                    &UNPROVED,
                    &never,
                )
            })
    }
}

/// The most cells of a board whose positions, at most three to this power, are all
/// solved.
const SMALL_BOARD: usize = 12;

impl CatalogGame for Mnk {
    type Evaluator = HeuristicEvaluator;
    const NEGAMAX: SearchPlayer<Self> = line_search;
    const MONTE_CARLO: SearchPlayer<Self> = decisive_mcts;

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
        // Up to the size of tic-tac-toe the game is solved at once.
        if self.move_count() <= 9 {
            "perfect"
        } else {
            "negamax"
        }
    }
}

impl CatalogGame for Qubic {
    type Evaluator = HeuristicEvaluator;
    const NEGAMAX: SearchPlayer<Self> = line_search;
    const MONTE_CARLO: SearchPlayer<Self> = decisive_mcts;

    fn solver(&self) -> Option<Solver<Self>> {
        Some(Solver::by_proof_number_search())
    }
}

impl CatalogGame for Ultimate {
    type Evaluator = HeuristicEvaluator;
    const MONTE_CARLO: SearchPlayer<Self> = |budget, threads, difficulty| {
        let player = MonteCarlo::new(budget);
        let player = match budget.time {
            // In this game tree parallelism is stronger than root parallelism.
            Some(_) => player.with_threads_together(threads),
            None => player.with_threads(threads),
        };
        Box::new(player.with_difficulty(difficulty))
    };

    fn strongest(&self) -> &'static str {
        "mcts(ms=1000)"
    }
}

/// Tree search with playouts in which neither side misses a win.
fn decisive_mcts<G: CatalogGame + DecisiveMoves>(
    budget: Budget,
    threads: NonZero<usize>,
    difficulty: Difficulty,
) -> Box<dyn Player<G> + Send> {
    let player = MonteCarlo::with_evaluator(DecisivePlayout, budget).with_threads(threads);
    Box::new(player.with_difficulty(difficulty))
}

/// The search for games of lines, which uses one thread.
fn line_search<G: CatalogGame + LineGame>(
    budget: Budget,
    _: NonZero<usize>,
    difficulty: Difficulty,
) -> Box<dyn Player<G> + Send> {
    Box::new(LinePlayer::new(budget).with_difficulty(difficulty))
}
