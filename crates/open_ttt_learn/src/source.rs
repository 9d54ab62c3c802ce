//! Where the games of an iteration come from.

use core::fmt;
use core::num::NonZero;
use core::ops::Range;
use core::time::Duration;

use open_ttt_nn::Network;
use open_ttt_search::StopFlag;
use serde::{Deserialize, Serialize};

use crate::{Interrupted, Learnable, Record, SelfPlay};

/// The games that an iteration needs. Each follows from this and its number.
#[derive(Clone, Debug)]
pub struct Order<'a, G> {
    /// The position that they begin with.
    pub start: &'a G,
    /// Who plays them against itself.
    pub network: &'a Network,
    /// How.
    pub self_play: &'a SelfPlay,
    /// The seed of the run's games.
    pub seed: u64,
    /// Their numbers.
    pub numbers: Range<u64>,
    /// For which iteration, counted from 0.
    pub iteration: u32,
}

/// Games, and who has played them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Harvest {
    /// In the order of their numbers.
    pub records: Vec<Record>,
    /// What others did, where there could have been others.
    pub help: Option<Help>,
}

/// What other machines did in an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Help {
    /// How many workers gave games.
    pub workers: u32,
    /// How many games they gave.
    pub games: u64,
    /// How many of these were played again and found to be the same.
    pub checked: u64,
    /// How many workers gave something else.
    pub liars: u32,
}

/// What a source tells while games are being played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// So much has come from others in this iteration.
    Help(Help),
    /// No worker has answered for so long. The run goes on without.
    Silence(Duration),
    /// A worker's games are not those that the network plays. Those of this
    /// iteration are played again, and it gives no more.
    Liar {
        /// What it calls itself.
        worker: String,
        /// How it was found out.
        cause: String,
        /// How many games were learned from it before and not played again.
        unchecked: u64,
    },
    /// What somebody sent cannot be used.
    Refused {
        /// What it calls itself.
        worker: String,
        /// Why.
        cause: String,
    },
    /// The broker does not do what is asked. The run goes on without.
    Broker(String),
}

/// Somebody who plays the games of a run, or has them played.
///
/// Whoever it is, the games are the same: each follows from the [`Order`] and its
/// number.
pub trait Source<G>: fmt::Debug + Send {
    /// The games of this order.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised, or the network has gone bad.
    fn play(
        &mut self,
        order: &Order<'_, G>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Harvest, Interrupted>;
}

/// Plays them itself, here.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThisMachine;

impl<G: Learnable> Order<'_, G> {
    /// Some of its games, played here.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised, or the network has gone bad.
    pub fn play(
        &self,
        numbers: Range<u64>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<Record>, Interrupted> {
        let Self {
            start,
            network,
            self_play,
            seed,
            ..
        } = *self;
        self_play.play(start, network, seed, numbers, threads, stop)
    }
}

impl<G: Learnable> Source<G> for ThisMachine {
    fn play(
        &mut self,
        order: &Order<'_, G>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        _tell: &mut dyn FnMut(Notice),
    ) -> Result<Harvest, Interrupted> {
        let records = order.play(order.numbers.clone(), threads, stop)?;
        let help = None;
        Ok(Harvest { records, help })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Help(help) => write!(f, "{} games from {} workers", help.games, help.workers),
            Self::Silence(time) => write!(
                f,
                "no worker has answered for {} seconds; the games are played here",
                time.as_secs()
            ),
            Self::Liar {
                worker,
                cause,
                unchecked,
            } => {
                write!(
                    f,
                    "worker {worker:?} is refused: {cause}; its games are played again"
                )?;
                if *unchecked > 0 {
                    write!(
                        f,
                        ", but {unchecked} of earlier iterations have been learned from unchecked"
                    )?;
                }
                Ok(())
            }
            Self::Refused { worker, cause } => write!(f, "worker {worker:?} is refused: {cause}"),
            Self::Broker(cause) => write!(f, "{cause}; the games are played here"),
        }
    }
}
