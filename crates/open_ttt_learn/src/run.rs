//! A whole run: iterations, what is known about them, and what stays on the disk.

use core::error::Error;
use core::fmt::{self, Write};
use core::num::NonZero;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_nn::{Card, Network};
use open_ttt_search::StopFlag;

use crate::checkpoint::{self, failed};
use crate::exam::{Exam, lines_lost};
use crate::{
    CheckpointError, Harvest, Interrupted, Learnable, Learner, Metrics, Notice, Opponent, Parts,
    Proof, Source, Strength, ThisMachine, Trial,
};

/// A learner with a folder, in which everything is kept:
///
/// | | |
/// |---|---|
/// | `checkpoint-00000012` | all that is needed to go on |
/// | `network.safetensors` | the network as it is, to be played with |
/// | `metrics.jsonl` | a line for each iteration: [`Metrics`] |
#[derive(Debug)]
pub struct Run<G: TwoPlayerGame> {
    learner: Learner<G>,
    folder: PathBuf,
    history: Vec<Metrics>,
    exam: Exam<G>,
    source: Box<dyn Source<G>>,
}

/// How a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// On how many threads. The result is the same on any number.
    pub threads: NonZero<usize>,
    /// How long it goes on at most. The iteration begun then is finished.
    pub time: Option<Duration>,
    /// After how many iterations it is measured how strong the network is; never
    /// if 0. At the end it is measured in any case but that.
    pub proof_every: u32,
    /// How many games are played against each opponent for that.
    pub proof_games: u32,
    /// How many lines the network looks along for each move in them.
    pub proof_simulations: u32,
    /// A game with at most so many lines of play is walked through for that.
    pub proof_lines: u64,
    /// How long it goes on at most before everything is written to the disk.
    pub save_every: Duration,
}

/// What a run tells while it goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// It begins to do something else.
    Phase(Phase),
    /// Those who play its games have something to say.
    Notice(&'a Notice),
    /// An iteration is over; all of them so far, the last one last.
    Iteration(&'a [Metrics]),
    /// Everything is on the disk.
    Saved {
        /// Where.
        folder: &'a Path,
        /// The network as it is.
        network: &'a Network,
        /// All iterations so far.
        metrics: &'a [Metrics],
    },
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It plays against itself.
    Playing,
    /// It learns from that.
    Learning,
    /// It finds out how strong it is.
    Measuring,
}

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// All iterations are done.
    Done,
    /// The time is up.
    TimeUp,
    /// The flag was raised.
    Stopped,
}

/// A run cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The network has gone bad. The last good one was saved.
    Bad(Interrupted),
    /// The disk does not take or give what is needed.
    Disk(CheckpointError),
}

const METRICS: &str = "metrics.jsonl";
const NETWORK: &str = "network.safetensors";

/// The longest line of metrics that is read, in bytes.
const MOST_LINE: u64 = 1 << 16;

impl Default for Plan {
    /// One thread, no end but the last iteration, and a proof every five.
    fn default() -> Self {
        Self {
            threads: NonZero::<usize>::MIN,
            time: None,
            proof_every: 5,
            proof_games: 100,
            proof_simulations: 64,
            proof_lines: 20_000,
            save_every: Duration::from_secs(30),
        }
    }
}

impl<G: Learnable> Run<G> {
    /// A run in this folder, which is made if it is not there. Metrics of later
    /// iterations than the learner's are forgotten.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the folder cannot be used.
    pub fn new(learner: Learner<G>, folder: &Path) -> Result<Self, CheckpointError> {
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let path = folder.join(METRICS);
        let mut history = read_metrics(&path)?;
        history.retain(|metrics| metrics.iteration <= learner.iteration());
        let run = Self {
            learner,
            folder: folder.to_owned(),
            history,
            exam: Exam::new(),
            source: Box::new(ThisMachine),
        };
        run.write_metrics()?;
        Ok(run)
    }

    /// The same, measured by this exam as well.
    pub fn with_exam(self, exam: Exam<G>) -> Self {
        Self { exam, ..self }
    }

    /// The same, with games from there. It makes no difference to what is learned.
    pub fn with_source(self, source: Box<dyn Source<G>>) -> Self {
        Self { source, ..self }
    }

    /// What learns.
    pub const fn learner(&self) -> &Learner<G> {
        &self.learner
    }

