use core::num::NonZero;

use super::difficulty::{Difficulty, MoveQuality, moves_to_exclude};
use super::{Decision, Player, Turn};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    Budget, LeafEvaluator, Playout, StopFlag, TimeLimit, TreeAnswer, TreeOptions, TreeSearch,
};

/// Plays any game by Monte-Carlo tree search ([`TreeSearch`]), from its rules
/// alone.
///
/// The tree is kept between turns: visits of the moves played since still count.
/// In an unrelated position the search starts over.
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

/// Continues a search, with one tree per thread or with one tree for all threads.
type Step<G, E> = fn(&mut TreeSearch<G, E>, NonZero<usize>, &Budget, &StopFlag);

/// The default number of iterations of [`MonteCarlo`] per move.
pub const MONTE_CARLO_ITERATIONS: u64 = 10_000;

impl<G: TwoPlayerGame> MonteCarlo<G> {
    /// A player with this budget for each move that evaluates leaves by random
    /// playouts.
    pub fn new(budget: Budget) -> Self {
        Self::with_evaluator(Playout, budget)
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G>> MonteCarlo<G, E> {
    /// A player with this leaf evaluator and this budget for each move.
    pub fn with_evaluator(evaluator: E, budget: Budget) -> Self {
        Self {
            budget,
            options: TreeOptions::default(),
            evaluator,
            difficulty: Difficulty::without_mistakes(),
            search: None,
            threads: NonZero::<usize>::MIN,
            step: |search, _, budget, stop| search.step(budget, stop),
        }
    }

    /// Sets the search options and starts the search over.
    pub fn with_options(self, options: TreeOptions) -> Self {
        Self {
            options,
            search: None,
            ..self
        }
    }

    /// Searches with one tree per thread (root parallelism) and starts the search
    /// over. The threads end with each move.
    ///
    /// A budget of iterations is divided among the trees: more threads make the
    /// player faster, not stronger. A time limit applies to all trees at once. A
    /// seed, a number of iterations and a number of threads determine the moves.
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

    /// Searches one tree with all threads (tree parallelism) and starts the search
    /// over. The threads end with each move.
    ///
    /// That can be stronger than [one tree per thread](Self::with_threads) if
    /// evaluating a leaf takes longer than updating the tree
    /// ([`TreeSearch::step_together`]). With several threads the moves are not
    /// reproducible.
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

    /// Sets the difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G> + Clone> MonteCarlo<G, E> {
    /// The search at this position: the current one if the position is in its
    /// tree.
    fn search_at(&mut self, turn: &Turn<'_, G>) -> &mut TreeSearch<G, E> {
        let game = turn.game;
        let kept = self.search.take_if(|search| search.advance_to(game));
        let mut search = kept.unwrap_or_else(|| {
            let rng = Rng::new(self.difficulty.rng.next_u64());
            TreeSearch::new(game, self.evaluator.clone(), self.options, rng)
        });
        search.set_history(turn.earlier);
        self.search.insert(search)
    }
}

impl<G: TwoPlayerGame> Default for MonteCarlo<G> {
    /// A player with [`MONTE_CARLO_ITERATIONS`] per move.
    fn default() -> Self {
        Self::new(Budget::nodes(MONTE_CARLO_ITERATIONS))
    }
}

impl<G: TwoPlayerGame, E: LeafEvaluator<G> + Clone> Player<G> for MonteCarlo<G, E> {
    fn player_name(&self) -> &'static str {
        "mcts"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let quality = self.difficulty.draw();
        let (step, threads, budget) = (self.step, self.threads, self.budget);
        let run = |search: &mut TreeSearch<G, E>| {
            step(search, threads, &budget, &turn.stop);
            // Visits every move once, whatever the budget.
            search.answer_within(&Budget::nodes(0), &turn.stop)
        };
        let search = self.search_at(turn);
        let mut answer = run(search);
        if quality == MoveQuality::Mistake {
            let excluded = best_moves(&answer);
            if excluded.len() < answer.moves.len() {
                search.exclude(excluded);
                answer = match answer.proved {
                    // The proof ended the search before it visited the other moves.
                    Some(_) => run(search),
                    None => search.answer(),
                };
            }
        }
        Decision::play_or_resign(answer.moves.first().map(|best| best.m))
    }

    /// Searches from the opponent's position, with the budget of a move for each
    /// reply.
    fn ponder(&mut self, turn: &Turn<'_, G>) -> bool {
        let replies = turn.game.moves().count();
        let Budget { nodes, time, depth } = self.budget;
        let budget = Budget {
            nodes: nodes.map(|nodes| nodes.saturating_mul(replies as u64)),
            time: time.map(|time| TimeLimit {
                limit: time.limit.saturating_mul(replies as u32),
                ..time
            }),
            depth,
        };
        let (step, threads) = (self.step, self.threads);
        step(self.search_at(turn), threads, &budget, &turn.stop);
        true
    }
}

fn best_moves<M: Copy + Eq>(answer: &TreeAnswer<M>) -> Vec<M> {
    let moves = answer.moves.iter().map(|found| (found.m, found.proved));
    moves_to_exclude(answer.moves.first().map(|best| best.m), moves)
}
