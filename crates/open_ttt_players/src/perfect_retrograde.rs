use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::{BoardFilling, OpeningBook};
use open_ttt_search::analyze_by_layers;

/// Plays a game that fills a board perfectly: from a book in the opening, then by
/// retrograde analysis of the rest of the game.
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_players::{PerfectRetrograde, Random, WinStatus, play_game};
///
/// // The game is a second-player win.
/// let mut perfect = PerfectRetrograde::default();
/// let record = play_game(&Pegs::new(), &mut Random::seeded(1), &mut perfect);
/// assert_eq!(record.result().player2, WinStatus::Winner);
/// ```
#[derive(Clone, Debug)]
pub struct PerfectRetrograde {
    difficulty: Difficulty,
}

impl PerfectRetrograde {
    /// A player with this difficulty.
    pub const fn new(difficulty: Difficulty) -> Self {
        Self { difficulty }
    }
}

impl Default for PerfectRetrograde {
    /// A player without mistakes.
    fn default() -> Self {
        Self::new(Difficulty::without_mistakes())
    }
}

impl<G: BoardFilling + OpeningBook<Value = i32> + Sync> Player<G> for PerfectRetrograde {
    fn player_name(&self) -> &'static str {
        "perfect"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let quality = self.difficulty.draw();
        match analyze_by_layers(turn.game, &turn.stop) {
            Ok(answer) => self.difficulty.choose(&answer.moves, quality),
            // Stopped early, or too much of the game is left: any move.
            Err(_) => Decision::play_or_resign(turn.game.moves().next()),
        }
    }
}
