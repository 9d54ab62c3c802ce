use core::fmt;
use core::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::SelfPlay;
use crate::checkpoint::hexadecimal;

/// Games are the same only where the same program plays them.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The most games in a task.
pub(super) const MOST_GAMES: u32 = 64;

/// The fewest: with less, a network's answers are not computed sixteen at a time.
const FEWEST_GAMES: u32 = 16;

/// An iteration is made into about so many tasks.
const TASKS: u32 = 16;

/// The longest task in bytes, and the longest terms.
pub(super) const LONGEST: usize = 4096;

/// The SHA-256 of something, in digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Sum(String);

/// Which task of which run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskId {
    /// The number of the run, drawn by chance.
    pub(super) run: u64,
    /// Counted from 0.
    pub(super) iteration: u32,
    /// Counted from 0.
    pub(super) index: u32,
    /// How often it was given out before, in vain.
    pub(super) attempt: u32,
}

/// Some games of an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    pub(super) version: String,
    pub(super) id: TaskId,
    /// The network.
    pub(super) model: Sum,
    /// The [`Terms`].
    pub(super) terms: Sum,
    /// The number of the first game.
    pub(super) first: u64,
    pub(super) games: u32,
}

/// What the games of a run depend on, besides the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Terms {
    pub(super) game: String,
    pub(super) seed: u64,
    pub(super) self_play: SelfPlay,
}

/// What tells the version of a message, whatever else is in it.
#[derive(Deserialize)]
struct Versioned {
    version: String,
}

/// A message cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is of another version.
    Version(String),
    /// It is none.
    Garbage(String),
}

impl Sum {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(hexadecimal(&Sha256::digest(bytes)))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Sum {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(is_digit) {
            Ok(Self(text))
        } else {
            Err("that is no SHA-256")
        }
    }
}

impl Task {
    /// How the games of an iteration are made into tasks: the numbers of each.
    pub(super) fn split(numbers: Range<u64>) -> Vec<Range<u64>> {
        let all = numbers.end.saturating_sub(numbers.start);
        let each = all.div_ceil(TASKS.into());
        let each = each.clamp(FEWEST_GAMES.into(), MOST_GAMES.into());
        let firsts = (0..all.div_ceil(each)).map(|index| numbers.start + index * each);
        firsts
            .map(|first| first..numbers.end.min(first + each))
            .collect()
    }

    /// The numbers of its games.
    pub(super) const fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.games as u64
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Numbers and texts always have a JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let task: Self = versioned(bytes)?;
        let fits = (1..=MOST_GAMES).contains(&task.games)
            && task.first.checked_add(task.games.into()).is_some();
        if fits {
            Ok(task)
        } else {
            Err(Unreadable::garbage("a task of too many games, or none"))
        }
    }
}

impl Terms {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let terms: Self = serde_json::from_slice(bytes).map_err(Unreadable::garbage)?;
        terms.self_play.check().map_err(Unreadable::garbage)?;
        Ok(terms)
    }
}

/// Reads a message, its version first.
pub(super) fn versioned<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Unreadable> {
    if bytes.len() > LONGEST {
        return Err(Unreadable::garbage("it is too long"));
    }
    let Versioned { version } = serde_json::from_slice(bytes).map_err(Unreadable::garbage)?;
    if version != VERSION {
        let found = version.chars().take(32).filter(|c| !c.is_control());
        return Err(Unreadable::Version(found.collect()));
    }
    serde_json::from_slice(bytes).map_err(Unreadable::garbage)
}

impl Unreadable {
    pub(super) fn garbage(cause: impl fmt::Display) -> Self {
        Self::Garbage(cause.to_string())
    }
}

impl fmt::Display for TaskId {
    /// A word that no other task has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            run,
            iteration,
            index,
            attempt,
        } = self;
        write!(f, "{run:016x}.{iteration}.{index}.{attempt}")
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(found) => write!(
                f,
                "it is version {found} of the program and the other side is {VERSION}; only the \
                 same version plays the same games"
            ),
            Self::Garbage(cause) => f.write_str(cause),
        }
    }
}
