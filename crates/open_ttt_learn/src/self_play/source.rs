//! Where the games of an iteration come from.

use core::fmt;
use core::num::NonZero;
use core::ops::Range;
use core::time::Duration;

use open_ttt_search::StopFlag;
use serde::{Deserialize, Serialize};

use super::{GameRunner, Interrupted, SelfPlayGame, TaskSlice};

/// The self-play games that an iteration needs.
#[derive(Clone, Debug)]
pub struct GameRequest<'a, G> {
    /// The start position.
    pub start: &'a G,
    /// Plays games from there on this machine.
    pub runner: &'a dyn GameRunner,
    /// The games.
    pub slice: TaskSlice<'a>,
    /// The iteration, counted from 0.
    pub iteration: u32,
}

/// The games of an iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameBatch {
    /// The games, in the order of their numbers.
    pub games: Vec<SelfPlayGame>,
    /// What remote workers contributed; `None` if the source has none.
    pub worker_stats: Option<WorkerStats>,
}

/// What remote workers contributed to an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerStats {
    /// Workers that returned games.
    pub workers: u32,
    /// Games that they returned.
    pub games: u64,
    /// Those of the games that were replayed here with the same result.
    #[serde(rename = "checked")]
    pub verified: u64,
    /// Workers that were banned for invalid results.
    #[serde(rename = "liars")]
    pub banned: u32,
}

/// What a source reports about its workers while games are played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerNotice {
    /// What workers have contributed to this iteration so far.
    Progress(WorkerStats),
    /// No worker has answered for this long. The run continues without them.
    NoAnswer(Duration),
    /// A worker returned games that the network doesn't play. Its games of this
    /// iteration are played again, and it is banned.
    InvalidResult {
        /// The worker's name.
        worker: String,
        /// How the result is invalid.
        cause: String,
        /// Games of this worker that earlier iterations used without verification.
        unverified: u64,
    },
    /// A message can't be used.
    Rejected {
        /// The sender's name.
        worker: String,
        /// The reason.
        cause: String,
    },
    /// The broker has failed. The run continues without it.
    BrokerLost(String),
}

/// A source of self-play games: this machine, or others.
///
/// All sources return the same games: each is determined by the [`GameRequest`] and its
/// number.
pub trait GameSource<G>: fmt::Debug + Send {
    /// Returns the requested games.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised or the network's output isn't finite.
    fn play(
        &mut self,
        request: &GameRequest<'_, G>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        notify: &mut dyn FnMut(WorkerNotice),
    ) -> Result<GameBatch, Interrupted>;
}

/// Plays all games on this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalSource;

impl<G> GameRequest<'_, G> {
    /// Plays some of the games on this machine.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised or the network's output isn't finite.
    pub fn play(
        &self,
        numbers: Range<u64>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        let slice = TaskSlice {
            numbers,
            ..self.slice
        };
        self.runner.play(&slice, threads, stop)
    }
}

impl<G> GameSource<G> for LocalSource {
    fn play(
        &mut self,
        request: &GameRequest<'_, G>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        _notify: &mut dyn FnMut(WorkerNotice),
    ) -> Result<GameBatch, Interrupted> {
        Ok(GameBatch {
            games: request.runner.play(&request.slice, threads, stop)?,
            worker_stats: None,
        })
    }
}

impl fmt::Display for WorkerNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Progress(stats) => {
                write!(f, "{} games from {} workers", stats.games, stats.workers)
            }
            Self::NoAnswer(time) => write!(
                f,
                "no worker has answered for {} seconds; playing the games here",
                time.as_secs()
            ),
            Self::InvalidResult {
                worker,
                cause,
                unverified,
            } => {
                write!(
                    f,
                    "worker {worker:?} is banned: {cause}; replaying its games"
                )?;
                if *unverified > 0 {
                    write!(
                        f,
                        ", but earlier iterations trained on {unverified} unverified ones"
                    )?;
                }
                Ok(())
            }
            Self::Rejected { worker, cause } => {
                write!(f, "worker {worker:?} is rejected: {cause}")
            }
            Self::BrokerLost(cause) => write!(f, "{cause}; playing the games here"),
        }
    }
}
