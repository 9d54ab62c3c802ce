use core::fmt;
use core::str::FromStr;

use open_ttt_lib::rules::Encoding;
use open_ttt_nn::Architecture;
use serde::{Deserialize, Serialize};

use crate::self_play::SelfPlayConfig;

/// All hyperparameters of a training run; with the game and the seed they determine
/// its result.
///
/// `presets.toml` has presets for boards of three sizes.
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
    /// The network's layers, in the text form of an
    /// [`Architecture`](open_ttt_nn::Architecture).
    pub architecture: String,
    /// The number of iterations, each of self-play and training.
    pub iterations: u32,
    /// Self-play games per iteration.
    pub games: u32,
    /// How the games are played.
    pub self_play: SelfPlayConfig,
    /// How the network is trained on them.
    pub learning: LearningConfig,
}

/// How a network is trained on its self-play games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningConfig {
    /// The size of the replay buffer, in positions. A checkpoint has room for 4 GiB of
    /// them: 9 bytes each, and 6 for each legal move.
    pub window: usize,
    /// Positions per training step.
    pub batch: usize,
    /// How often each position is sampled, on average.
    pub reuse: f32,
    /// The learning rate of the first iteration (Adam).
    pub learning_rate: f32,
    /// The learning rate after the last iteration; the schedule is a half cosine.
    pub last_learning_rate: f32,
    /// Decoupled weight decay (`AdamW`).
    pub weight_decay: f32,
    /// The weight of the search's value in the value target, from 0 to 1; the rest is
    /// the game's result.
    pub search_share: f32,
    /// The weight of the value loss; the policy loss has weight 1.
    pub value_weight: f32,
    /// The weight of the auxiliary loss: the number of plies left.
    pub plies_weight: f32,
}

/// A ready-made [`Config`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Reaches a decent player quickly.
    #[default]
    Fast,
    /// Reaches a strong player slowly.
    Strong,
}

/// A configuration is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The text isn't TOML with the fields of a [`Config`].
    #[error("invalid configuration: {0}")]
    Text(String),
    /// The architecture is unknown or too large.
    #[error("{0}")]
    Architecture(String),
    /// A number is out of range.
    #[error("{name} must be {bounds}")]
    Range {
        /// The field's name.
        name: &'static str,
        /// Its range.
        bounds: &'static str,
    },
}

const PRESETS: &str = include_str!("presets.toml");

impl Config {
    /// A preset for boards of this size.
    pub fn preset(preset: Preset, encoding: &Encoding) -> Self {
        let size = match encoding.inputs() {
            0..=32 => "small",
            33..=128 => "medium",
            _ => "large",
        };
        let name = match preset {
            Preset::Fast => "fast",
            Preset::Strong => "strong",
        };
        let presets: toml::Table = PRESETS.parse().unwrap_or_default();
        let chosen = presets.get(size).and_then(|size| size.get(name)).cloned();
        chosen
            .and_then(|chosen| chosen.try_into().ok())
            .unwrap_or_else(|| unreachable!("the file has every preset"))
    }

    /// Checks all fields.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for the first invalid one.
    pub fn check(&self) -> Result<(), ConfigError> {
        const MAX: u32 = 10_000_000;
        const TO_MAX: &str = "from 1 to 10 million";
        const RATE: &str = "above 0, at most 1";
        const WEIGHT: &str = "from 0 to 1,000";
        self.architecture()?;
        let learning = &self.learning;
        let is_share = |value: f32| (0.0..=1.0).contains(&value);
        let is_weight = |value: f32| (0.0..=1e3).contains(&value);
        let is_rate = |value: f32| value > 0.0 && value <= 1.0;
        check(self.iterations <= MAX, "iterations", "at most 10 million")?;
        check((1..=MAX).contains(&self.games), "games", TO_MAX)?;
        check(
            (1..=MAX as usize).contains(&learning.window),
            "window",
            TO_MAX,
        )?;
        check(
            (1..=1 << 16).contains(&learning.batch),
            "batch",
            "from 1 to 65,536",
        )?;
        check(
            (0.0..=100.0).contains(&learning.reuse),
            "reuse",
            "from 0 to 100",
        )?;
        check(is_rate(learning.learning_rate), "learning_rate", RATE)?;
        check(
            is_rate(learning.last_learning_rate),
            "last_learning_rate",
            RATE,
        )?;
        check(
            is_share(learning.weight_decay),
            "weight_decay",
            "from 0 to 1",
        )?;
        check(
            is_share(learning.search_share),
            "search_share",
            "from 0 to 1",
        )?;
        check(is_weight(learning.value_weight), "value_weight", WEIGHT)?;
        check(is_weight(learning.plies_weight), "plies_weight", WEIGHT)?;
        self.self_play.check()
    }

    /// The network's layers.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Architecture`] if the text isn't an architecture.
    pub fn architecture(&self) -> Result<Architecture, ConfigError> {
        let architecture = self.architecture.parse::<Architecture>();
        architecture.map_err(|error| ConfigError::Architecture(error.to_string()))
    }
}

/// Returns [`ConfigError::Range`] unless the field is within its bounds.
pub(crate) const fn check(
    fits: bool,
    name: &'static str,
    bounds: &'static str,
) -> Result<(), ConfigError> {
    if fits {
        Ok(())
    } else {
        Err(ConfigError::Range { name, bounds })
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
