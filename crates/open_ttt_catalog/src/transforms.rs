use core::fmt;

use super::{DynGame, DynMove};
use open_ttt_lib::rules::{Symmetry, TwoPlayerGame};

/// What mirroring and rotating the board make of the positions of a game and of their moves.
///
/// ```
/// use open_ttt_catalog::Transforms;
/// use open_ttt_lib::games::TicTacToe;
///
/// // For `CatalogGame::TRANSFORMS` of a game that implements `Symmetry`.
/// const OWN: Transforms<TicTacToe> = Transforms::own();
/// # let _ = OWN;
/// ```
pub struct Transforms<G: TwoPlayerGame> {
    pub(super) count: fn(&G) -> usize,
    pub(super) image: fn(&G, usize) -> G,
    pub(super) move_image: fn(&G, G::Move, usize) -> G::Move,
}

impl<G: TwoPlayerGame> Transforms<G> {
    /// The identity alone.
    pub const fn none() -> Self {
        Self {
            count: |_| 1,
            image: |game, _| game.clone(),
            move_image: |_, m, _| m,
        }
    }

    /// Those of the game's [`Symmetry`]. One that it doesn't have is the identity.
    pub const fn own() -> Self
    where
        G: Symmetry,
    {
        Self {
            count: |game| game.symmetries().len(),
            image: |game, index| match game.symmetries().get(index) {
                Some(&transform) => game.image(transform),
                None => game.clone(),
            },
            move_image: |game, m, index| match game.symmetries().get(index) {
                Some(&transform) => game.move_image(m, transform),
                None => m,
            },
        }
    }
}

impl<G: TwoPlayerGame> fmt::Debug for Transforms<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transforms").finish_non_exhaustive()
    }
}

/// A symmetry of a [`DynGame`], by its index among those of the game.
#[cfg(not(open_ttt_small))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DynTransform(u16);

/// All that a game may have. Of the bundled ones qubic has the most, 192.
#[cfg(not(open_ttt_small))]
static ALL: [DynTransform; 1 << 10] = {
    let mut all = [DynTransform(0); 1 << 10];
    let mut index = 1;
    while index < all.len() {
        all[index] = DynTransform(index as u16);
        index += 1;
    }
    all
};

/// The symmetries of [`CatalogGame::TRANSFORMS`](super::CatalogGame::TRANSFORMS), up to 1,024.
#[cfg(not(open_ttt_small))]
impl Symmetry for DynGame {
    type Transform = DynTransform;

    fn symmetries(&self) -> &'static [DynTransform] {
        &ALL[..self.symmetry_count().clamp(1, ALL.len())]
    }

    fn image(&self, DynTransform(index): DynTransform) -> Self {
        self.image_at(index.into())
    }

    fn move_image(&self, m: DynMove, DynTransform(index): DynTransform) -> DynMove {
        self.move_image_at(m, index.into())
    }
}
