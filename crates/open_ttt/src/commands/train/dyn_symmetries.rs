use core::num::NonZero;

use open_ttt_catalog::{CatalogGame, DynGame, DynMove};
use open_ttt_learn::Symmetries;
use open_ttt_lib::games::{DotsAndBoxes, Draughts, Hex, Lines, Morris, Quarto, Reversi};
use open_ttt_lib::rules::{IndexedMoves, Symmetry};

/// The symmetries of a game of the library that is trained as a [`DynGame`]. A game of
/// one's own tells none.
pub(super) fn known(start: &DynGame) -> Option<Symmetries<DynGame>> {
    let of_games = [
        of::<Reversi>,
        of::<DotsAndBoxes>,
        of::<Hex>,
        of::<Lines>,
        of::<Quarto>,
        of::<Draughts>,
        of::<Morris>,
    ];
    of_games.iter().find_map(|of_game| of_game(start))
}

fn of<G: CatalogGame + Symmetry>(start: &DynGame) -> Option<Symmetries<DynGame>> {
    let own: &G = start.downcast_ref()?;
    let count = NonZero::new(own.symmetries().len())?;
    Some(Symmetries::new(count, image::<G>, move_image::<G>))
}

/// The image of a position; itself if it isn't a `G`.
fn image<G: CatalogGame + Symmetry>(game: &DynGame, index: usize) -> DynGame {
    match game.downcast_ref::<G>() {
        Some(own) => DynGame::new(own.image(own.symmetries()[index])),
        None => game.clone(),
    }
}

/// The image of a legal move, by its index in the position's image.
fn move_image<G: CatalogGame + Symmetry>(
    game: &DynGame,
    m: DynMove,
    index: usize,
    image: &DynGame,
) -> DynMove {
    let found = || {
        let (own, own_image): (&G, &G) = (game.downcast_ref()?, image.downcast_ref()?);
        let own_move = own.indexed_move(game.move_index(m))?;
        let moved = own.move_image(own_move, own.symmetries()[index]);
        image.indexed_move(own_image.move_index(moved))
    };
    found().unwrap_or(m)
}

#[cfg(test)]
mod tests {
    use open_ttt_catalog::{Catalog, GameVisitor};
    use open_ttt_lib::random::Rng;
    use open_ttt_lib::rules::{Encode, Notation, TwoPlayerGame};

    use super::*;

    /// Compares the images of the positions of a random game with the game's own.
    #[track_caller]
    fn check<G: CatalogGame + Symmetry>() {
        let start = Catalog::bundled().game(G::KEY).expect("a bundled game");
        let symmetries = known(&start).map(|known| known.count());
        let mut own = start.downcast_ref::<G>().expect("its type").clone();
        let mut rng = Rng::new(1);
        assert_eq!(symmetries, Some(own.symmetries().len()), "{}", G::KEY);
        for _ in 0..60 {
            let game = DynGame::new(own.clone());
            for (index, &transform) in own.symmetries().iter().enumerate() {
                let own_image = own.image(transform);
                let image = image::<G>(&game, index);
                assert_eq!(image.downcast_ref(), Some(&own_image));
                for (m, own_move) in game.moves().zip(own.moves()) {
                    let m = move_image::<G>(&game, m, index, &image);
                    let own_move = own.move_image(own_move, transform);
                    assert_eq!(image.move_text(m), own_image.move_text(own_move));
                    assert_eq!(image.check(m), Ok(()), "{} {own_move:?}", G::KEY);
                    let after = image.after(m);
                    assert_eq!(after.downcast_ref(), Some(&own_image.after(own_move)));
                }
            }
            let Some(m) = rng.pick(own.moves()) else {
                return;
            };
            own.play_unchecked(m);
        }
    }

    #[test]
    fn images_are_those_of_the_games_own_type() {
        check::<Reversi>();
        check::<DotsAndBoxes>();
        check::<Hex>();
        check::<Lines>();
        check::<Quarto>();
        check::<Draughts>();
        check::<Morris>();
    }

    struct Visited;

    impl GameVisitor for Visited {
        type Output = ();

        fn visit<G: CatalogGame + Encode + Symmetry>(self, _: &G) {}
    }

    #[test]
    fn every_game_of_the_library_has_its_symmetries() {
        let catalog = Catalog::bundled();
        for key in catalog.keys() {
            let game = catalog.game(key).expect("a game of the catalog");
            let is_trained_in_its_type = game.visit(Visited).is_some();
            assert_ne!(known(&game).is_some(), is_trained_in_its_type, "{key}");
        }
    }
}
