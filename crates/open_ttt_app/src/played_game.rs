use core::fmt;

use open_ttt_lib::rules::{History, Outcome, TwoPlayerGame};
use open_ttt_players::Termination;

/// A game as it is being played, for [`App::keep`](crate::App::keep).
#[derive(Debug)]
#[non_exhaustive]
pub struct PlayedGame<'a, G: TwoPlayerGame> {
    /// The game so far.
    pub history: &'a History<G>,
    /// The computers by side, as [`Opponent::name`](crate::Opponent::name) has them; `None`
    /// for a person.
    pub computers: [Option<&'a str>; 2],
    /// The result and how it came about; `None` if the game isn't over.
    pub end: Option<(Outcome, Termination)>,
}

/// A function that keeps a game. Its error is a sentence without its full stop.
pub(crate) type Keep<G> = dyn Fn(&PlayedGame<'_, G>) -> Result<(), String>;

/// The function with which an app keeps its games, if there is one.
pub(crate) struct Keeper<G: TwoPlayerGame>(pub(crate) Option<Box<Keep<G>>>);

impl<G: TwoPlayerGame> Keeper<G> {
    pub(crate) fn keep(&self, game: &PlayedGame<'_, G>) -> Result<(), String> {
        self.0.as_ref().map_or(Ok(()), |keep| keep(game))
    }
}

impl<G: TwoPlayerGame> fmt::Debug for Keeper<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keeper").field(&self.0.is_some()).finish()
    }
}
