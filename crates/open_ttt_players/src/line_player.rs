use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::LineGame;
use open_ttt_search::{Budget, RootMoves, line_search};

/// Plays games of completing lines: sees forced wins, its own and those it must
/// meet, and looks ahead among the moves that matter.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_players::difficulty::Difficulty;
/// use open_ttt_players::{LinePlayer, Random, play_game};
/// use open_ttt_lib::rules::{Outcome, Side};
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
    /// A player that spends this much on a move.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            difficulty: Difficulty::unerring(),
        }
    }

    /// The same player with this difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G: LineGame> Player<G> for LinePlayer {
    fn player_name(&self) -> &'static str {
        "negamax"
    }

    /// Resigns a game whose board is too large for it: of more than 384 cells.
    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let errs = self.difficulty.errs_now();
        // Whoever overlooks the best must know how good the others are.
        let wanted = if errs {
            RootMoves::All
        } else {
            RootMoves::BestOnly
        };
        match line_search(turn.game, wanted, &self.budget, &turn.stop) {
            Some(found) => self.difficulty.choose(&found.moves, errs),
            None => Decision::Resign,
        }
    }
}
