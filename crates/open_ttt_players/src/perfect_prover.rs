use core::num::NonZero;

use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::random::Probability;
use open_ttt_lib::rules::{Heuristic, OpeningBook, Outcome, Tactics};
use open_ttt_search::{
    Budget, HeuristicEvaluator, Prover, RootMoves, SearchResult, StopFlag, deepen,
};

/// Plays perfectly by proving what its moves are worth: by heart in the
/// opening, and with a [`Prover`] from there on.
///
/// One that never errs proves every move, however long it takes: from the start
/// of the game on seconds at most, for its book knows what comes before. One
/// that errs leaves the book by its own mistakes. Where a proof then takes more
/// than its [patience](Self::with_patience), it plays as well as it can see.
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
    patience: Budget,
    difficulty: Difficulty,
}

impl<G: Tactics + OpeningBook<Value = (Outcome, u32)>> PerfectProver<G> {
    /// How much memory the table of its prover may take, in bytes. It begins
    /// small and grows with the work.
    pub const MAX_TABLE_BYTES: usize = 1 << 26;

    /// How many positions a player that errs looks at for one move where nothing
    /// else is said: a few seconds' work.
    pub const PATIENCE: Budget = Budget::nodes(20_000_000);

    /// A player with this difficulty.
    pub fn new(difficulty: Difficulty) -> Self {
        let errs = difficulty.mistakes > Probability::NEVER;
        Self {
            prover: Prover::new(Self::MAX_TABLE_BYTES).with_book(),
            patience: if errs {
                Self::PATIENCE
            } else {
                Budget::UNLIMITED
            },
            difficulty,
        }
    }

    /// The same player at work on so many threads, where a proof is hard. They
    /// end with each move.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self {
            prover: self.prover.with_threads(threads),
            ..self
        }
    }

    /// The same player, spending at most this on a proof.
    pub fn with_patience(self, patience: Budget) -> Self {
        Self { patience, ..self }
    }
}

impl<G: Tactics + OpeningBook<Value = (Outcome, u32)>> Default for PerfectProver<G> {
    /// A player that never errs.
    fn default() -> Self {
        Self::new(Difficulty::unerring())
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
        if self.difficulty.errs_now() {
            // Whoever overlooks the best must know how good the others are.
            let moves = self.prover.moves(game, &self.patience, stop);
            let moves = moves.unwrap_or_else(|| guess(*game, RootMoves::All, stop).moves);
            return self.difficulty.choose(&moves, true);
        }
        let proved = self.prover.best_move(game, &self.patience, stop);
        let best = proved.map(|(m, _)| m).or_else(|| {
            let best = guess(*game, RootMoves::BestOnly, stop).best;
            self.difficulty.rng.pick(best)
        });
        best.map_or(Decision::Resign, Decision::Play)
    }
}

/// The answer of a search that does not see the end.
fn guess<G: Heuristic>(game: &G, wanted: RootMoves, stop: &StopFlag) -> SearchResult<G::Move> {
    deepen(game, wanted, &HeuristicEvaluator, &Budget::depth(8), stop)
}