    /// What is known of all iterations so far.
    pub fn history(&self) -> &[Metrics] {
        &self.history
    }

    /// Goes on until it is done, the time is up or the flag is raised. Everything
    /// is on the disk then.
    ///
    /// # Errors
    ///
    /// [`RunError`]. What is on the disk is then as good as it can be.
    pub fn go_on(
        &mut self,
        plan: &Plan,
        stop: &StopFlag,
        mut tell: impl FnMut(Event<'_>),
    ) -> Result<End, RunError> {
        let begun = Instant::now();
        let mut saved = begun;
        let mut is_saved = false;
        let end = loop {
            if self.learner.is_done() {
                break End::Done;
            }
            if plan.time.is_some_and(|time| begun.elapsed() >= time) {
                break End::TimeUp;
            }
            match self.iterate(plan, stop, &mut tell) {
                Ok(()) => is_saved = false,
                Err(Interrupted::Stopped) => break End::Stopped,
                Err(error) => {
                    self.save(&mut tell)?;
                    return Err(RunError::Bad(error));
                }
            }
            tell(Event::Iteration(&self.history));
            if saved.elapsed() >= plan.save_every {
                self.save(&mut tell)?;
                (saved, is_saved) = (Instant::now(), true);
            }
        };
        if end != End::Stopped && self.prove_at_the_end(plan, stop, &mut tell)? {
            is_saved = false;
        }
        if !is_saved {
            self.save(&mut tell)?;
        }
        Ok(end)
    }

    fn iterate(
        &mut self,
        plan: &Plan,
        stop: &StopFlag,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Interrupted> {
        let (seconds, parts) = match self.history.last() {
            Some(last) => (last.seconds, last.parts),
            None => (0.0, Parts::default()),
        };
        let since = Instant::now();
        tell(Event::Phase(Phase::Playing));
        let order = self.learner.order();
        let mut pass_on = |notice| tell(Event::Notice(&notice));
        let harvest = (self.source).play(&order, plan.threads, stop, &mut pass_on)?;
        let Harvest { records, help } = harvest;
        let playing = since.elapsed().as_secs_f64();
        tell(Event::Phase(Phase::Learning));
        let iteration = self.learner.learn(records, plan.threads, stop)?;
        let learning = since.elapsed().as_secs_f64() - playing;
        let number = self.learner.iteration();
        let games = f64::from(self.learner.config().games);
        self.history.push(Metrics {
            iteration: number,
            iterations: self.learner.config().iterations,
            games: self.learner.games(),
            positions: iteration.positions,
            plies: iteration.plies as f64 / games,
            results: iteration.results,
            steps: self.learner.steps(),
            losses: iteration.losses,
            seconds: seconds + playing + learning,
            parts: Parts {
                playing: parts.playing + playing,
                learning: parts.learning + learning,
                ..parts
            },
            weights: self.learner.weights(),
            help,
            proof: None,
        });
        let is_due = plan.proof_every > 0 && number.is_multiple_of(plan.proof_every);
        if is_due && !self.learner.is_done() {
            // The iteration is over, also where it is not measured any more.
            let _ = self.measure(plan, stop, tell);
        }
        Ok(())
    }

    /// Finds out how strong the network is now, if that is not known yet.
    fn prove_at_the_end(
        &mut self,
        plan: &Plan,
        stop: &StopFlag,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<bool, RunError> {
        let is_known = self.history.last().is_none_or(|last| last.proof.is_some());
        if plan.proof_every == 0 || is_known {
            return Ok(false);
        }
        match self.measure(plan, stop, tell) {
            Ok(()) => {
                tell(Event::Iteration(&self.history));
                Ok(true)
            }
            Err(Interrupted::Stopped) => Ok(false),
            Err(error) => Err(RunError::Bad(error)),
        }
    }

    fn measure(
        &mut self,
        plan: &Plan,
        stop: &StopFlag,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Interrupted> {
        tell(Event::Phase(Phase::Measuring));
        let since = Instant::now();
        let network = Arc::new(self.learner.network().clone());
        let proof = self.proof(plan, &network, stop)?;
        let measuring = since.elapsed().as_secs_f64();
        if let Some(last) = self.history.last_mut() {
            last.proof = Some(proof);
            last.parts.measuring += measuring;
            last.seconds += measuring;
        }
        Ok(())
    }

    fn proof(
        &self,
        plan: &Plan,
        network: &Arc<Network>,
        stop: &StopFlag,
    ) -> Result<Proof, Interrupted> {
        let start = self.learner.start();
        let mut proof = Proof {
            simulations: plan.proof_simulations,
            ..Proof::default()
        };
        for opponent in Opponent::ALL {
            let trial = Trial {
                opponent,
                simulations: plan.proof_simulations,
                games: plan.proof_games,
                random_plies: 2,
                seed: 1,
            };
            let strength = trial.play(start, network, plan.threads, stop);
            proof.strength.push(strength.ok_or(Interrupted::Stopped)?);
        }
        if !self.exam.is_empty() {
            proof.policy = Some(self.exam.sit(network, 0, stop)?);
            proof.searching = Some(self.exam.sit(network, plan.proof_simulations, stop)?);
        }
        let lines = |simulations| lines_lost(start, network, simulations, plan.proof_lines, stop);
        proof.policy_lines = lines(0)?;
        if proof.policy_lines.is_some() {
            proof.searching_lines = lines(plan.proof_simulations)?;
        }
        Ok(proof)
    }

    fn save(&mut self, tell: &mut impl FnMut(Event<'_>)) -> Result<(), RunError> {
        self.learner.save(&self.folder).map_err(RunError::Disk)?;
        self.write_metrics().map_err(RunError::Disk)?;
        let mut network = self.learner.network().clone();
        network.card = Card {
            games: self.learner.games(),
            strength: self.strength(),
            ..network.card
        };
        replace(&self.folder.join(NETWORK), &network.to_bytes()).map_err(RunError::Disk)?;
        tell(Event::Saved {
            folder: &self.folder,
            network: &network,
            metrics: &self.history,
        });
        Ok(())
    }

    /// What was measured last, in a sentence.
    fn strength(&self) -> String {
        let measured = self.history.iter().rev().find_map(|metrics| {
            let proof = metrics.proof.as_ref()?;
            Some((metrics.iteration, proof))
        });
        let Some((iteration, proof)) = measured else {
            return String::new();
        };
        let mut words = format!(
            "iteration {iteration}, {} simulations a move:",
            proof.simulations
        );
        for one in &proof.strength {
            let Strength {
                opponent,
                wins,
                draws,
                losses,
                ..
            } = one;
            // A text takes whatever is written to it.
            let _ = write!(words, " {opponent} +{wins} ={draws} -{losses};");
        }
        words.pop();
        words
    }

    fn write_metrics(&self) -> Result<(), CheckpointError> {
        let mut bytes = Vec::new();
        for metrics in &self.history {
            // Numbers and texts always have a JSON.
            bytes.extend(serde_json::to_vec(metrics).unwrap_or_default());
            bytes.push(b'\n');
        }
        replace(&self.folder.join(METRICS), &bytes)
    }
}

/// Reads the metrics of a run; none if there are none. A last line that is cut
/// off is left out.
///
/// # Errors
///
/// [`CheckpointError`] if the file cannot be read, or is none of metrics.
pub fn read_metrics(path: &Path) -> Result<Vec<Metrics>, CheckpointError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(path, error)),
    };
    let mut lines = BufReader::new(file);
    let mut history = Vec::new();
    loop {
        let mut line = Vec::new();
        let mut one = io::Read::take(&mut lines, MOST_LINE);
        one.read_until(b'\n', &mut line)
            .map_err(|error| failed(path, error))?;
        if line.pop() != Some(b'\n') {
            return Ok(history);
        }
        let metrics = serde_json::from_slice(&line);
        history.push(metrics.map_err(|error| CheckpointError::Damaged {
            path: path.to_owned(),
            cause: format!("line {}: {error}", history.len() + 1),
        })?);
    }
}

/// Writes a file that is there as a whole or as it was before.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let partial = path.with_extension("partial");
    checkpoint::write(&partial, bytes)?;
    fs::rename(&partial, path).map_err(|error| failed(path, error))
}

impl From<CheckpointError> for RunError {
    fn from(error: CheckpointError) -> Self {
        Self::Disk(error)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(error) => error.fmt(f),
            Self::Disk(error) => error.fmt(f),
        }
    }
}

impl Error for RunError {}
