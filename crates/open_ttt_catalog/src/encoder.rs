use core::fmt;

use super::CatalogGame;
use super::encode_picture::{encode_picture, picture_encoding};
use open_ttt_lib::rules::{Encode, Encoding, Objective};

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
        }
    }

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
        }
    }
}

impl<G: CatalogGame> fmt::Debug for Encoder<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}
