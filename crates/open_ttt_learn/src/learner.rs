use core::fmt;
use core::num::NonZero;
use std::sync::Arc;

use open_ttt_lib::random::{Rng, nth_seed};
use open_ttt_lib::rules::{Encode, Named, TwoPlayerGame};
use open_ttt_nn::{ArchitectureError, Network};
use open_ttt_search::StopFlag;
use sha2::{Digest, Sha256};

use crate::checkpoint::hexadecimal;
use crate::metrics::GameResults;
use crate::replay_buffer::ReplayBuffer;
use crate::training::{Adam, Batch, Diverged, Losses, Settings, Trainer};
use crate::{
    Config, ConfigError, GameRequest, GameRunner, Interrupted, LearningConfig, SelfPlayGame,
    Symmetries, TaskSlice, game_runner,
};

/// A game that can be learned: any game with an [encoding](Encode) and a [name](Named).
pub trait Learnable:
    Encode + Named + TwoPlayerGame<Move: Send + Sync> + fmt::Debug + Send + Sync + 'static
{
}

impl<G> Learnable for G where
    G: Encode + Named + TwoPlayerGame<Move: Send + Sync> + fmt::Debug + Send + Sync + 'static
{
}

/// A network that learns a game by self-play, iteration by iteration.
///
/// The result depends on the game, the configuration and the seed alone: it is the same
/// to the bit on any number of threads and over any interruption.
#[derive(Clone)]
pub struct Learner<G: TwoPlayerGame> {
    pub(crate) start: G,
    symmetries: Symmetries<G>,
    runner: Arc<dyn GameRunner>,
    pub(crate) config: Config,
    pub(crate) seed: u64,
    pub(crate) trainer: Trainer,
    pub(crate) buffer: ReplayBuffer<G>,
    pub(crate) iteration: u32,
    pub(crate) games: u64,
}

/// What happened in an iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterationSummary {
    /// Positions added to the replay buffer.
    pub positions: u64,
    /// Plies of all games together.
    pub plies: u64,
    /// How the games ended.
    pub results: GameResults,
    /// Training steps.
    pub steps: u64,
    /// Mean losses; `None` without a step.
    pub losses: Option<Losses>,
}

/// A learner can't be created.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The network would be too large for this game.
    #[error("{0}")]
    Architecture(ArchitectureError),
    /// The game has more moves than a move index can number.
    #[error("the game has {0} moves, more than can be learned")]
    Moves(usize),
}

/// The unit of the auxiliary target, in plies.
const PLIES_UNIT: f32 = 100.0;

/// The random streams of a run.
const SELF_PLAY_STREAM: u64 = 1;
const TRAINING_STREAM: u64 = 2;

impl<G: Learnable> Learner<G> {
    /// A learner with a random network.
    ///
    /// # Errors
    ///
    /// [`LearnerError`] if the configuration doesn't suit the game.
    pub fn new(
        start: G,
        symmetries: Symmetries<G>,
        config: Config,
        seed: u64,
    ) -> Result<Self, LearnerError> {
        config.check()?;
        let architecture = config.architecture()?;
        let network = Network::new(&start, architecture, seed);
        let network = network.map_err(LearnerError::Architecture)?;
        let moves = start.move_count();
        if moves > usize::from(u16::MAX) {
            return Err(LearnerError::Moves(moves));
        }
        Ok(Self {
            runner: game_runner(start.clone()),
            start,
            symmetries,
            trainer: Trainer::new(network, settings(&config.learning)),
            buffer: ReplayBuffer::new(config.learning.window),
            config,
            seed,
            iteration: 0,
            games: 0,
        })
    }

    /// Lets another runner play the games, such as a faster one of the same game in another
    /// type. It has to play the same games, from the same start position.
    pub fn with_runner(self, runner: Arc<dyn GameRunner>) -> Self {
        Self { runner, ..self }
    }

    /// Replaces the network and the optimizer's state.
    pub(crate) fn restore(&mut self, network: Network, adam: Adam) {
        self.trainer = Trainer::resume(network, adam, settings(&self.config.learning));
    }

    /// The start position of the games.
    pub const fn start(&self) -> &G {
        &self.start
    }

    /// The configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The current network.
    pub const fn network(&self) -> &Network {
        self.trainer.network()
    }

    /// The number of completed iterations.
    pub const fn iteration(&self) -> u32 {
        self.iteration
    }

    /// The number of games played.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The number of training steps made.
    pub const fn steps(&self) -> u64 {
        self.trainer.adam().steps
    }

    /// Whether all iterations are complete.
    pub const fn is_done(&self) -> bool {
        self.iteration >= self.config.iterations
    }

    /// The first sixteen hexadecimal digits of the weights' SHA-256.
    pub fn weights_hash(&self) -> String {
        let mut hash = Sha256::new();
        for parameter in self.network().parameters() {
            hash.update(parameter.to_le_bytes());
        }
        hexadecimal(&hash.finalize()[..8])
    }

    /// Plays the games of the next iteration on this machine.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised or the network's output isn't finite.
    pub fn play(
        &self,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        let request = self.game_request();
        self.runner.play(&request.slice, threads, stop)
    }

