//! A training run: iterations, their metrics, and its files.

use core::fmt::Write;
use core::num::NonZero;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_nn::{ModelCard, Network};
use open_ttt_search::StopFlag;

use crate::baseline::play_baselines;
use crate::checkpoint::{self, damaged, failed};
use crate::test_set::{TestSet, lines_lost};
use crate::{
    CheckpointError, Evaluation, GameSource, Interrupted, Learnable, Learner, LocalSource, Metrics,
    PhaseTimes, WorkerNotice,
};

/// A learner and the folder of its files:
///
/// | | |
/// |---|---|
/// | `checkpoint-00000012` | the state to resume from |
/// | `network.safetensors` | the current network, to play with |
/// | `metrics.jsonl` | a line per iteration: [`Metrics`] |
/// | `lock` | empty; locked as long as the run exists |
#[derive(Debug)]
pub struct Run<G: TwoPlayerGame> {
    learner: Learner<G>,
    folder: PathBuf,
    history: Vec<Metrics>,
    test_set: TestSet<G>,
    source: Box<dyn GameSource<G>>,
    /// Keeps other runs out of the folder.
    _lock: File,
}

/// Threads, time limit and evaluation of a run. None of it changes the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// How many threads compute.
    pub threads: NonZero<usize>,
    /// When to stop; an iteration under way is finished.
    pub time_limit: Option<Duration>,
    /// The number of iterations between evaluations; 0 disables them. The last
    /// iteration is always evaluated otherwise.
    pub eval_every: u32,
    /// Games against each baseline opponent.
    pub eval_games: u32,
    /// Simulations per move in an evaluation.
    pub eval_simulations: u32,
    /// A game with at most this many lines of play is searched for lost lines.
    pub eval_max_lines: u64,
    /// The longest time between checkpoints.
    pub save_every: Duration,
}

