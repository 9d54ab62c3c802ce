use super::{Decision, Player, Turn};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Plays any legal move, each as likely as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// A player that plays the same moves each time it gets the same seed.
    pub const fn seeded(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
        }
    }

    /// A player that plays differently from run to run.
    pub fn new() -> Self {
        Self {
            rng: Rng::from_entropy(),
        }
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: TwoPlayerGame> Player<G> for Random {
    fn player_name(&self) -> &'static str {
        "random"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        self.rng
            .pick(turn.game.moves())
            .map_or(Decision::Resign, Decision::Play)
    }
}
