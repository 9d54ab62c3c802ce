use super::{Decision, Player, Turn};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Plays legal moves chosen uniformly at random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// A player whose moves follow from the seed.
    pub const fn seeded(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
        }
    }
}

impl Default for Random {
    /// A player whose moves differ from run to run.
    fn default() -> Self {
        Self {
            rng: Rng::from_entropy(),
        }
    }
}

impl<G: TwoPlayerGame> Player<G> for Random {
    fn player_name(&self) -> &'static str {
        "random"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        Decision::play_or_resign(self.rng.pick(turn.game.moves()))
    }
}
