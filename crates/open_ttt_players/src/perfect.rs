use std::sync::Arc;

use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    Evaluator, Solution, SolveError, StopFlag, WinLoss, draws_if_repeated, solve,
};

/// Plays a small game perfectly from its solution: the fastest win, the slowest
/// loss.
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

    /// Solves a game without points.
    ///
    /// # Errors
    ///
    /// [`SolveError`] if more than [`MAX_POSITIONS`](Self::MAX_POSITIONS) can be
    /// reached from `start`, or if a repetition loses.
    pub fn new(start: &G) -> Result<Self, SolveError> {
        Self::with_evaluator(start, &WinLoss)
    }

    /// Solves a game whose final positions this evaluator scores.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_evaluator(start: &G, evaluator: &impl Evaluator<G>) -> Result<Self, SolveError> {
        let solution = solve(start, evaluator, Self::MAX_POSITIONS, &StopFlag::new())?;
        Ok(Self {
            solution: Arc::new(solution),
            difficulty: Difficulty::without_mistakes(),
        })
    }

    /// Sets the difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }
}

impl<G: TwoPlayerGame> Player<G> for Perfect<G> {
    fn player_name(&self) -> &'static str {
        "perfect"
    }

    /// Resigns positions that can't be reached from the solved start.
    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let quality = self.difficulty.draw();
        // The solution has no history, in which others may have brought positions back. Its
        // own winning moves never do.
        let draws = draws_if_repeated(turn.game, turn.earlier);
        match self.solution.moves_with_draws(turn.game, &draws) {
            Some(moves) => self.difficulty.choose(&moves, quality),
            None => Decision::Resign,
        }
    }
}
