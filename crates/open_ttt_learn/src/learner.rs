use core::fmt;
use core::num::NonZero;

use open_ttt_lib::random::{Rng, nth_seed};
use open_ttt_lib::rules::{Encode, Named, TwoPlayerGame};
use open_ttt_nn::{ArchitectureError, Network};
use open_ttt_search::StopFlag;
use sha2::{Digest, Sha256};

use crate::checkpoint::hexadecimal;
use crate::metrics::Results;
use crate::training::{Adam, Batch, Diverged, Losses, Settings, Trainer};
use crate::window::Window;
use crate::{Config, ConfigError, Interrupted, Learning, Order, Record, Symmetries};

/// A game that can be learned: what a program that teaches it knows of it.
///
/// Any game that can be [written as numbers](Encode) and has a
/// [name](Named) is one.
pub trait Learnable:
    Encode + Named + TwoPlayerGame<Move: Send + Sync> + fmt::Debug + Send + Sync + 'static
{
}

impl<G> Learnable for G where
    G: Encode + Named + TwoPlayerGame<Move: Send + Sync> + fmt::Debug + Send + Sync + 'static
{
}

/// A network that teaches itself a game: plays against itself, learns from these
/// games, and plays again.
///
/// What it comes to depends on the game, the configuration and the seed, and on
/// nothing else: neither threads nor time nor interruptions make a difference, to
/// the bit.
#[derive(Clone)]
pub struct Learner<G: TwoPlayerGame> {
    pub(crate) start: G,
    symmetries: Symmetries<G>,
    pub(crate) config: Config,
    pub(crate) seed: u64,
    pub(crate) trainer: Trainer,
    pub(crate) window: Window<G>,
    pub(crate) iteration: u32,
    pub(crate) games: u64,
}

/// What happened in an iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Iteration {
    /// How many positions came.
    pub positions: u64,
    /// How many plies its games had, all together.
    pub plies: u64,
    /// How its games ended.
    pub results: Results,
    /// How many steps were learned.
    pub steps: u64,
    /// The errors while it learned, on average; none without a step.
    pub losses: Option<Losses>,
}

/// A learner cannot begin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BeginError {
    /// The configuration is not usable.
    Config(ConfigError),
    /// The network would be too large for this game.
    Architecture(ArchitectureError),
    /// The game has more moves than a record can name.
    Moves(usize),
}

/// The unit in which a network tells the plies to the end.
const PLIES: f32 = 100.0;

/// What the streams of random numbers of a run are told apart by.
const PLAYING: u64 = 1;
const LEARNING: u64 = 2;

impl<G: Learnable> Learner<G> {
    /// One that knows nothing but the rules.
    ///
    /// # Errors
    ///
    /// [`BeginError`] if the configuration does not suit the game.
    pub fn new(
        start: G,
        symmetries: Symmetries<G>,
        config: Config,
        seed: u64,
    ) -> Result<Self, BeginError> {
        config.check().map_err(BeginError::Config)?;
        let architecture = config.architecture().map_err(BeginError::Config)?;
        let network = Network::new(&start, architecture, seed);
        let network = network.map_err(BeginError::Architecture)?;
        let adam = Adam::new(network.parameters().len());
        let window = Window::new(config.learning.window);
        Self::resume(start, symmetries, config, seed, network, adam, window, 0, 0)
    }

    #[expect(clippy::too_many_arguments, reason = "all that a checkpoint holds")]
    pub(crate) fn resume(
        start: G,
        symmetries: Symmetries<G>,
        config: Config,
        seed: u64,
        network: Network,
        adam: Adam,
        window: Window<G>,
        iteration: u32,
        games: u64,
    ) -> Result<Self, BeginError> {
        let moves = start.move_count();
        if moves > usize::from(u16::MAX) {
            return Err(BeginError::Moves(moves));
        }
        let settings = settings(&config.learning);
        Ok(Self {
            start,
            symmetries,
            trainer: Trainer::resume(network, adam, settings),
            config,
            seed,
            window,
            iteration,
            games,
        })
    }

    /// The position that games begin with.
    pub const fn start(&self) -> &G {
        &self.start
    }

    /// How it learns.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// What it knows.
    pub const fn network(&self) -> &Network {
        self.trainer.network()
    }

    /// How many iterations are behind it.
    pub const fn iteration(&self) -> u32 {
        self.iteration
    }

    /// How many games it has played.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// How many steps it has learned.
    pub const fn steps(&self) -> u64 {
        self.trainer.adam().steps
    }

    /// Whether all iterations are behind it.
    pub const fn is_done(&self) -> bool {
        self.iteration >= self.config.iterations
    }

    /// The sum of its weights: the first sixteen digits of their SHA-256.
    pub fn weights(&self) -> String {
        let mut sum = Sha256::new();
        for parameter in self.network().parameters() {
            sum.update(parameter.to_le_bytes());
        }
        hexadecimal(&sum.finalize()[..8])
    }

