use core::fmt;

use open_ttt_lib::rules::{Symmetry, TwoPlayerGame};

/// The symmetries of a game, for data augmentation: each position is learned in a
/// random one of its images.
///
/// ```
/// use open_ttt_learn::Symmetries;
/// use open_ttt_lib::games::{ConnectFour, TicTacToe};
///
/// assert_eq!(Symmetries::of(&TicTacToe::new()).count(), 8);
/// assert_eq!(Symmetries::of(&ConnectFour::new()).count(), 2);
/// assert_eq!(Symmetries::<TicTacToe>::none().count(), 1);
/// ```
#[derive(Clone)]
pub struct Symmetries<G: TwoPlayerGame> {
    count: usize,
    /// The image of a position under a symmetry; index 0 is the identity.
    pub(crate) image: fn(&G, usize) -> G,
    /// The image of a move of that position.
    pub(crate) move_image: fn(&G, G::Move, usize) -> G::Move,
}

impl<G: TwoPlayerGame> Symmetries<G> {
    /// The identity alone, for games without symmetries.
    pub const fn none() -> Self {
        Self {
            count: 1,
            image: |game, _| game.clone(),
            move_image: |_, m, _| m,
        }
    }

    /// The symmetries of this game.
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

    /// How many there are, the identity included.
    pub const fn count(&self) -> usize {
        self.count
    }
}

impl<G: TwoPlayerGame> fmt::Debug for Symmetries<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symmetries")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
