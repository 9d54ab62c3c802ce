use core::fmt;
use core::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::SelfPlayConfig;
use crate::checkpoint::hexadecimal;

/// The program's version; only the same version plays the same games.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The maximum number of games of a task.
pub(super) const MAX_GAMES: u32 = 64;

/// The minimum, for full batches of sixteen positions.
const MIN_GAMES: u32 = 16;

/// The number of tasks of an iteration, if the number of games permits.
const TASKS: u32 = 16;

/// The longest task or settings message, in bytes.
pub(super) const MAX_LENGTH: usize = 4096;

/// A SHA-256 in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ContentHash(String);

/// An attempt of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskId {
    /// The run's random ID.
    pub(super) run: u64,
    /// Counted from 0.
    pub(super) iteration: u32,
    /// The index of the task in the iteration.
    pub(super) index: u32,
    /// How many attempts failed before.
    pub(super) attempt: u32,
}

/// A request to play some games of an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    pub(super) version: String,
    pub(super) id: TaskId,
    /// The hash of the network.
    pub(super) model: ContentHash,
    /// The hash of the [`RunSettings`].
    #[serde(rename = "terms")]
    pub(super) settings: ContentHash,
    /// The number of the first game.
    pub(super) first: u64,
    pub(super) games: u32,
}

/// What the games of a run depend on, besides the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunSettings {
    pub(super) game: String,
    pub(super) seed: u64,
    pub(super) self_play: SelfPlayConfig,
}

/// The version of a message with any other fields.
#[derive(Deserialize)]
struct MessageVersion {
    version: String,
}

/// A message can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MessageError {
    /// It comes from another version of the program.
    #[error(
        "it comes from version {0} of the program and this is version {VERSION}; both sides need \
         the same version"
    )]
    Version(String),
    /// It is malformed.
    #[error("{0}")]
    Malformed(String),
}

impl ContentHash {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(hexadecimal(&Sha256::digest(bytes)))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ContentHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(is_digit) {
            Ok(Self(text))
        } else {
            Err("not a SHA-256")
        }
    }
}

impl Task {
    /// Splits the games of an iteration into tasks.
    pub(super) fn split(numbers: Range<u64>) -> Vec<Range<u64>> {
        let games = numbers.end.saturating_sub(numbers.start);
        let size = games.div_ceil(TASKS.into());
        let size = size.clamp(MIN_GAMES.into(), MAX_GAMES.into());
        let firsts = (0..games.div_ceil(size)).map(|index| numbers.start + index * size);
        firsts
            .map(|first| first..numbers.end.min(first + size))
            .collect()
    }

    /// The numbers of its games.
    pub(super) const fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.games as u64
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Numbers and strings always serialize.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, MessageError> {
        let task: Self = versioned(bytes)?;
        let fits = (1..=MAX_GAMES).contains(&task.games)
            && task.first.checked_add(task.games.into()).is_some();
        let refused = || MessageError::malformed("its number of games is out of bounds");
        fits.then_some(task).ok_or_else(refused)
    }
}

impl RunSettings {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, MessageError> {
        let settings: Self = serde_json::from_slice(bytes).map_err(MessageError::malformed)?;
        let checked = settings.self_play.check();
        checked.map_err(MessageError::malformed)?;
        Ok(settings)
    }
}

/// Reads a message, its version first.
pub(super) fn versioned<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, MessageError> {
    if bytes.len() > MAX_LENGTH {
        return Err(MessageError::malformed("it is too long"));
    }
    let MessageVersion { version } =
        serde_json::from_slice(bytes).map_err(MessageError::malformed)?;
    if version != VERSION {
        let found = version.chars().take(32).filter(|c| !c.is_control());
        return Err(MessageError::Version(found.collect()));
    }
    serde_json::from_slice(bytes).map_err(MessageError::malformed)
}

impl MessageError {
    pub(super) fn malformed(cause: impl fmt::Display) -> Self {
        Self::Malformed(cause.to_string())
    }
}

impl fmt::Display for TaskId {
    /// Part of a unique message ID.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (run, iteration) = (self.run, self.iteration);
        write!(f, "{run:016x}.{iteration}.{}.{}", self.index, self.attempt)
    }
}
