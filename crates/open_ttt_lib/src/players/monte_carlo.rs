use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use crate::rules::TwoPlayerGame;
use crate::search::{Budget, TreeOptions, monte_carlo};

/// Chooses by random games: plays any game there is, with nothing but its
/// rules.
///
/// A mistake is to overlook the move that was tried most often and play the
/// next.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::players::difficulty::Difficulty;
/// use open_ttt_lib::players::{MonteCarlo, Random, WinStatus, play_game};
/// use open_ttt_lib::search::Budget;
///
/// let mut computer =
///     MonteCarlo::new(Budget::nodes(500)).with_difficulty(Difficulty::seeded(1));
/// let record = play_game(&ConnectFour::new(), &mut computer, &mut Random::seeded(1));
/// assert_eq!(record.result().player1, WinStatus::Winner);
/// ```
#[doc(alias = "mcts")]
#[derive(Clone, Debug)]
pub struct MonteCarlo {
    budget: Budget,
    options: TreeOptions,
    difficulty: Difficulty,
}

impl MonteCarlo {
    /// The iterations made for a move when nothing else is said.
    pub const ITERATIONS: u64 = 10_000;

    /// A player that spends this much on a move.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            options: TreeOptions::default(),
            difficulty: Difficulty::unerring(),
        }
    }

    /// The same player with these options of its search.
    pub fn with_options(self, options: TreeOptions) -> Self {
        Self { options, ..self }
    }

    /// The same player with this difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl Default for MonteCarlo {
    /// Ten thousand iterations a move.
    fn default() -> Self {
        Self::new(Budget::nodes(Self::ITERATIONS))
    }
}

impl<G: TwoPlayerGame> Player<G> for MonteCarlo {
    fn player_name(&self) -> &'static str {
        "mcts"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let errs = self.difficulty.errs_now();
        let rng = &mut self.difficulty.rng;
        let answer = monte_carlo(turn.game, self.options, &self.budget, &turn.stop, rng);
        let next_best = answer.moves.get(1).filter(|_| errs);
        next_best
            .or(answer.moves.first())
            .map_or(Decision::Resign, |statistics| Decision::Play(statistics.m))
    }
}
