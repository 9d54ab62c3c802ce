use open_ttt_catalog::{DynGame, DynMove, PlayerSpec};
use open_ttt_lib::random::Rng;
use open_ttt_players::{PlayerFactory, request_move};
use open_ttt_search::StopFlag;

use crate::failure::Failure;
use crate::networks;

/// The player whose moves are printed in place of an analysis.
pub(super) struct MoveChooser {
    pub(super) name: String,
    make: PlayerFactory<'static, DynGame>,
    seed: u64,
}

impl MoveChooser {
    pub(super) fn new(game: &DynGame, spec: &PlayerSpec) -> Result<Self, Failure> {
        Ok(Self {
            name: spec.to_string(),
            make: networks::players("--player", spec, game)?,
            seed: spec.seed.unwrap_or_else(|| Rng::from_entropy().next_u64()),
        })
    }

    /// The player's move in a game that is not over; `None` if it resigns. Other
    /// positions of a batch do not affect it.
    pub(super) fn choose(&self, game: &DynGame, stop: &StopFlag) -> Option<DynMove> {
        request_move(game, &mut (self.make)(self.seed), stop).ok()
    }
}
