use core::fmt;
use core::num::NonZero;
use std::sync::Arc;

use open_ttt_nn::{IncompatibleNetwork, Network};
use open_ttt_search::StopFlag;

use super::{Interrupted, SelfPlayGame, TaskSlice};
use crate::Learnable;

/// Plays self-play games of one game, whatever its type.
pub trait GameRunner: fmt::Debug + Send + Sync {
    /// Checks that a network is for this game.
    ///
    /// # Errors
    ///
    /// [`IncompatibleNetwork`] if it isn't.
    fn suits(&self, network: &Network) -> Result<(), IncompatibleNetwork>;

    /// Plays the games on this many threads.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised or the network's output isn't finite.
    fn play(
        &self,
        slice: &TaskSlice<'_>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted>;
}

/// A runner of games from this start position.
///
/// ```
/// use core::num::NonZero;
///
/// use open_ttt_learn::{Config, Preset, TaskSlice, game_runner};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::Encode as _;
/// use open_ttt_nn::Network;
/// use open_ttt_search::StopFlag;
///
/// let game = TicTacToe::new();
/// let config = Config::preset(Preset::Fast, &game.encoding());
/// let network = Network::new(&game, config.architecture()?, 1)?;
/// let slice = TaskSlice {
///     network: &network,
///     self_play: &config.self_play,
///     seed: 1,
///     numbers: 0..3,
/// };
/// let games = game_runner(game).play(&slice, NonZero::<usize>::MIN, &StopFlag::new())?;
/// assert_eq!(games.len(), 3);
/// # Ok::<_, Box<dyn core::error::Error>>(())
/// ```
pub fn game_runner<G: Learnable>(start: G) -> Arc<dyn GameRunner> {
    Arc::new(StartPosition(start))
}

#[derive(Debug)]
struct StartPosition<G>(G);

impl<G: Learnable> GameRunner for StartPosition<G> {
    fn suits(&self, network: &Network) -> Result<(), IncompatibleNetwork> {
        network.check_compatible(&self.0)
    }

    fn play(
        &self,
        slice: &TaskSlice<'_>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        slice.play(&self.0, threads, stop)
    }
}
