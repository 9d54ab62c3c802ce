use open_ttt_app::clock;
use open_ttt_catalog::{DynGame, DynMove, PlayerSpec};
use open_ttt_lib::random::Rng;
use open_ttt_players::{MakePlayer, legal_answer};
use open_ttt_search::StopFlag;

use crate::failure::Failure;
use crate::networks;

/// A player whose moves are shown where nothing is to be proved.
pub(super) struct Chooser {
    pub(super) name: String,
    make: MakePlayer<'static, DynGame>,
    seed: u64,
}

impl Chooser {
    pub(super) fn new(game: &DynGame, spec: &PlayerSpec) -> Result<Self, Failure> {
        let given = networks::given("--player", spec)?;
        let make = game.players(&given, clock());
        Ok(Self {
            name: spec.to_string(),
            make: make.map_err(|error| Failure::usage(format_args!("--player: {error}")))?,
            seed: spec.seed.unwrap_or_else(|| Rng::from_entropy().next_u64()),
        })
    }

    /// What it plays, in a game that is not over; nothing if it resigns. It is
    /// the same whatever other positions it is asked about.
    pub(super) fn choose(&self, game: &DynGame, stop: &StopFlag) -> Option<DynMove> {
        legal_answer(game, &mut (self.make)(self.seed), stop).ok()
    }
}
