use std::sync::Arc;

use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{Evaluator, Solution, TooLarge, WinLoss, solve};

/// Plays a solved game: wins as fast as it can, loses as slowly as it can,
/// and cannot be beaten where the game itself is not lost.
///
/// Clones share the solution.
#[derive(Clone, Debug)]
pub struct Perfect<G> {
    solution: Arc<Solution<G>>,
    difficulty: Difficulty,
}

impl<G: TwoPlayerGame> Perfect<G> {
    /// The largest game that is solved, in positions: tic-tac-toe has 5,478.
    pub const MAX_POSITIONS: usize = 400_000;

    /// Solves a game that is won by winning, not by points.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if more than [`MAX_POSITIONS`](Self::MAX_POSITIONS) can
    /// be reached from `start`.
    pub fn new(start: &G) -> Result<Self, TooLarge> {
        Self::judging(start, &WinLoss)
    }

    /// Solves a game as this evaluator judges its ends.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn judging(start: &G, evaluator: &impl Evaluator<G>) -> Result<Self, TooLarge> {
        let solution = solve(start, evaluator, Self::MAX_POSITIONS)?;
        Ok(Self {
            solution: Arc::new(solution),
            difficulty: Difficulty::unerring(),
        })
    }

    /// The same player with this difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G: TwoPlayerGame> Player<G> for Perfect<G> {
    fn player_name(&self) -> &'static str {
        "perfect"
    }

    /// Resigns a game that does not come from the start it has solved.
    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let errs = self.difficulty.errs_now();
        match self.solution.moves(turn.game) {
            Some(moves) => self.difficulty.choose(&moves, errs),
            None => Decision::Resign,
        }
    }
}
