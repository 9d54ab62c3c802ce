use core::fmt;

use open_ttt_lib::rules::{Symmetry, TwoPlayerGame};

/// The ways in which a game looks the same, as learning uses them: every
/// position is learned in one of its images.
///
/// ```
/// use open_ttt_learn::Symmetries;
/// use open_ttt_lib::games::{ConnectFour, TicTacToe};
///
/// assert_eq!(Symmetries::of(&TicTacToe::new()).count(), 8);
/// assert_eq!(Symmetries::of(&ConnectFour::new()).count(), 2);
/// assert_eq!(Symmetries::<TicTacToe>::none().count(), 1);
/// ```
pub struct Symmetries<G: TwoPlayerGame> {
    count: usize,
    image: fn(&G, usize) -> G,
    move_image: fn(&G, G::Move, usize) -> G::Move,
}

impl<G: TwoPlayerGame> Symmetries<G> {
    /// For a game that has none, or does not tell.
    pub const fn none() -> Self {
        Self {
            count: 1,
            image: |game, _| game.clone(),
            move_image: |_, m, _| m,
        }
    }

    /// Those of this game.
    pub fn of(game: &G) -> Self
    where
        G: Symmetry,
    {
        Self {
            count: game.symmetries().len(),
            image: |game, index| game.image(game.symmetries()[index]),
            move_image: |game, m, index| game.move_image(m, game.symmetries()[index]),
        }
    }

    /// How many there are, the one that changes nothing among them.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// One image of a position; the first is the position itself.
    pub(crate) fn image(&self, game: &G, index: usize) -> G {
        (self.image)(game, index)
    }

    /// Where a move goes in that image.
    pub(crate) fn move_image(&self, game: &G, m: G::Move, index: usize) -> G::Move {
        (self.move_image)(game, m, index)
    }
}

#[expect(
    clippy::expl_impl_clone_on_copy,
    reason = "a derived one would ask the game to be `Copy`"
)]
impl<G: TwoPlayerGame> Clone for Symmetries<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: TwoPlayerGame> Copy for Symmetries<G> {}

impl<G: TwoPlayerGame> fmt::Debug for Symmetries<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symmetries")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
