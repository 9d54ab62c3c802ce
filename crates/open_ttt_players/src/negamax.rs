use core::num::NonZero;

use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{Budget, Evaluator, RootMoves, TranspositionTable, deepen_together};

/// Looks ahead with alpha-beta search, deeper and deeper within a budget.
///
/// What it found out about positions it keeps from turn to turn, in a table
/// that grows with the work up to 64 MiB. So it may think about positions that
/// never come to be played: nothing of that is lost, or in the way.
///
/// It works on as many threads as it is [given](Self::with_threads), one if
/// nothing is said. To a depth it plays the same moves on any number of them.
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
    threads: NonZero<usize>,
    difficulty: Difficulty,
    table: TranspositionTable,
}

impl<E> Negamax<E> {
    /// A player that judges by this evaluator and spends this much on a move.
    pub fn new(evaluator: E, budget: Budget) -> Self {
        Self {
            evaluator,
            budget,
            threads: NonZero::<usize>::MIN,
            difficulty: Difficulty::unerring(),
            table: TranspositionTable::growing(),
        }
    }

    /// The same player at work on so many threads, where the work is hard. They
    /// end with each move, and the nodes of its budget are shared out evenly.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
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
        // Whoever overlooks the best must know how good the others are.
        let wanted = if errs {
            RootMoves::All
        } else {
            RootMoves::BestOnly
        };
        let answer = deepen_together(
            self.threads,
            &mut self.table,
            turn.game,
            wanted,
            &self.evaluator,
            &self.budget,
            &turn.stop,
        );
        if errs {
            self.difficulty.choose(&answer.moves, errs)
        } else {
            let best = self.difficulty.rng.pick(answer.best);
            best.map_or(Decision::Resign, Decision::Play)
        }
    }
}
