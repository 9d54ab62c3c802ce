use core::fmt;

use super::CatalogGame;

/// A move of a [`DynGame`](super::DynGame), by its index in the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DynMove(u16);

impl DynMove {
    pub(super) fn new(index: usize) -> Self {
        Self(u16::try_from(index).unwrap_or(u16::MAX))
    }

    pub(super) fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Debug for DynMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {}", self.0)
    }
}

/// The move in the game's own type; `None` if the game has no such index.
pub(super) fn own_move<G: CatalogGame>(game: &G, m: DynMove) -> Option<G::Move> {
    game.indexed_move(m.index())
}

/// The move as a [`DynMove`].
pub(super) fn dyn_move<G: CatalogGame>(game: &G, m: G::Move) -> DynMove {
    DynMove::new(game.move_index(m))
}