    /// The games of the next iteration.
    pub fn game_request(&self) -> GameRequest<'_, G> {
        GameRequest {
            start: &self.start,
            runner: &*self.runner,
            slice: TaskSlice {
                network: self.network(),
                self_play: &self.config.self_play,
                seed: nth_seed(self.seed, SELF_PLAY_STREAM),
                numbers: self.games..self.games + u64::from(self.config.games),
            },
            iteration: self.iteration,
        }
    }

    /// Trains the network on the games of the next iteration and completes that.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised, the loss or a weight isn't finite, or a game
    /// is invalid. The learner is then unchanged.
    pub fn learn(
        &mut self,
        games: Vec<SelfPlayGame>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<IterationSummary, Interrupted> {
        let network = self.network().clone();
        let adam = self.trainer.adam().clone();
        let known = self.buffer.games().len();
        let result = self.train(games, threads, stop);
        if result.is_ok() {
            self.buffer.evict();
            self.iteration += 1;
            self.games += u64::from(self.config.games);
        } else {
            self.buffer.truncate(known);
            self.restore(network, adam);
        }
        result
    }

    fn train(
        &mut self,
        games: Vec<SelfPlayGame>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<IterationSummary, Interrupted> {
        let mut summary = IterationSummary::default();
        for game in games {
            summary.plies += game.moves.len() as u64;
            let added = self.buffer.push(&self.start, game);
            let (positions, outcome) = added.map_err(Interrupted::InvalidGame)?;
            summary.positions += positions as u64;
            summary.results.count(outcome);
        }
        let LearningConfig { batch, reuse, .. } = self.config.learning;
        let steps = (summary.positions as f64 * f64::from(reuse) / batch as f64).round();
        // Without any, a run with few games would never learn.
        let learns = reuse > 0.0 && summary.positions > 0;
        summary.steps = (steps as u64).max(u64::from(learns));
        self.trainer.settings.threads = threads;
        self.trainer.settings.learning_rate = self.learning_rate();
        let mut rng = Rng::new(nth_seed(
            nth_seed(self.seed, TRAINING_STREAM),
            u64::from(self.iteration),
        ));
        let mut losses = Losses::default();
        let mut positions = Batch::new(*self.network().encoding());
        for _ in 0..summary.steps {
            if stop.is_raised() {
                return Err(Interrupted::Stopped);
            }
            positions.clear();
            for _ in 0..batch {
                self.sample(&mut positions, &mut rng);
            }
            let step = self.trainer.step(&positions);
            losses += step.map_err(|Diverged { .. }| Interrupted::NotFinite)?;
        }
        // What the last step made, no gradient has shown yet.
        let weights = self.network().parameters();
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(Interrupted::NotFinite);
        }
        summary.losses = (summary.steps > 0).then(|| losses.scaled(1.0 / summary.steps as f64));
        Ok(summary)
    }

    /// Adds a random position of the replay buffer, in a random image, to a batch.
    fn sample(&self, batch: &mut Batch, rng: &mut Rng) {
        let latest = self.buffer.len().min(self.config.learning.window);
        let index = self.buffer.len() - latest + rng.below(latest);
        let image = rng.below(self.symmetries.count());
        let (position, target) = self.buffer.get(index);
        let game = &position.game;
        let policy = target.policy.iter().filter_map(|&(index, probability)| {
            let m = game.indexed_move(usize::from(index))?;
            Some(((self.symmetries.move_image)(game, m, image), probability))
        });
        let search_share = self.config.learning.search_share;
        let value = position.result + search_share * (target.value - position.result);
        let plies = position.plies_left as f32 / PLIES_UNIT;
        batch.push(&(self.symmetries.image)(game, image), policy, value, plies);
    }

    /// The learning rate of this iteration: a half-cosine schedule.
    fn learning_rate(&self) -> f32 {
        let learning = &self.config.learning;
        let (first, last) = (learning.learning_rate, learning.last_learning_rate);
        let progress = f64::from(self.iteration) / f64::from(self.config.iterations.max(1));
        let progress = 0.5 - 0.5 * cosine_of_pi_times(progress);
        first + (last - first) * progress as f32
    }
}

/// cos(πx) for x from 0 to 1, to a thousandth, by Bhaskara's approximation (7th
/// century): the standard library's cosine may differ between platforms.
fn cosine_of_pi_times(x: f64) -> f64 {
    let folded = if x > 0.5 { 1.0 - x } else { x };
    let cosine = (1.0 - 4.0 * folded * folded) / (1.0 + folded * folded);
    if x > 0.5 { -cosine } else { cosine }
}

fn settings(learning: &LearningConfig) -> Settings {
    Settings {
        learning_rate: learning.learning_rate,
        weight_decay: learning.weight_decay,
        value_weight: learning.value_weight,
        auxiliary_weight: learning.plies_weight,
        ..Settings::default()
    }
}

impl<G: TwoPlayerGame> fmt::Debug for Learner<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learner")
            .field("seed", &self.seed)
            .field("iteration", &self.iteration)
            .field("games", &self.games)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::strip::Strip;

    /// The loss and the gradient of the only step are finite.
    #[test]
    fn weights_that_the_last_step_makes_nan_are_refused() {
        let game = Strip::new(5);
        let mut config = Config::preset(Preset::Fast, &game.encoding());
        // A batch of the twenty positions of four games.
        (config.games, config.self_play.random_plies) = (4, 0);
        config.learning.reuse = config.learning.batch as f32 / 20.0;
        let mut learner = Learner::new(game, Symmetries::none(), config, 1).unwrap();
        let (threads, stop) = (NonZero::<usize>::MIN, StopFlag::new());
        let games = learner.play(threads, &stop).unwrap();
        let summary = learner.clone().learn(games.clone(), threads, &stop);
        assert_eq!(summary.unwrap().steps, 1);

        let (network, mut adam) = (learner.network().clone(), learner.trainer.adam().clone());
        adam.second_moments.fill(f32::INFINITY);
        learner.restore(network.clone(), adam);
        let refused = learner.learn(games, threads, &stop);
        assert_eq!(refused, Err(Interrupted::NotFinite));
        assert_eq!((learner.network(), learner.iteration()), (&network, 0));
    }
}
