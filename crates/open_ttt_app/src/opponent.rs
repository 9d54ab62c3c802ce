use core::cell::Cell;
use core::cmp::Ordering;
use core::convert::Infallible;
use core::error::Error;
use core::fmt;

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::{Level, Player, Strength};

/// A computer player that can move to another thread.
pub type BoxedPlayer<G> = Box<dyn Player<G> + Send>;

type Made<G> = Result<BoxedPlayer<G>, Box<dyn Error + Send + Sync>>;

/// How a player is created.
enum Make<G> {
    /// Always the same.
    Fixed(Box<dyn Fn() -> Made<G>>),
    /// With a strength that follows the results of whoever plays against it.
    Following {
        strength: Cell<Strength>,
        make: Box<dyn Fn(Strength) -> Made<G>>,
    },
}

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
    make: Make<G>,
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
            make: Make::Fixed(Box::new(move || make().map_err(Into::into))),
        }
    }

    /// An opponent whose strength follows the results of whoever plays against it: stronger
    /// after a loss, weaker after a win. It starts with that of [`Level::Easy`].
    ///
    /// ```
    /// use open_ttt_app::Opponent;
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_lib::rules::{Outcome, Side};
    /// use open_ttt_players::{Level, Random, Strength};
    ///
    /// let opponent = Opponent::<TicTacToe>::following("adaptive", |strength| {
    ///     assert_eq!(strength, Strength::of(Level::Easy));
    ///     Ok::<_, String>(Box::new(Random::default()))
    /// });
    /// assert!(opponent.make().is_ok());
    /// ```
    pub fn following<E: Into<Box<dyn Error + Send + Sync>>>(
        name: impl Into<String>,
        make: impl Fn(Strength) -> Result<BoxedPlayer<G>, E> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            make: Make::Following {
                strength: Cell::new(Strength::of(Level::Easy)),
                make: Box::new(move |strength| make(strength).map_err(Into::into)),
            },
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
        match &self.make {
            Make::Fixed(make) => make(),
            Make::Following { strength, make } => make(strength.get()),
        }
    }

    /// Follows a game that it has won (`Greater`), lost or drawn; returns whether it is to be
    /// created again.
    pub(crate) fn follow(&self, result: Ordering) -> bool {
        let Make::Following { strength, .. } = &self.make else {
            return false;
        };
        let before = strength.get();
        strength.set(before.after(result.reverse()));
        strength.get() != before
    }
}

impl<G> fmt::Debug for Opponent<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opponent")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use open_ttt_lib::games::TicTacToe;
    use open_ttt_players::Random;

    use super::*;

    #[test]
    fn a_following_opponent_is_made_weaker_after_its_win() {
        let made = Rc::new(Cell::new(None));
        let last = Rc::clone(&made);
        let opponent = Opponent::<TicTacToe>::following("adaptive", move |strength| {
            last.set(Some(strength));
            Ok::<_, Infallible>(Box::new(Random::default()))
        });
        let mut strengths = Vec::new();
        for result in [
            Ordering::Greater,
            Ordering::Less,
            Ordering::Less,
            Ordering::Equal,
        ] {
            let changes = opponent.follow(result);
            assert!(opponent.make().is_ok());
            strengths.push((changes, made.get().map(|strength| strength.to_string())));
        }
        let texts = [(true, "1.67"), (true, "2"), (true, "2.33"), (false, "2.33")];
        assert_eq!(
            strengths,
            texts.map(|(changes, text)| (changes, Some(text.to_owned())))
        );
    }
}
