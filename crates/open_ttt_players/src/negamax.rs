use core::num::NonZero;

use super::difficulty::{Difficulty, MoveQuality};
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{Budget, Evaluator, IterativeDeepening};

/// Plays by alpha-beta search with [`IterativeDeepening`].
///
/// The transposition table is kept between turns, so pondering on positions that
/// never come up costs nothing.
///
/// The number of [threads](Self::with_threads) doesn't change the moves of a
/// search limited by depth.
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_players::difficulty::Difficulty;
/// use open_ttt_players::{Negamax, Random, play_game};
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
    /// A player with this evaluator and this budget for each move.
    pub fn new(evaluator: E, budget: Budget) -> Self {
        Self {
            evaluator,
            budget,
            search: IterativeDeepening::default(),
            difficulty: Difficulty::without_mistakes(),
        }
    }

    /// Sets the number of threads for hard positions. They end with each move
    /// and share the nodes of the budget evenly.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        let search = self.search.with_threads(threads);
        Self { search, ..self }
    }

    /// Sets the difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G, E> Player<G> for Negamax<E>
where
    G: TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    E: Evaluator<G> + Clone + Sync,
{
    fn player_name(&self) -> &'static str {
        "negamax"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let quality = self.difficulty.draw();
        let result = self.search.search_with_history(
            turn.earlier,
            turn.game,
            quality.root_moves(),
            &self.evaluator,
            &self.budget,
            &turn.stop,
        );
        match quality {
            MoveQuality::Best => Decision::play_or_resign(self.difficulty.rng.pick(result.best)),
            MoveQuality::Mistake => self.difficulty.choose(&result.moves, quality),
        }
    }
}
