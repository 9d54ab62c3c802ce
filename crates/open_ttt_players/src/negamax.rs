use core::num::NonZero;

use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{Budget, Evaluator, IterativeDeepening, RootMoves};

/// Plays by alpha-beta search with [`IterativeDeepening`].
///
/// The transposition table is kept from turn to turn, so searching positions that
/// are not played, while pondering, does no harm.
///
/// If depth alone limits the search, the moves do not depend on the number of
/// [threads](Self::with_threads).
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_players::difficulty::Difficulty;
/// use open_ttt_players::{Negamax, Random, play_game};
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_search::{Budget, Points};
///
/// let mut computer =
///     Negamax::new(Points, Budget::depth(4)).with_difficulty(Difficulty::seeded(1));
/// let record = play_game(&Pegs::new(), &mut computer, &mut Random::seeded(1));
/// assert_eq!(record.end.outcome(), Outcome::Win(Side::First));
/// ```
#[derive(Clone, Debug)]
pub struct Negamax<E> {
    evaluator: E,
    budget: Budget,
    search: IterativeDeepening,
    difficulty: Difficulty,
}

impl<E> Negamax<E> {
    /// A player with this evaluator and this budget for a move, on one thread.
    pub fn new(evaluator: E, budget: Budget) -> Self {
        Self {
            evaluator,
            budget,
            search: IterativeDeepening::default(),
            difficulty: Difficulty::unerring(),
        }
    }

    /// The same player with this many threads for large searches. The threads end
    /// with each move, and the nodes of the budget are split evenly.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        let search = self.search.with_threads(threads);
        Self { search, ..self }
    }

    /// The same player with this difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G, E> Player<G> for Negamax<E>
where
    G: TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    E: Evaluator<G> + Sync,
{
    fn player_name(&self) -> &'static str {
        "negamax"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let errs = self.difficulty.errs_now();
        // A mistake is chosen by the scores of all moves.
        let root_moves = if errs {
            RootMoves::All
        } else {
            RootMoves::BestOnly
        };
        let result = self.search.search(
            turn.game,
            root_moves,
            &self.evaluator,
            &self.budget,
            &turn.stop,
        );
        if errs {
            self.difficulty.choose(&result.moves, errs)
        } else {
            let best = self.difficulty.rng.pick(result.best);
            best.map_or(Decision::Resign, Decision::Play)
        }
    }
}
