use core::error::Error;
use core::fmt;
use core::num::NonZero;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use open_ttt_nn::Network;
use open_ttt_search::StopFlag;

use crate::report::Report;
use crate::{
    BeginError, CheckpointError, Config, Event, Learnable, Learner, Metrics, Plan, Preset, Run,
    RunError, Symmetries, saved_game,
};

/// A game could not be taught.
#[derive(Debug)]
#[non_exhaustive]
pub enum TeachError {
    /// It cannot be learned.
    Begin(BeginError),
    /// What is in the folder cannot be gone on with, or not be written.
    Folder(CheckpointError),
    /// It could not be learned to the end. What is in the folder can be gone on
    /// with.
    Run(RunError),
}

/// Teaches a game from its rules alone, and gives what it has learned: the preset
/// [`Preset::Fast`], with all processors. `tell` is told what is known after each
/// iteration; the latest is the last.
///
/// Everything is kept in the folder, as [`Run`] keeps it, and with a `report.html`
/// that shows how it went. Called again, it goes on with what is in the folder, and
/// if all is learned, that is what it gives. For another preset, a seed, an end by
/// the clock or a flag that stops it there is [`Run`].
///
/// ```no_run
/// use std::path::Path;
///
/// use open_ttt_learn::{Symmetries, teach};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::{GumbelPlayer, NetworkModel};
///
/// let game = TicTacToe::new();
/// let network = teach(&game, Symmetries::of(&game), Path::new("learned"), |metrics| {
///     println!("{} iterations", metrics.len());
/// })?;
/// let computer = GumbelPlayer::<TicTacToe, _>::new(NetworkModel::new(network), 64);
/// # Ok::<(), open_ttt_learn::TeachError>(())
/// ```
///
/// # Errors
///
/// [`TeachError`]. Nothing that was on the disk is lost.
pub fn teach<G: Learnable>(
    start: &G,
    symmetries: Symmetries<G>,
    folder: &Path,
    mut tell: impl FnMut(&[Metrics]),
) -> Result<Arc<Network>, TeachError> {
    let learner = if saved_game(folder).is_ok() {
        Learner::load(start.clone(), symmetries, folder)?
    } else {
        let config = Config::preset(Preset::Fast, &start.encoding());
        Learner::new(start.clone(), symmetries, config, 1)?
    };
    let name = start.name();
    let config = learner.config().clone();
    let mut run = Run::new(learner, folder)?;
    let plan = Plan {
        threads: available_parallelism().unwrap_or(NonZero::<usize>::MIN),
        ..Plan::default()
    };
    let mut reported = Ok(());
    run.go_on(&plan, &StopFlag::new(), |event| match event {
        Event::Iteration(metrics) => tell(metrics),
        Event::Saved {
            folder,
            network,
            metrics,
        } => {
            let report = Report {
                title: &name,
                game: &name,
                seed: network.card.seed,
                command: "open_ttt_learn::teach",
                config: &config,
                metrics,
                opinions: &[],
            };
            let path = folder.join("report.html");
            reported = fs::write(&path, report.html())
                .map_err(|error| CheckpointError::Io { path, error });
        }
        Event::Phase(_) | Event::Notice(_) => {}
    })?;
    reported?;
    Ok(Arc::new(run.learner().network().clone()))
}

impl From<BeginError> for TeachError {
    fn from(error: BeginError) -> Self {
        Self::Begin(error)
    }
}

impl From<CheckpointError> for TeachError {
    fn from(error: CheckpointError) -> Self {
        Self::Folder(error)
    }
}

impl From<RunError> for TeachError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl fmt::Display for TeachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begin(error) => error.fmt(f),
            Self::Folder(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl Error for TeachError {}