/// An event of a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// A phase begins.
    Phase(RunPhase),
    /// The source of games reports about its workers.
    Worker(&'a WorkerNotice),
    /// An iteration is complete or was evaluated; the metrics of all so far.
    Iteration(&'a [Metrics]),
    /// All files are written.
    Saved {
        /// The run's folder.
        folder: &'a Path,
        /// The current network.
        network: &'a Network,
        /// The metrics of all iterations so far.
        metrics: &'a [Metrics],
    },
}

/// A phase of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunPhase {
    /// The network plays against itself.
    SelfPlay,
    /// It is trained on the games.
    Training,
    /// Its strength is measured.
    Evaluation,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunEnd {
    /// All iterations are complete, and the last one is evaluated unless none is.
    Done,
    /// The time is up.
    TimeUp,
    /// The flag was raised, perhaps in the last evaluation.
    Stopped,
}

/// A run can't continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Self-play or training failed. The state before that is saved.
    #[error(transparent)]
    Interrupted(Interrupted),
    /// A file can't be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

const METRICS: &str = "metrics.jsonl";
const NETWORK: &str = "network.safetensors";
const LOCK: &str = "lock";

/// The longest line of metrics that is read, in bytes.
const MAX_LINE: u64 = 1 << 16;

impl Default for RunOptions {
    /// One thread, no time limit, and an evaluation every five iterations.
    fn default() -> Self {
        Self {
            threads: NonZero::<usize>::MIN,
            time_limit: None,
            eval_every: 5,
            eval_games: 100,
            eval_simulations: 64,
            eval_max_lines: 20_000,
            save_every: Duration::from_secs(30),
        }
    }
}

impl<G: Learnable> Run<G> {
    /// A run in this folder, which is created if necessary. Metrics of later iterations
    /// than the learner's are removed.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the folder can't be used, or another run
    /// [uses](CheckpointError::InUse) it.
    pub fn new(learner: Learner<G>, folder: &Path) -> Result<Self, CheckpointError> {
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let lock = lock(folder)?;
        let mut history = read_metrics(&folder.join(METRICS))?;
        history.retain(|metrics| metrics.iteration <= learner.iteration());
        let run = Self {
            learner,
            folder: folder.to_owned(),
            history,
            test_set: TestSet::new(),
            source: Box::new(LocalSource),
            _lock: lock,
        };
        run.write_metrics()?;
        Ok(run)
    }

    /// Adds a test set to the evaluations.
    pub fn with_test_set(self, test_set: TestSet<G>) -> Self {
        Self { test_set, ..self }
    }

    /// Takes the games from this source; the weights are the same with any.
    pub fn with_game_source(self, source: Box<dyn GameSource<G>>) -> Self {
        Self { source, ..self }
    }

    /// The learner.
    pub const fn learner(&self) -> &Learner<G> {
        &self.learner
    }

    /// The metrics of all iterations so far.
    pub fn history(&self) -> &[Metrics] {
        &self.history
    }

    /// Trains until all iterations are complete, the time is up or the flag is raised,
    /// and saves the result. A complete run is evaluated if it isn't yet.
    ///
    /// # Errors
    ///
    /// [`RunError`]. The latest valid state is saved if possible.
    pub fn train(
        &mut self,
        options: &RunOptions,
        stop: &StopFlag,
        mut notify: impl FnMut(RunEvent<'_>),
    ) -> Result<RunEnd, RunError> {
        let begun = Instant::now();
        let mut saved_at = begun;
        let mut is_saved = false;
        let mut end = loop {
            if self.learner.is_done() {
                break RunEnd::Done;
            }
            let limit = options.time_limit.unwrap_or(Duration::MAX);
            if begun.elapsed() >= limit {
                break RunEnd::TimeUp;
            }
            match self.iterate(options, stop, &mut notify) {
                Ok(()) => is_saved = false,
                Err(Interrupted::Stopped) => break RunEnd::Stopped,
                Err(error) => {
                    self.save(&mut notify)?;
                    return Err(RunError::Interrupted(error));
                }
            }
            notify(RunEvent::Iteration(&self.history));
            if saved_at.elapsed() >= options.save_every {
                self.save(&mut notify)?;
                (saved_at, is_saved) = (Instant::now(), true);
            }
        };
        let last = self.history.last();
        let is_evaluated = last.is_none_or(|last| last.evaluation.is_some());
        if end != RunEnd::Stopped && options.eval_every > 0 && !is_evaluated {
            match self.evaluate(options, stop, &mut notify) {
                Ok(()) => {
                    notify(RunEvent::Iteration(&self.history));
                    is_saved = false;
                }
                Err(Interrupted::Stopped) => end = RunEnd::Stopped,
                Err(error) => {
                    self.save(&mut notify)?;
                    return Err(RunError::Interrupted(error));
                }
            }
        }
        if !is_saved {
            self.save(&mut notify)?;
        }
        Ok(end)
    }

    fn iterate(
        &mut self,
        options: &RunOptions,
        stop: &StopFlag,
        notify: &mut impl FnMut(RunEvent<'_>),
    ) -> Result<(), Interrupted> {
        let last = self.history.last().cloned().unwrap_or_default();
        let begun = Instant::now();
        notify(RunEvent::Phase(RunPhase::SelfPlay));
        let request = self.learner.game_request();
        let mut pass_on = |notice| notify(RunEvent::Worker(&notice));
        let batch = (self.source).play(&request, options.threads, stop, &mut pass_on)?;
        let self_play = begun.elapsed().as_secs_f64();
        notify(RunEvent::Phase(RunPhase::Training));
        let summary = self.learner.learn(batch.games, options.threads, stop)?;
        let training = begun.elapsed().as_secs_f64() - self_play;
        let iteration = self.learner.iteration();
        let config = self.learner.config();
        self.history.push(Metrics {
            iteration,
            iterations: config.iterations,
            games: self.learner.games(),
            positions: summary.positions,
            plies: summary.plies as f64 / f64::from(config.games),
            results: summary.results,
            steps: self.learner.steps(),
            losses: summary.losses,
            seconds: last.seconds + self_play + training,
            times: PhaseTimes {
                self_play: last.times.self_play + self_play,
                training: last.times.training + training,
                ..last.times
            },
            weights_hash: self.learner.weights_hash(),
            worker_stats: batch.worker_stats,
            evaluation: None,
        });
        let is_due = options.eval_every > 0 && iteration.is_multiple_of(options.eval_every);
        if is_due && !self.learner.is_done() {
            // The iteration is complete even if its evaluation fails.
            let _ = self.evaluate(options, stop, notify);
        }
        Ok(())
    }

    /// Evaluates the last iteration.
    fn evaluate(
        &mut self,
        options: &RunOptions,
        stop: &StopFlag,
        notify: &mut impl FnMut(RunEvent<'_>),
    ) -> Result<(), Interrupted> {
        notify(RunEvent::Phase(RunPhase::Evaluation));
        let begun = Instant::now();
        let start = self.learner.start();
        let network = Arc::new(self.learner.network().clone());
        let simulations = options.eval_simulations;
        let baselines = play_baselines(start, &network, options, stop);
        let mut evaluation = Evaluation {
            simulations,
            baselines: baselines.ok_or(Interrupted::Stopped)?,
            ..Evaluation::default()
        };
        if !self.test_set.is_empty() {
            evaluation.policy = Some(self.test_set.evaluate(&network, 0, stop)?);
            evaluation.search = Some(self.test_set.evaluate(&network, simulations, stop)?);
        }
        let lines =
            |simulations| lines_lost(start, &network, simulations, options.eval_max_lines, stop);
        evaluation.policy_lines = lines(0)?;
        if evaluation.policy_lines.is_some() {
            evaluation.search_lines = lines(simulations)?;
        }
        if let Some(last) = self.history.last_mut() {
            let seconds = begun.elapsed().as_secs_f64();
            last.evaluation = Some(evaluation);
            last.times.evaluation += seconds;
            last.seconds += seconds;
        }
        Ok(())
    }

    /// Writes the checkpoint last: the other files are then never behind it, and what is
    /// ahead of it is written again when the run resumes.
    fn save(&mut self, notify: &mut impl FnMut(RunEvent<'_>)) -> Result<(), RunError> {
        let mut network = self.learner.network().clone();
        network.card = ModelCard {
            games: self.learner.games(),
            strength: self.strength(),
            ..network.card
        };
        replace(&self.folder.join(NETWORK), &network.to_bytes())?;
        self.write_metrics()?;
        self.learner.save(&self.folder)?;
        notify(RunEvent::Saved {
            folder: &self.folder,
            network: &network,
            metrics: &self.history,
        });
        Ok(())
    }

    /// The latest evaluation in a sentence, for the network's card.
    fn strength(&self) -> String {
        let latest = self.history.iter().rev().find_map(|metrics| {
            let evaluation = metrics.evaluation.as_ref()?;
            Some((metrics.iteration, evaluation))
        });
        let Some((iteration, evaluation)) = latest else {
            return String::new();
        };
        let simulations = evaluation.simulations;
        let mut text = format!("iteration {iteration}, {simulations} simulations a move:");
        for result in &evaluation.baselines {
            let (wins, draws, losses) = (result.wins, result.draws, result.losses);
            // Writing to a string can't fail.
            let _ = write!(text, " {} +{wins} ={draws} -{losses};", result.opponent);
        }
        text.pop();
        text
    }

    fn write_metrics(&self) -> Result<(), CheckpointError> {
        let mut bytes = Vec::new();
        for metrics in &self.history {
            // Numbers and strings always serialize.
            bytes.extend(serde_json::to_vec(metrics).unwrap_or_default());
            bytes.push(b'\n');
        }
        replace(&self.folder.join(METRICS), &bytes)
    }
}

/// Locks a folder for a run, where the file system has locks.
fn lock(folder: &Path) -> Result<File, CheckpointError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(failed(&path))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(CheckpointError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
            Err(failed(&path)(error))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Reads the metrics of a run, none if the file doesn't exist. An incomplete last line is
/// ignored.
///
/// # Errors
///
/// [`CheckpointError`] if the file can't be read, or has other content.
pub fn read_metrics(path: &Path) -> Result<Vec<Metrics>, CheckpointError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(path)(error)),
    };
    let mut lines = BufReader::new(file);
    let mut history = Vec::new();
    loop {
        let mut line = Vec::new();
        io::Read::take(&mut lines, MAX_LINE)
            .read_until(b'\n', &mut line)
            .map_err(failed(path))?;
        if line.pop() != Some(b'\n') {
            let number = history.len() + 1;
            let is_cut = line.len() as u64 + 1 < MAX_LINE;
            let too_long = format_args!("line {number} is too long");
            return if is_cut {
                Ok(history)
            } else {
                Err(damaged(path, &too_long))
            };
        }
        let metrics = serde_json::from_slice(&line);
        history.push(metrics.map_err(|error| {
            damaged(path, &format_args!("line {}: {error}", history.len() + 1))
        })?);
    }
}

/// Replaces a file atomically.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let partial = path.with_extension("partial");
    checkpoint::write(&partial, bytes)?;
    fs::rename(&partial, path).map_err(failed(path))
}
