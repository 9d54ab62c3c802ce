use open_ttt_catalog::{CatalogGame, DynGame};
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{Encode, Named, Symmetry};

/// What to do with a game of the catalog that can be learned, by its own type.
pub(crate) trait LearnableVisitor {
    type Output;

    fn visit<G: CatalogGame + Encode + Symmetry + Named>(self, game: &G) -> Self::Output;
}

/// Visits a game; `None` if it can't be learned.
///
/// Self-play runs on the games' own types: calls through `DynGame` would slow it down.
pub(crate) fn visit_learnable<V: LearnableVisitor>(
    game: &DynGame,
    visitor: V,
) -> Option<V::Output> {
    macro_rules! any_of {
        ($($game:ty),*) => {
            $(if let Some(game) = game.downcast_ref::<$game>() {
                return Some(visitor.visit(game));
            })*
        };
    }
    any_of!(TicTacToe, Pegs, ConnectFour, Mnk, Qubic, Ultimate);
    None
}
