use core::num::NonZero;

#[cfg(feature = "puzzles")]
use super::puzzle_files::puzzles_of_default;
use super::{
    Catalog, CatalogGame, DynGame, Encoder, PerfectPlayerFactory, SearchPlayer, Searches, Solver,
    Transforms,
};
use open_ttt_coach::{Judge, LayersJudge, LineJudge, ProverJudge, TreeJudge};
use open_ttt_lib::games::{
    Column, ConnectFour, Cube, DotsAndBoxes, Draughts, Hex, Lines, Marks, Mnk, Morris, Peg, Pegs,
    Quarto, Qubic, Reversi, TicTacToe, Ultimate,
};
use open_ttt_lib::rules::{DecisiveMoves, Encode, IndexedMoves, LineGame, Symmetry};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{
    LevelSkills, LinePlayer, MonteCarlo, PerfectBook, PerfectProver, PerfectRetrograde, Player,
};
use open_ttt_search::{
    Budget, DecisivePlayout, EstimatedPoints, HeuristicEvaluator, Points, ProofNumberSearch,
    ProvedOutcome, Prover, RootMoves, SearchResult, SolveError, StopFlag, analyze_by_layers,
    deepen, prove_by_book,
};

/// Registers the bundled games: the one list of their types.
macro_rules! bundled_games {
    ($($game:ty),* $(,)?) => {
        impl Catalog {
            /// The games of this library.
            pub fn bundled() -> Self {
                Self::empty()$(.with::<$game>())*
            }
        }

        impl DynGame {
            /// Calls the visitor with the game in its own type, for work that would be
            /// slower through a `DynGame`; `None` if it isn't a game of this library.
            pub fn visit<V: GameVisitor>(&self, visitor: V) -> Option<V::Output> {
                $(if let Some(game) = self.downcast_ref::<$game>() {
                    return Some(visitor.visit(game));
                })*
                None
            }
        }
    };
}

// The scales of the evaluations come from games: `cargo run --release -p difficulty --
// --scale GAME` prints the factor by which a scale is to be divided.

// The skills of the levels come from matches: `cargo run --release -p difficulty -- --calibrate
// GAME` finds them, and docs/difficulty.md says how far the levels are apart.

// To add a game: its name here, in the order of the menu, and its `CatalogGame`
// below.
bundled_games! {
    TicTacToe, Pegs, ConnectFour, Mnk, Qubic, Ultimate, Reversi, DotsAndBoxes, Hex, Lines,
    Quarto, Draughts, Morris,
}

/// Generic work on a game whose type is known only at run time.
pub trait GameVisitor {
    /// The result of the work.
    type Output;

    /// Works on a game in its own type.
    fn visit<G: CatalogGame + Encode + Symmetry>(self, game: &G) -> Self::Output;
}

impl CatalogGame for TicTacToe {
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

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

    fn level_skills(&self) -> LevelSkills {
        [0.01, 0.23, 0.4, 0.57, 0.69]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "ttt.txt")
    }
}

impl CatalogGame for Pegs {
    const SEARCHES: Searches<Self> = Searches::with::<Points>();
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

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
        analyze_by_layers(self, stop).unwrap_or_else(|_| {
            let shallow = Budget::depth(1);
            deepen(self, RootMoves::BestOnly, &Points, &shallow, stop)
        })
    }

    fn perfect(&self, _: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, SolveError> {
        Ok(Box::new(|difficulty| {
            Box::new(PerfectRetrograde::new(difficulty))
        }))
    }

    fn judge(&self, _: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        Box::new(LayersJudge)
    }

    fn attentive(&self) -> &'static str {
        "perfect"
    }

    fn level_skills(&self) -> LevelSkills {
        [0.01, 0.32, 0.55, 0.74, 0.87]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "pegs.txt")
    }
}

impl CatalogGame for ConnectFour {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>().with_scale(23.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();
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

    fn judge(&self, threads: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        let judge = ProverJudge::new(Self::SEARCHES.scale());
        Box::new(judge.with_threads(threads))
    }

    fn attentive(&self) -> &'static str {
        "mcts(iterations=200000)"
    }

    fn level_skills(&self) -> LevelSkills {
        [0.22, 0.45, 0.71, 0.87, 0.97]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "connect4.txt")
    }
}

/// The most cells of a board whose positions, at most three to this power, are all
/// solved.
const SMALL_BOARD: usize = 12;

impl CatalogGame for Mnk {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>().with_scale(100.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();
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

    fn judge(&self, _: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        if self.can_be_proved() {
            return Self::SEARCHES.judge(self);
        }
        Box::new(LineJudge::new(Self::SEARCHES.scale()))
    }

    fn level_skills(&self) -> LevelSkills {
        [0.5, 0.68, 0.82, 0.94, 1.0]
    }

    fn attentive(&self) -> &'static str {
        "negamax(nodes=100000)"
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "mnk.txt")
    }
}

impl CatalogGame for Qubic {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>().with_scale(47.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();
    const NEGAMAX: SearchPlayer<Self> = line_search;
    const MONTE_CARLO: SearchPlayer<Self> = decisive_mcts;

    fn strongest(&self) -> &'static str {
        "perfect"
    }

    fn known_outcome(&self, stop: &StopFlag) -> Option<ProvedOutcome<Cube>> {
        prove_by_book(self, stop)
    }

