use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::{BoardFilling, OpeningBook};
use open_ttt_search::analyze_by_layers;

/// Plays a game of filling perfectly: by heart in the opening, and by solving
/// what is left of the game from there on.
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_players::{PerfectRetrograde, Random, WinStatus, play_game};
///
/// // With best play the second player wins.
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
    /// A player that never errs.
    fn default() -> Self {
        Self::new(Difficulty::unerring())
    }
}

impl<G: BoardFilling + OpeningBook<Value = i32> + Sync> Player<G> for PerfectRetrograde {
    fn player_name(&self) -> &'static str {
        "perfect"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let errs = self.difficulty.errs_now();
        match analyze_by_layers(turn.game, &turn.stop) {
            Some(answer) => self.difficulty.choose(&answer.moves, errs),
            // Stopped before anything is known, it plays anything.
            None => turn
                .game
                .moves()
                .next()
                .map_or(Decision::Resign, Decision::Play),
        }
    }
}
