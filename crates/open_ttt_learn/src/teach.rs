use core::num::NonZero;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use open_ttt_nn::Network;
use open_ttt_search::StopFlag;

use crate::checkpoint::failed;
use crate::report::Report;
use crate::{
    CheckpointError, Config, Learnable, Learner, LearnerError, Metrics, Preset, Run, RunError,
    RunEvent, RunOptions, Symmetries,
};

/// [`teach`] failed. The folder keeps the latest valid state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TeachError {
    /// The game can't be learned.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// The folder can't be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Training failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Trains a network on a game, from its rules alone, with [`Preset::Fast`] and all
/// processors. `on_iteration` receives the metrics of all iterations so far after each.
///
/// The folder holds the files of a [`Run`], and a `report.html`. A later call resumes
/// from them, or returns the finished network. [`Run`] itself offers other presets,
/// seeds, a time limit and a stop flag.
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
/// [`TeachError`].
pub fn teach<G: Learnable>(
    start: &G,
    symmetries: Symmetries<G>,
    folder: &Path,
    mut on_iteration: impl FnMut(&[Metrics]),
) -> Result<Arc<Network>, TeachError> {
    let learner = match Learner::load(start.clone(), symmetries.clone(), folder) {
        Err(CheckpointError::None(_)) => {
            let config = Config::preset(Preset::Fast, &start.encoding());
            Learner::new(start.clone(), symmetries, config, 1)?
        }
        loaded => loaded?,
    };
    let name = start.name();
    let config = learner.config().clone();
    let mut run = Run::new(learner, folder)?;
    let options = RunOptions {
        threads: available_parallelism().unwrap_or(NonZero::<usize>::MIN),
        ..RunOptions::default()
    };
    let mut reported = Ok(());
    run.train(&options, &StopFlag::new(), |event| match event {
        RunEvent::Iteration(metrics) => on_iteration(metrics),
        RunEvent::Saved {
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
                predictions: &[],
            };
            let path = folder.join("report.html");
            reported = fs::write(&path, report.html()).map_err(failed(&path));
        }
        RunEvent::Phase(_) | RunEvent::Worker(_) => {}
    })?;
    reported?;
    Ok(Arc::new(run.learner().network().clone()))
}
