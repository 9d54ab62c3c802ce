use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::LineGame;
use open_ttt_search::{Budget, line_search};

/// Plays line games with [`line_search`]: threat search for forced wins of both
/// sides, and alpha-beta search among the relevant moves.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_players::difficulty::Difficulty;
/// use open_ttt_players::{LinePlayer, Random, play_game};
/// use open_ttt_search::Budget;
///
/// let mut computer = LinePlayer::new(Budget::depth(1)).with_difficulty(Difficulty::seeded(1));
/// let record = play_game(&Mnk::default(), &mut computer, &mut Random::seeded(1));
/// assert_eq!(record.end.outcome(), Outcome::Win(Side::First));
/// ```
#[derive(Clone, Debug)]
pub struct LinePlayer {
    budget: Budget,
    difficulty: Difficulty,
}

impl LinePlayer {
    /// A player with this budget for each move.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            difficulty: Difficulty::without_mistakes(),
        }
    }

    /// Sets the difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G: LineGame> Player<G> for LinePlayer {
    fn player_name(&self) -> &'static str {
        "negamax"
    }

    /// Resigns on boards of more than 384 cells, which the search doesn't support.
    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let quality = self.difficulty.draw();
        match line_search(turn.game, quality.root_moves(), &self.budget, &turn.stop) {
            Some(result) => self.difficulty.choose(&result.moves, quality),
            None => Decision::Resign,
        }
    }
}
