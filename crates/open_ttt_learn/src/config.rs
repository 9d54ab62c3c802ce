use core::error::Error;
use core::fmt;
use core::str::FromStr;

use open_ttt_lib::random::Probability;
use open_ttt_lib::rules::Encoding;
use open_ttt_nn::Architecture;
use serde::{Deserialize, Serialize};

use crate::self_play::SelfPlay;

/// Everything that decides what is learned, but for the game and the seed.
///
/// The presets stand in `presets.toml`, for boards of several sizes.
///
/// ```
/// use open_ttt_learn::{Config, Preset};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::Encode;
///
/// let config = Config::preset(Preset::Fast, &TicTacToe::new().encoding());
/// let text = config.to_string();
/// assert_eq!(text.parse(), Ok(config));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the network is made of, as an
    /// [`Architecture`](open_ttt_nn::Architecture) is written.
    pub architecture: String,
    /// After so many iterations it is done.
    pub iterations: u32,
    /// How many games are played in an iteration.
    pub games: u32,
    /// How the network plays against itself.
    pub self_play: SelfPlay,
    /// How it learns from these games.
    pub learning: Learning,
}

/// How a network learns from the games that it has played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learning {
    /// How many of the latest positions are learned from.
    pub window: usize,
    /// How many positions each step learns from.
    pub batch: usize,
    /// How often each position is learned from, on average.
    pub reuse: f32,
    /// How far each step goes at first (Adam).
    pub learning_rate: f32,
    /// How far the last one goes; between the two it falls like a cosine.
    pub last_learning_rate: f32,
    /// By which part of itself times the learning rate each step shrinks a weight (`AdamW`).
    pub weight_decay: f32,
    /// How much of the value learned is what the search thought, from 0 to 1;
    /// the rest is how the game ended.
    pub search_share: f32,
    /// How much errors of the value count, against those of the policy.
    pub value_weight: f32,
    /// How much errors about the number of plies to the end count.
    pub plies_weight: f32,
}

/// A choice of everything for somebody who does not want to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Preset {
    /// A player soon.
    #[default]
    Fast,
    /// A strong one, with patience.
    Strong,
}

/// A configuration is not usable.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// It is not written as one.
    Text(String),
    /// The architecture does not exist or is too large.
    Architecture(String),
    /// A number is out of its bounds.
    Range {
        /// Which.
        name: &'static str,
        /// What it may be.
        bounds: &'static str,
    },
}

/// The choices, by name.
const PRESETS: &str = include_str!("presets.toml");

/// The bounds of what takes memory and time.
const MOST: u32 = 10_000_000;

impl Preset {
    const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Strong => "strong",
        }
    }
}

impl Config {
    /// The configuration for boards like this one.
    pub fn preset(preset: Preset, encoding: &Encoding) -> Self {
        let size = match encoding.inputs() {
            0..=32 => "small",
            33..=128 => "medium",
            _ => "large",
        };
        let presets: toml::Table = PRESETS.parse().unwrap_or_default();
        let chosen = presets.get(size).and_then(|size| size.get(preset.name()));
        chosen
            .cloned()
            .and_then(|chosen| chosen.try_into().ok())
            .unwrap_or_else(|| unreachable!("every preset stands in the file"))
    }

    /// Checks all that can be checked without a game.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with the first that is out of its bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.architecture()?;
        let Self {
            iterations,
            games,
            self_play,
            learning,
            ..
        } = self;
        let count = |value: usize| (1..=MOST as usize).contains(&value);
        let share = |value: f32| (0.0..=1.0).contains(&value);
        let weight = |value: f32| (0.0..=1e3).contains(&value);
        let rate = |value: f32| value > 0.0 && value <= 1.0;
        let checks = [
            (*iterations <= MOST, "iterations", "at most 10 million"),
            (count(*games as usize), "games", "from 1 to 10 million"),
            (count(learning.window), "window", "from 1 to 10 million"),
            (
                (1..=1 << 16).contains(&learning.batch),
                "batch",
                "from 1 to 65,536",
            ),
            (
                (0.0..=100.0).contains(&learning.reuse),
                "reuse",
                "from 0 to 100",
            ),
            (
                rate(learning.learning_rate),
                "learning_rate",
                "above 0, at most 1",
            ),
            (
                rate(learning.last_learning_rate),
                "last_learning_rate",
                "above 0, at most 1",
            ),
            (share(learning.weight_decay), "weight_decay", "from 0 to 1"),
            (share(learning.search_share), "search_share", "from 0 to 1"),
            (
                weight(learning.value_weight),
                "value_weight",
                "from 0 to 1,000",
            ),
            (
                weight(learning.plies_weight),
                "plies_weight",
                "from 0 to 1,000",
            ),
        ];
        first_unfit(&checks)?;
        self_play.check()
    }

    /// What the network is made of.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Architecture`] if there is no such thing.
    pub fn architecture(&self) -> Result<Architecture, ConfigError> {
        let architecture = self.architecture.parse::<Architecture>();
        architecture.map_err(|error| ConfigError::Architecture(error.to_string()))
    }
}

impl SelfPlay {
    /// Checks that its numbers are within bounds.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Range`] with the first that is not.
    pub fn check(&self) -> Result<(), ConfigError> {
        first_unfit(&[
            (self.simulations <= 1 << 16, "simulations", "at most 65,536"),
            (
                (0.0..=1e3).contains(&self.value_scale),
                "value_scale",
                "from 0 to 1,000",
            ),
            (self.random_plies <= 1000, "random_plies", "at most 1,000"),
            (
                Probability::new(self.random_moves).is_ok(),
                "random_moves",
                "from 0 to 1",
            ),
        ])
    }
}

/// Whether each fits; its name and its bounds.
fn first_unfit(checks: &[(bool, &'static str, &'static str)]) -> Result<(), ConfigError> {
    match checks.iter().find(|(fits, ..)| !fits) {
        Some(&(_, name, bounds)) => Err(ConfigError::Range { name, bounds }),
        None => Ok(()),
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&toml::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Config {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let config: Self =
            toml::from_str(text).map_err(|error| ConfigError::Text(error.to_string()))?;
        config.check()?;
        Ok(config)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(cause) => write!(f, "that is no configuration: {cause}"),
            Self::Architecture(cause) => f.write_str(cause),
            Self::Range { name, bounds } => write!(f, "{name} is to be {bounds}"),
        }
    }
}

impl Error for ConfigError {}
