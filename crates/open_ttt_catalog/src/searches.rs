use core::fmt;
use core::num::NonZero;

use super::CatalogGame;
use super::catalog_game::{PerfectPlayerFactory, SearchPlayer};
use super::dyn_evaluator::Evaluation;
use super::solving::{SolveRequest, SolvedPosition, solve_every_position};
use open_ttt_coach::{Judge, SearchJudge, SolvedJudge, SolvedValue, TreeJudge};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::{Negamax, Perfect};
use open_ttt_search::{
    Budget, Evaluator, IterativeDeepening, RootMoves, Score, SearchResult, SolveError, StopFlag,
    solve,
};

/// As [`CatalogGame::analyze`].
type Analyze<G> =
    fn(&G, NonZero<usize>, &Budget, &StopFlag) -> SearchResult<<G as TwoPlayerGame>::Move>;

/// The searches of a game, all with one [`Evaluator`].
///
/// ```
/// use open_ttt_catalog::Searches;
/// use open_ttt_lib::games::{ConnectFour, Pegs};
/// use open_ttt_search::{HeuristicEvaluator, Points};
///
/// // For `CatalogGame::SEARCHES` of a game with a heuristic, and of one of points.
/// const CONNECT_FOUR: Searches<ConnectFour> = Searches::with::<HeuristicEvaluator>();
/// const PEGS: Searches<Pegs> = Searches::with::<Points>();
/// # let _ = (CONNECT_FOUR, PEGS);
/// ```
pub struct Searches<G: CatalogGame> {
    pub(super) negamax: SearchPlayer<G>,
    pub(super) analyze: Analyze<G>,
    pub(super) perfect: fn(&G) -> Result<PerfectPlayerFactory<G>, SolveError>,
    pub(super) solve: fn(&G, &mut SolveRequest<'_>) -> Result<SolvedPosition, SolveError>,
    pub(super) evaluation: Evaluation<G>,
    solved_value: fn(Score) -> SolvedValue,
    judge: fn(&G, Option<f64>) -> Box<dyn Judge<G> + Send>,
    scale: Option<f64>,
}

impl<G: CatalogGame> Searches<G> {
    /// The searches with this evaluator.
    pub const fn with<E>() -> Self
    where
        E: Evaluator<G> + Clone + Default + Send + Sync + 'static,
    {
        Self {
            negamax: |budget, threads, difficulty| {
                let negamax = Negamax::new(E::default(), budget);
                Box::new(negamax.with_threads(threads).with_difficulty(difficulty))
            },
            analyze: |game, threads, budget, stop| {
                // No depth proves that a game can go on for ever: its graph does.
                let cyclic = game.can_be_proved() && game.repetition().is_some();
                let solution = cyclic
                    .then(|| solve(game, &E::default(), Perfect::<G>::MAX_POSITIONS, stop).ok())
                    .flatten();
                if let Some(result) = solution.and_then(|solution| solution.analyze(game)) {
                    return result;
                }
                let mut deepening = IterativeDeepening::default().with_threads(threads);
                deepening.search(game, RootMoves::BestOnly, &E::default(), budget, stop)
            },
            perfect: |game| {
                let perfect = Perfect::with_evaluator(game, &E::default())?;
                Ok(Box::new(move |difficulty| {
                    Box::new(perfect.clone().with_difficulty(difficulty))
                }))
            },
            evaluation: Evaluation::of::<E>(),
            solve: |game, request| solve_every_position(game, &E::default(), request),
            solved_value: |score| SolvedValue::of_score::<G>(score, &E::default()),
            judge: |game, scale| match scale {
                _ if game.can_be_proved() => {
                    Box::new(SolvedJudge::new(E::default(), scale.unwrap_or(1.0)))
                }
                Some(scale) => Box::new(SearchJudge::new(E::default(), scale)),
                None => Box::new(TreeJudge::default()),
            },
            scale: None,
        }
    }

    /// The same searches, whose evaluations promise the side to move a win in 73 games of
    /// 100 where they have this value, more than 0. Without a scale, what a move promises
    /// is estimated by random playouts.
    #[must_use]
    pub const fn with_scale(self, scale: f64) -> Self {
        Self {
            scale: Some(scale),
            ..self
        }
    }

    /// The value that a proved score stands for.
    pub(super) fn solved_value(&self, score: Score) -> SolvedValue {
        (self.solved_value)(score)
    }

    /// The judge of positions of this game.
    pub(super) fn judge(&self, game: &G) -> Box<dyn Judge<G> + Send> {
        (self.judge)(game, self.scale)
    }

    /// The scale of the evaluations, 1 if there is none.
    pub(super) const fn scale(&self) -> f64 {
        match self.scale {
            Some(scale) => scale,
            None => 1.0,
        }
    }
}

impl<G: CatalogGame> fmt::Debug for Searches<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searches").finish_non_exhaustive()
    }
}
