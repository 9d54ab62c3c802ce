use core::num::NonZero;

use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    Budget, LeafEvaluator, Playout, StopFlag, TimeLimit, TreeAnswer, TreeOptions, TreeSearch,
};

/// Chooses by tree search: plays any game there is, with nothing but its
/// rules.
///
/// It keeps its tree between its turns: what it saw of the moves played since
/// counts on. In another position it begins anew.
///
/// A mistake is to overlook the best move and play the next; where the best is
/// proved to win or to draw, all moves that are proved to do the same are
/// overlooked.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::difficulty::Difficulty;
/// use open_ttt_players::{MonteCarlo, Random, WinStatus, play_game};
/// use open_ttt_search::Budget;
///
/// let mut computer =
///     MonteCarlo::new(Budget::nodes(500)).with_difficulty(Difficulty::seeded(1));
/// let record = play_game(&ConnectFour::new(), &mut computer, &mut Random::seeded(1));
/// assert_eq!(record.result().player1, WinStatus::Winner);
/// ```
#[doc(alias = "mcts")]
#[derive(Clone, Debug)]
pub struct MonteCarlo<G: TwoPlayerGame, E = Playout> {
    budget: Budget,
    options: TreeOptions,
    evaluator: E,
    difficulty: Difficulty,
    search: Option<TreeSearch<G, E>>,
    threads: NonZero<usize>,
    step: Step<G, E>,
}

/// How a search goes on with so many threads: with one for each tree, or with
/// all in one.
type Step<G, E> = fn(&mut TreeSearch<G, E>, NonZero<usize>, &Budget, &StopFlag);

/// The iterations that [`MonteCarlo`] makes for a move when nothing else is
/// said.
pub const MONTE_CARLO_ITERATIONS: u64 = 10_000;

impl<G: TwoPlayerGame> MonteCarlo<G> {
    /// A player that spends this much on a move and judges by random games.
    pub fn new(budget: Budget) -> Self {
        Self::judging(Playout, budget)
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G>> MonteCarlo<G, E> {
    /// A player that spends this much on a move and judges in this way.
    pub fn judging(evaluator: E, budget: Budget) -> Self {
        Self {
            budget,
            options: TreeOptions::default(),
            evaluator,
            difficulty: Difficulty::unerring(),
            search: None,
            threads: NonZero::<usize>::MIN,
            step: |search, _, budget, stop| search.step(budget, stop),
        }
    }

    /// The same player with these options of its search, which it begins anew.
    pub fn with_options(self, options: TreeOptions) -> Self {
        Self {
            options,
            search: None,
            ..self
        }
    }

    /// The same player with a tree for each of so many threads, begun anew. The
    /// threads end with each move.
    ///
    /// Its iterations are shared out among the trees, so that more threads make
    /// it quicker but no stronger; where time limits it, all trees have all the
    /// time. A seed and a number of iterations give the same moves each time, but
    /// others on another number of threads.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self
    where
        G: Send,
        G::Move: Send,
        E: Send,
    {
        let options = TreeOptions {
            trees: threads,
            ..self.options
        };
        Self {
            threads,
            step: |search, _, budget, stop| search.step_on_threads(budget, stop),
            ..self.with_options(options)
        }
    }

    /// The same player with so many threads in one tree, begun anew. The threads
    /// end with each move.
    ///
    /// That can be better than [a tree for each](Self::with_threads) where judging
    /// a position takes longer than growing the tree
    /// ([`TreeSearch::step_together`]). With more than one thread, its moves are
    /// not the same each time.
    pub fn with_threads_together(self, threads: NonZero<usize>) -> Self
    where
        G: Send,
        G::Move: Send,
        E: Clone + Send,
    {
        let options = TreeOptions {
            trees: NonZero::<usize>::MIN,
            ..self.options
        };
        Self {
            threads,
            step: TreeSearch::step_together,
            ..self.with_options(options)
        }
    }

    /// The same player with this difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G> + Clone> MonteCarlo<G, E> {
    /// The search of this position: the one there is, if it leads there.
    fn search_of(&mut self, game: &G) -> &mut TreeSearch<G, E> {
        let kept = self.search.take_if(|search| search.advance_to(game));
        let search = kept.unwrap_or_else(|| {
            let rng = Rng::new(self.difficulty.rng.next_u64());
            TreeSearch::new(game, self.evaluator.clone(), self.options, rng)
        });
        self.search.insert(search)
    }
}

impl<G: TwoPlayerGame> Default for MonteCarlo<G> {
    /// [`MONTE_CARLO_ITERATIONS`] a move.
    fn default() -> Self {
        Self::new(Budget::nodes(MONTE_CARLO_ITERATIONS))
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G> + Clone> Player<G> for MonteCarlo<G, E> {
    fn player_name(&self) -> &'static str {
        "mcts"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let errs = self.difficulty.errs_now();
        let (step, threads, budget) = (self.step, self.threads, self.budget);
        let think = |search: &mut TreeSearch<G, E>| {
            step(search, threads, &budget, &turn.stop);
            // Whatever the budget, every move is tried once.
            search.answer_within(&Budget::nodes(0), &turn.stop)
        };
        let search = self.search_of(turn.game);
        let mut answer = think(search);
        if errs {
            let overlooked = best_moves(&answer);
            if overlooked.len() < answer.moves.len() {
                let ended_early = answer.proved.is_some();
                search.exclude(overlooked);
                answer = if ended_early {
                    // The others were hardly looked at.
                    think(search)
                } else {
                    search.answer()
                };
            }
        }
        match answer.moves.first() {
            Some(best) => Decision::Play(best.m),
            None => Decision::Resign,
        }
    }

    /// Grows the tree from the opponent's position, so that it is there for any
    /// reply: as much as for a move of its own after each of them.
    fn ponder(&mut self, game: &G, stop: &StopFlag) -> bool {
        let replies = game.moves().count();
        let budget = Budget {
            nodes: self
                .budget
                .nodes
                .map(|nodes| nodes.saturating_mul(replies as u64)),
            time: self.budget.time.map(|time| TimeLimit {
                limit: time.limit.saturating_mul(replies as u32),
                ..time
            }),
            ..self.budget
        };
        let (step, threads) = (self.step, self.threads);
        step(self.search_of(game), threads, &budget, stop);
        true
    }
}

/// The moves that are overlooked by a mistake.
fn best_moves<M: Copy + Eq>(answer: &TreeAnswer<M>) -> Vec<M> {
    let best = answer.moves.first();
    let equals = answer.moves.iter().filter(|statistics| {
        best.is_some_and(|best| {
            statistics.m == best.m || best.proved.is_some() && statistics.proved == best.proved
        })
    });
    equals.map(|statistics| statistics.m).collect()
}