    fn perfect(&self, _: NonZero<usize>) -> Result<PerfectPlayerFactory<Self>, SolveError> {
        Ok(Box::new(|difficulty| {
            Box::new(PerfectBook::new(difficulty))
        }))
    }

    fn solver(&self) -> Option<Solver<Self>> {
        Some(Solver::by_proof_number_search())
    }

    fn judge(&self, _: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        let judge = LineJudge::new(Self::SEARCHES.scale());
        Box::new(judge.with_known(prove_by_book))
    }

    fn level_skills(&self) -> LevelSkills {
        [0.5, 0.68, 0.82, 0.92, 1.0]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "qubic.txt")
    }
}

impl CatalogGame for Ultimate {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>();
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();
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

    fn attentive(&self) -> &'static str {
        "mcts(iterations=200000)"
    }

    fn judge(&self, _: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        Box::new(TreeJudge::default())
    }

    fn level_skills(&self) -> LevelSkills {
        [0.33, 0.54, 0.71, 0.88, 0.98]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "ultimate.txt")
    }
}

impl CatalogGame for Reversi {
    const SEARCHES: Searches<Self> = Searches::with::<EstimatedPoints>().with_scale(1400.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

    fn can_be_proved(&self) -> bool {
        self.size() == 4
    }

    fn solver(&self) -> Option<Solver<Self>> {
        self.can_be_proved().then(Solver::every_position)
    }

    fn attentive(&self) -> &'static str {
        "negamax(nodes=300000)"
    }

    fn level_skills(&self) -> LevelSkills {
        [0.37, 0.57, 0.71, 0.84, 0.97]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "reversi.txt")
    }
}

/// The most edges of a board of Dots and Boxes of which every position is solved.
const FEW_EDGES: usize = 12;

impl CatalogGame for DotsAndBoxes {
    const SEARCHES: Searches<Self> = Searches::with::<EstimatedPoints>().with_scale(600.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

    fn can_be_proved(&self) -> bool {
        self.move_count() <= FEW_EDGES
    }

    fn solver(&self) -> Option<Solver<Self>> {
        self.can_be_proved().then(Solver::every_position)
    }

    fn attentive(&self) -> &'static str {
        "negamax(nodes=200000)"
    }

    fn level_skills(&self) -> LevelSkills {
        [0.68, 0.76, 0.83, 0.91, 1.0]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "dots.txt")
    }
}

impl CatalogGame for Hex {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>().with_scale(143.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

    fn can_be_proved(&self) -> bool {
        self.size() == Self::MIN_SIZE
    }

    fn solver(&self) -> Option<Solver<Self>> {
        self.can_be_proved().then(Solver::every_position)
    }

    fn level_skills(&self) -> LevelSkills {
        [0.28, 0.43, 0.62, 0.81, 1.0]
    }

    fn attentive(&self) -> &'static str {
        "negamax(nodes=100000)"
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "hex.txt")
    }
}

/// The most cells of a board on which all marks are alike whose positions, at most two to
/// this power, are all solved.
const SMALL_BOARD_OF_X: usize = 18;

impl CatalogGame for Lines {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>().with_scale(30.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

    fn can_be_proved(&self) -> bool {
        match self.options().marks {
            Marks::Own | Marks::Any => self.cells() <= SMALL_BOARD,
            Marks::Same => self.cells() <= SMALL_BOARD_OF_X,
        }
    }

    fn solver(&self) -> Option<Solver<Self>> {
        self.can_be_proved().then(Solver::every_position)
    }

    fn level_skills(&self) -> LevelSkills {
        [0.0, 0.25, 0.36, 0.53, 0.68]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "lines.txt")
    }
}

impl CatalogGame for Quarto {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>();
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();
    const MONTE_CARLO: SearchPlayer<Self> = decisive_mcts;

    fn judge(&self, _: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        Box::new(TreeJudge::new(DecisivePlayout, 0))
    }

    fn attentive(&self) -> &'static str {
        "negamax(nodes=200000)"
    }

    fn level_skills(&self) -> LevelSkills {
        [0.0, 0.32, 0.72, 0.85, 1.0]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "quarto.txt")
    }
}

impl CatalogGame for Draughts {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>().with_scale(87.0);
    const ENCODER: Encoder<Self> = Encoder::own();

    fn attentive(&self) -> &'static str {
        "negamax(nodes=1000000)"
    }

    fn level_skills(&self) -> LevelSkills {
        [0.39, 0.57, 0.69, 0.83, 0.97]
    }

    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "draughts.txt")
    }
}

impl CatalogGame for Morris {
    const SEARCHES: Searches<Self> = Searches::with::<HeuristicEvaluator>().with_scale(94.0);
    const ENCODER: Encoder<Self> = Encoder::own();
    const CANONICAL: fn(&Self) -> Self = Self::canonical;
    const TRANSFORMS: Transforms<Self> = Transforms::own();

    fn can_be_proved(&self) -> bool {
        self.men_each() == 3
    }

    fn solver(&self) -> Option<Solver<Self>> {
        self.can_be_proved().then(Solver::every_position)
    }

    fn attentive(&self) -> &'static str {
        "negamax(nodes=1000000)"
    }

    fn level_skills(&self) -> LevelSkills {
        [0.22, 0.42, 0.62, 0.79, 0.93]
    }

    #[cfg(feature = "puzzles")]
    fn puzzles(&self) -> &'static str {
        puzzles_of_default!(self, "morris.txt")
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
