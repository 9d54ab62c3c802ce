use core::num::NonZero;
use core::ops::Range;
use std::sync::Arc;

use open_ttt_nn::{Misfit, Network};
use open_ttt_search::StopFlag;

use crate::{Interrupted, Learnable, Record, SelfPlay};

/// Some games of a run, for somebody who knows which game it is.
#[derive(Clone, Debug)]
pub struct Share<'a> {
    /// Who plays them against itself.
    pub network: &'a Network,
    /// How.
    pub self_play: &'a SelfPlay,
    /// The seed of the run's games.
    pub seed: u64,
    /// Their numbers.
    pub numbers: Range<u64>,
}

/// Somebody who can play a game, whatever its type.
pub trait Hands: Send + Sync {
    /// Whether a network is one for this game.
    ///
    /// # Errors
    ///
    /// [`Misfit`], if it is not.
    fn suits(&self, network: &Network) -> Result<(), Misfit>;

    /// Plays on this thread.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised, or the network has gone bad.
    fn play(&self, share: &Share<'_>, stop: &StopFlag) -> Result<Vec<Record>, Interrupted>;
}

/// Who plays the game with this [name](open_ttt_lib::rules::Named); nobody, if it is
/// not known.
pub type Find = dyn Fn(&str) -> Option<Arc<dyn Hands>> + Send + Sync;

/// Somebody who plays from this position, with which the games of a run begin.
///
/// ```
/// use open_ttt_learn::workers::{Find, hands};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::Named;
///
/// let game = TicTacToe::new();
/// let find: Box<Find> = Box::new(move |name| (name == game.name()).then(|| hands(game)));
/// assert!(find("ttt").is_some() && find("chess").is_none());
/// ```
pub fn hands<G: Learnable>(start: G) -> Arc<dyn Hands> {
    Arc::new(Of(start))
}

struct Of<G>(G);

impl<G: Learnable> Hands for Of<G> {
    fn suits(&self, network: &Network) -> Result<(), Misfit> {
        network.suits(&self.0)
    }

    fn play(&self, share: &Share<'_>, stop: &StopFlag) -> Result<Vec<Record>, Interrupted> {
        let Share {
            network,
            self_play,
            seed,
            ref numbers,
        } = *share;
        let one = NonZero::<usize>::MIN;
        self_play.play(&self.0, network, seed, numbers.clone(), one, stop)
    }
}