    /// Plays the games of the next iteration.
    ///
    /// # Errors
    ///
    /// [`Interrupted`]; the learner is as it was.
    pub fn play(
        &self,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<Record>, Interrupted> {
        let order = self.order();
        order.play(order.numbers.clone(), threads, stop)
    }

    /// The games of the next iteration, for somebody else to play.
    pub fn order(&self) -> Order<'_, G> {
        Order {
            start: &self.start,
            network: self.network(),
            self_play: &self.config.self_play,
            seed: nth_seed(self.seed, PLAYING),
            numbers: self.games..self.games + u64::from(self.config.games),
            iteration: self.iteration,
        }
    }

    /// Learns from the games of the next iteration, which is over then.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised, the network goes bad, or a record is
    /// no game; the learner is as it was.
    pub fn learn(
        &mut self,
        records: Vec<Record>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Iteration, Interrupted> {
        let before = (self.network().clone(), self.trainer.adam().clone());
        let known = self.window.games();
        let learned = self.learn_on(records, threads, stop);
        if learned.is_ok() {
            self.window.forget();
            self.iteration += 1;
            self.games += u64::from(self.config.games);
        } else {
            // What is not learned to its end is not learned at all.
            self.window.keep_first(known);
            let (network, adam) = before;
            self.trainer = Trainer::resume(network, adam, settings(&self.config.learning));
        }
        learned
    }

    fn learn_on(
        &mut self,
        records: Vec<Record>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Iteration, Interrupted> {
        let mut iteration = Iteration::default();
        for record in records {
            iteration.plies += record.moves.len() as u64;
            let (came, outcome) = self
                .window
                .push(&self.start, record)
                .map_err(Interrupted::BadRecord)?;
            iteration.positions += came as u64;
            iteration.results.count(outcome);
        }
        let Learning { batch, reuse, .. } = self.config.learning;
        let wanted = (iteration.positions as f64 * f64::from(reuse) / batch as f64).round();
        iteration.steps = wanted as u64;
        self.trainer.settings.threads = threads;
        self.trainer.settings.learning_rate = self.learning_rate();
        let mut rng = Rng::new(nth_seed(
            nth_seed(self.seed, LEARNING),
            u64::from(self.iteration),
        ));
        let mut lost = Losses::default();
        let mut positions = Batch::new(*self.network().encoding());
        for _ in 0..iteration.steps {
            if stop.is_raised() {
                return Err(Interrupted::Stopped);
            }
            positions.clear();
            for _ in 0..batch {
                self.draw(&mut positions, &mut rng);
            }
            lost += self
                .trainer
                .step(&positions)
                .map_err(|Diverged { .. }| Interrupted::NotFinite)?;
        }
        iteration.losses = (iteration.steps > 0).then(|| lost.scaled(1.0 / iteration.steps as f64));
        Ok(iteration)
    }

    /// Adds a position of the window to a batch, in one of its images.
    fn draw(&self, batch: &mut Batch, rng: &mut Rng) {
        let latest = self.window.len().min(self.config.learning.window);
        let index = self.window.len() - latest + rng.below(latest);
        let image = rng.below(self.symmetries.count());
        let (position, thought) = self.window.get(index);
        let game = &position.game;
        let policy = thought.policy.iter().filter_map(|&(index, share)| {
            let m = game.indexed_move(usize::from(index))?;
            Some((self.symmetries.move_image(game, m, image), share))
        });
        let search_share = self.config.learning.search_share;
        let value = position.result + search_share * (thought.value - position.result);
        let plies = position.plies as f32 / PLIES;
        batch.push(&self.symmetries.image(game, image), policy, value, plies);
    }

    /// From the first to the last along half a cosine, by iterations.
    fn learning_rate(&self) -> f32 {
        let Learning {
            learning_rate: first,
            last_learning_rate: last,
            ..
        } = self.config.learning;
        let share = f64::from(self.iteration) / f64::from(self.config.iterations.max(1));
        let way = 0.5 - 0.5 * cosine_of_pi_times(share);
        first + (last - first) * way as f32
    }
}

/// The cosine of pi times a share from 0 to 1, which is the same everywhere, as
/// that of the standard library need not be: Bhaskara's approximation (7th
/// century), to a thousandth.
fn cosine_of_pi_times(share: f64) -> f64 {
    let fold = if share > 0.5 { 1.0 - share } else { share };
    let cosine = (1.0 - 4.0 * fold * fold) / (1.0 + fold * fold);
    if share > 0.5 { -cosine } else { cosine }
}

fn settings(learning: &Learning) -> Settings {
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

impl fmt::Display for BeginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Architecture(error) => error.fmt(f),
            Self::Moves(moves) => {
                write!(f, "the game has {moves} moves, more than can be learned")
            }
        }
    }
}

impl core::error::Error for BeginError {}
