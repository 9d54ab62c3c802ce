use core::convert::Infallible;
use core::error::Error;
use core::fmt;

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Player;

/// A computer player that can move to another thread.
pub type BoxedPlayer<G> = Box<dyn Player<G> + Send>;

type Make<G> = dyn Fn() -> Result<BoxedPlayer<G>, Box<dyn Error + Send + Sync>>;

/// A computer opponent on offer: its name, and a function that creates the
/// player.
///
/// ```
/// use open_ttt_app::Opponent;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::Random;
///
/// let opponent = Opponent::<TicTacToe>::new("a beginner", || Box::new(Random::default()));
/// assert_eq!(opponent.make()?.player_name(), "random");
/// # Ok::<(), Box<dyn core::error::Error + Send + Sync>>(())
/// ```
pub struct Opponent<G> {
    name: String,
    make: Box<Make<G>>,
}

impl<G: TwoPlayerGame> Opponent<G> {
    /// An opponent whose creation cannot fail.
    pub fn new(name: impl Into<String>, make: impl Fn() -> BoxedPlayer<G> + 'static) -> Self {
        Self::fallible(name, move || Ok::<_, Infallible>(make()))
    }

    /// An opponent whose creation can fail, because it needs a file or a small
    /// game.
    pub fn fallible<E: Into<Box<dyn Error + Send + Sync>>>(
        name: impl Into<String>,
        make: impl Fn() -> Result<BoxedPlayer<G>, E> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            make: Box::new(move || make().map_err(Into::into)),
        }
    }

    /// The name it is chosen by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates the player.
    ///
    /// # Errors
    ///
    /// The error of the function given to [`fallible`](Self::fallible).
    pub fn make(&self) -> Result<BoxedPlayer<G>, Box<dyn Error + Send + Sync>> {
        (self.make)()
    }
}

impl<G> fmt::Debug for Opponent<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opponent")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
