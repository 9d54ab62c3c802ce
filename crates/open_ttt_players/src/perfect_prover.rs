use core::num::NonZero;

use super::difficulty::{Difficulty, MoveQuality};
use super::{Decision, Player, Turn};
use open_ttt_lib::random::Probability;
use open_ttt_lib::rules::{Heuristic, OpeningBook, Outcome, Tactics};
use open_ttt_search::{
    Budget, HeuristicEvaluator, Prover, RootMoves, SearchResult, StopFlag, deepen,
};

/// Plays perfectly by proving the values of its moves: from a book in the
/// opening, then with a [`Prover`].
///
/// A player without mistakes stays in positions whose proofs the book makes
/// short, so it proves every move, in seconds at most from the start of the game.
/// A player with mistakes leaves the book. It limits each proof to 20 million
/// nodes, a few seconds' work, and falls back to heuristic search.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::{PerfectProver, Random, WinStatus, play_game};
///
/// let mut perfect = PerfectProver::default();
/// let record = play_game(&ConnectFour::new(), &mut perfect, &mut Random::seeded(1));
/// assert_eq!(record.result().player1, WinStatus::Winner);
/// ```
#[derive(Debug)]
pub struct PerfectProver<G> {
    prover: Prover<G>,
    proof_budget: Budget,
    difficulty: Difficulty,
}

impl<G: Tactics + OpeningBook<Value = (Outcome, u32)>> PerfectProver<G> {
    /// The largest transposition table, in bytes. It grows with the work.
    pub const MAX_TABLE_BYTES: usize = 1 << 26;

    /// A player with this difficulty.
    pub fn new(difficulty: Difficulty) -> Self {
        Self {
            prover: Prover::new(Self::MAX_TABLE_BYTES).with_book(),
            proof_budget: if difficulty.mistakes > Probability::NEVER {
                Budget::nodes(20_000_000)
            } else {
                Budget::UNLIMITED
            },
            difficulty,
        }
    }

    /// Sets the number of threads for hard proofs. They end with each move.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self {
            prover: self.prover.with_threads(threads),
            ..self
        }
    }
}

impl<G: Tactics + OpeningBook<Value = (Outcome, u32)>> Default for PerfectProver<G> {
    /// A player without mistakes.
    fn default() -> Self {
        Self::new(Difficulty::without_mistakes())
    }
}

impl<G: Tactics + OpeningBook<Value = (Outcome, u32)> + Heuristic + Sync> Player<G>
    for PerfectProver<G>
{
    fn player_name(&self) -> &'static str {
        "perfect"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let Turn { game, stop, .. } = turn;
        match self.difficulty.draw() {
            MoveQuality::Best => {
                let proved = self.prover.best_move(game, &self.proof_budget, stop);
                Decision::play_or_resign(proved.map(|(m, _)| m).or_else(|| {
                    let best = unproved(*game, RootMoves::BestOnly, stop).best;
                    self.difficulty.rng.pick(best)
                }))
            }
            quality @ MoveQuality::Mistake => {
                let moves = self.prover.moves(game, &self.proof_budget, stop);
                let moves =
                    moves.unwrap_or_else(|| unproved(*game, quality.root_moves(), stop).moves);
                self.difficulty.choose(&moves, quality)
            }
        }
    }
}

fn unproved<G: Heuristic>(game: &G, wanted: RootMoves, stop: &StopFlag) -> SearchResult<G::Move> {
    deepen(game, wanted, &HeuristicEvaluator, &Budget::depth(8), stop)
}
