use core::fmt;
use std::sync::Arc;

use super::dyn_player::{adapt, adapt_network};
use super::encode_picture::{encode_picture, picture_encoding};
use super::{CatalogGame, DynGame};
use open_ttt_lib::random::{Probability, Rng};
use open_ttt_lib::rules::{Encode, Encoding, Objective};
use open_ttt_nn::Network;
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{GumbelPlayer, NetworkModel, PlayerFactory};
use open_ttt_search::TimeLimit;

/// What a network sees of the positions of a game.
///
/// ```
/// use open_ttt_catalog::Encoder;
/// use open_ttt_lib::games::TicTacToe;
///
/// // For `CatalogGame::ENCODER` of a game that implements `Encode`.
/// const OWN: Encoder<TicTacToe> = Encoder::own();
/// # let _ = OWN;
/// ```
pub struct Encoder<G: CatalogGame> {
    pub(super) encoding: fn(&G) -> Encoding,
    pub(super) encode: fn(&G, &mut [f32]),
    /// The value of [`Objective::Margin`], if that is the objective.
    pub(super) margin: fn(&G) -> Option<f32>,
    pub(super) players: fn(NetworkPlayer) -> PlayerFactory<'static, DynGame>,
}

/// A [network player](super::PlayerKind::Network) with its network.
pub(super) struct NetworkPlayer {
    pub(super) network: Arc<Network>,
    pub(super) simulations: u32,
    pub(super) time: Option<TimeLimit>,
    pub(super) mistakes: Probability,
}

impl<G: CatalogGame> Encoder<G> {
    /// What the game's [`Encode`] writes.
    pub const fn own() -> Self
    where
        G: Encode,
    {
        if cfg!(open_ttt_without_networks) {
            return Self::nothing();
        }
        Self {
            encoding: G::encoding,
            encode: G::encode,
            margin: |game| match game.objective() {
                Objective::WinLoss => None,
                Objective::Margin(margin) => Some(margin(game)),
            },
            players: if cfg!(open_ttt_small) {
                adapt_network
            } else {
                |spec| {
                    let network = Arc::clone(&spec.network);
                    adapt::<G>(Some(network), move |seed| Box::new(spec.player(seed)))
                }
            },
        }
    }

    /// What the game's [picture](open_ttt_lib::rules::Drawing) shows, for games
    /// without an encoding of their own.
    pub const fn picture() -> Self {
        if cfg!(open_ttt_without_networks) {
            return Self::nothing();
        }
        Self {
            encoding: picture_encoding,
            encode: encode_picture,
            margin: |_| None,
            players: adapt_network,
        }
    }
}

impl<G: CatalogGame> Encoder<G> {
    /// For programs that have no networks.
    const fn nothing() -> Self {
        Self {
            encoding: |_| Encoding {
                version: 0,
                planes: 0,
                rows: 0,
                columns: 0,
                moves: 0,
            },
            encode: |_, _| (),
            margin: |_| None,
            players: adapt_network,
        }
    }
}

impl NetworkPlayer {
    /// The player with this seed, for games of any type that can be encoded.
    pub(super) fn player<G: Encode>(
        &self,
        seed: u64,
    ) -> GumbelPlayer<G, NetworkModel<Arc<Network>>> {
        let model = NetworkModel::new(Arc::clone(&self.network));
        let player = GumbelPlayer::new(model, self.simulations);
        let player = player.with_difficulty(Difficulty {
            mistakes: self.mistakes,
            rng: Rng::new(seed),
        });
        match self.time {
            Some(limit) => player.with_time(limit),
            None => player,
        }
    }
}

impl<G: CatalogGame> fmt::Debug for Encoder<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}
