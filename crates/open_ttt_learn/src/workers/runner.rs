use core::num::NonZero;
use std::sync::Arc;

use open_ttt_nn::{IncompatibleNetwork, Network};
use open_ttt_search::StopFlag;

use crate::{Interrupted, Learnable, SelfPlayGame, TaskSlice};

/// Plays self-play games of one game, whatever its type.
pub trait GameRunner: Send + Sync {
    /// Checks that a network is for this game.
    ///
    /// # Errors
    ///
    /// [`IncompatibleNetwork`] if it isn't.
    fn suits(&self, network: &Network) -> Result<(), IncompatibleNetwork>;

    /// Plays the games on this thread.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised or the network's output isn't finite.
    fn play(
        &self,
        slice: &TaskSlice<'_>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted>;
}

/// Finds the runner of the game with this [name](open_ttt_lib::rules::Named).
pub type FindRunner = dyn Fn(&str) -> Option<Arc<dyn GameRunner>> + Send + Sync;

/// A runner of games from this start position.
///
/// ```
/// use open_ttt_learn::workers::{FindRunner, game_runner};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::Named;
///
/// let game = TicTacToe::new();
/// let find: Box<FindRunner> =
///     Box::new(move |name| (name == game.name()).then(|| game_runner(game)));
/// assert!(find("ttt").is_some() && find("chess").is_none());
/// ```
pub fn game_runner<G: Learnable>(start: G) -> Arc<dyn GameRunner> {
    Arc::new(StartPosition(start))
}

struct StartPosition<G>(G);

impl<G: Learnable> GameRunner for StartPosition<G> {
    fn suits(&self, network: &Network) -> Result<(), IncompatibleNetwork> {
        network.check_compatible(&self.0)
    }

    fn play(
        &self,
        slice: &TaskSlice<'_>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        slice.play(&self.0, NonZero::<usize>::MIN, stop)
    }
}
