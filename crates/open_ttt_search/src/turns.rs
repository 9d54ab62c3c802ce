use core::marker::PhantomData;

use open_ttt_lib::rules::TwoPlayerGame;

/// Refuses, when it is compiled, a search for a game whose sides don't alternate.
pub(crate) struct RequiresAlternation<G>(PhantomData<G>);

impl<G: TwoPlayerGame> RequiresAlternation<G> {
    pub(crate) const CHECK: () = assert!(
        G::ALTERNATES,
        "this search is for games whose sides alternate: TwoPlayerGame::ALTERNATES"
    );
}

/// Whether the side that made the move from `before` to `after` is to move again.
///
/// Constant for games in which the sides alternate.
#[inline]
pub(crate) fn keeps_turn<G: TwoPlayerGame>(before: &G, after: &G) -> bool {
    !G::ALTERNATES && before.to_move() == after.to_move()
}

/// Whether the side to move is to move again after this move.
#[inline]
pub(crate) fn keeps_turn_after<G: TwoPlayerGame>(game: &G, m: G::Move) -> bool {
    !G::ALTERNATES && keeps_turn(game, &game.after(m))
}
