use super::difficulty::{Difficulty, MoveQuality};
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::{CompactKey, LineGame, SolutionBook, Symmetry};
use open_ttt_search::{Budget, forced_move, line_search};

/// Plays a line game with a [`SolutionBook`]: perfectly as the side that the book is for,
/// against which nothing helps, and with [`line_search`] as the other side.
///
/// The moves of the book and of wins by threats take milliseconds. A player with mistakes
/// leaves the book, and then searches as the other side does, for half a second.
///
/// ```
/// use open_ttt_lib::games::Qubic;
/// use open_ttt_players::{PerfectBook, Random, WinStatus, play_game};
///
/// let mut perfect = PerfectBook::default();
/// let record = play_game(&Qubic::new(), &mut perfect, &mut Random::seeded(1));
/// assert_eq!(record.result().player1, WinStatus::Winner);
/// ```
#[derive(Clone, Debug)]
pub struct PerfectBook {
    difficulty: Difficulty,
}

impl PerfectBook {
    /// The budget of a search where the book has no move.
    const SEARCH: Budget = Budget::nodes(1_000_000);

    /// A player with this difficulty.
    pub const fn new(difficulty: Difficulty) -> Self {
        Self { difficulty }
    }
}

impl Default for PerfectBook {
    /// A player without mistakes.
    fn default() -> Self {
        Self::new(Difficulty::without_mistakes())
    }
}

impl<G: LineGame + Symmetry + CompactKey + SolutionBook> Player<G> for PerfectBook {
    fn player_name(&self) -> &'static str {
        "perfect"
    }

    /// Resigns on boards of more than 384 cells, which the search doesn't support.
    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let quality = self.difficulty.draw();
        if quality == MoveQuality::Best {
            let game = turn.game;
            let known = game.book_move().or_else(|| forced_move(game, &turn.stop));
            if let Some(m) = known {
                return Decision::Play(m);
            }
        }
        match line_search(turn.game, quality.root_moves(), &Self::SEARCH, &turn.stop) {
            Some(result) => self.difficulty.choose(&result.moves, quality),
            None => Decision::Resign,
        }
    }
}
