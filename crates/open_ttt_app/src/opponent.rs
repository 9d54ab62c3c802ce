use core::error::Error;
use core::fmt;

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Player;

/// A computer player that can be moved to a thread of its own.
pub type Computer<G> = Box<dyn Player<G> + Send>;

type Make<G> = dyn Fn() -> Result<Computer<G>, Box<dyn Error + Send + Sync>>;

/// A computer opponent that can be chosen: its name, and how it is made when
/// it is wanted.
///
/// ```
/// use open_ttt_app::Opponent;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::{Decision, Player, Turn};
/// use open_ttt_lib::rules::TwoPlayerGame;
///
/// struct Hasty;
///
/// impl<G: TwoPlayerGame> Player<G> for Hasty {
///     fn player_name(&self) -> &str {
///         "Hasty"
///     }
///     fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
///         turn.game.moves().next().map_or(Decision::Resign, Decision::Play)
///     }
/// }
///
/// let hasty = Opponent::<TicTacToe>::new("hasty", || Box::new(Hasty));
/// assert_eq!(hasty.make()?.player_name(), "Hasty");
/// # Ok::<(), Box<dyn core::error::Error + Send + Sync>>(())
/// ```
pub struct Opponent<G> {
    name: String,
    make: Box<Make<G>>,
}

impl<G: TwoPlayerGame> Opponent<G> {
    /// An opponent that can always be made.
    pub fn new(name: impl Into<String>, make: impl Fn() -> Computer<G> + 'static) -> Self {
        Self {
            name: name.into(),
            make: Box::new(move || Ok(make())),
        }
    }

    /// An opponent whose making may fail, because it needs a file or a game
    /// small enough.
    pub fn fallible<E: Into<Box<dyn Error + Send + Sync>>>(
        name: impl Into<String>,
        make: impl Fn() -> Result<Computer<G>, E> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            make: Box::new(move || make().map_err(Into::into)),
        }
    }

    /// What it is chosen by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the player.
    ///
    /// # Errors
    ///
    /// Whatever stands against it.
    pub fn make(&self) -> Result<Computer<G>, Box<dyn Error + Send + Sync>> {
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
