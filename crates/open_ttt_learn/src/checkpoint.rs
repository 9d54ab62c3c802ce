//! Learners on disk.
//!
//! A checkpoint is a folder:
//!
//! | file | content |
//! |---|---|
//! | `state.json` | version, game, seed, counters, configuration |
//! | `model.safetensors` | the network |
//! | `adam.bin` | the optimizer's moments |
//! | `window.bin` | the games of the replay buffer |
//! | `SHA256SUMS` | the hashes of the others, as `sha256sum` writes them |

use core::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use open_ttt_nn::Network;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::training::Adam;
use crate::{Config, Learnable, Learner, SelfPlayGame, Symmetries};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    version: u32,
    game: String,
    seed: u64,
    iteration: u32,
    games: u64,
    steps: u64,
    config: Config,
}

/// The version of a state with any other fields.
#[derive(Deserialize)]
struct StateVersion {
    version: u32,
}

/// The game of a state with any other fields.
#[derive(Deserialize)]
struct StateGame {
    game: String,
}

/// The version of the format.
const VERSION: u32 = 2;

const STATE: &str = "state.json";
const MODEL: &str = "model.safetensors";
const ADAM: &str = "adam.bin";
const BUFFER: &str = "window.bin";
const HASHES: &str = "SHA256SUMS";

/// The prefix of checkpoint folders; the number of completed iterations follows.
const PREFIX: &str = "checkpoint-";

/// What follows the name of a checkpoint while another one of the same iteration takes its
/// place.
const REPLACED: &str = ".replaced";

/// The largest file that is read or written, in bytes.
const MAX_BYTES: u64 = 1 << 32;

/// A checkpoint in a folder. The greatest one is the latest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    iteration: u32,
    /// Whether it isn't one that is being replaced, which may be partly deleted.
    is_current: bool,
    path: PathBuf,
}

/// A checkpoint can't be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The folder has none.
    #[error("no checkpoint in {}", .0.display())]
    None(PathBuf),
    /// Another run, perhaps of another process, writes to the folder.
    #[error("another training run writes to {}", .0.display())]
    InUse(PathBuf),
    /// An I/O error.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// A file would be longer than those that are read.
    #[error(
        "{} would have {bytes} bytes, more than the {MAX_BYTES} that are read again; \
         a smaller replay buffer (window) avoids that",
        path.display()
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// It was written in another version of the format.
    #[error(
        "{} has format {found}; this version of the program reads format {VERSION}",
        path.display()
    )]
    Version {
        /// The checkpoint.
        path: PathBuf,
        /// The format's version.
        found: u32,
    },
    /// It is for another game.
    #[error("the checkpoint is for {found}, not {expected}")]
    Game {
        /// The checkpoint's game.
        found: String,
        /// The game asked for.
        expected: String,
    },
    /// Its content is invalid.
    #[error("{} is damaged: {cause}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
}

impl<G: Learnable> Learner<G> {
    /// Writes a checkpoint into this folder and removes the earlier ones there.
    ///
    /// The checkpoint appears atomically; an earlier one, also of the same iteration,
    /// remains until then.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Io`], or [`CheckpointError::TooLong`] if the replay buffer is
    /// too large for a file; an earlier checkpoint is then still there.
    pub fn save(&self, folder: &Path) -> Result<PathBuf, CheckpointError> {
        self.save_within(folder, MAX_BYTES)
    }

    fn save_within(&self, folder: &Path, max_bytes: u64) -> Result<PathBuf, CheckpointError> {
        let path = folder.join(format!("{PREFIX}{:08}", self.iteration));
        let mut buffer = Vec::new();
        for game in self.buffer.games() {
            game.write(&mut buffer);
        }
        let state = State {
            version: VERSION,
            game: self.start.name(),
            seed: self.seed,
            iteration: self.iteration,
            games: self.games,
            steps: self.steps(),
            config: self.config.clone(),
        };
        // Numbers and strings always serialize.
        let state = serde_json::to_vec_pretty(&state).unwrap_or_default();
        let files = [
            (MODEL, self.network().to_bytes()),
            (ADAM, adam_bytes(self.trainer.adam())),
            (BUFFER, buffer),
            (STATE, state),
        ];
        for (name, content) in &files {
            let bytes = content.len() as u64;
            if bytes > max_bytes {
                let path = path.join(name);
                return Err(CheckpointError::TooLong { path, bytes });
            }
        }
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let partial = folder.join("partial");
        remove(&partial)?;
        fs::create_dir(&partial).map_err(failed(&partial))?;
        let mut hashes = String::new();
        for (name, content) in &files {
            write(&partial.join(name), content)?;
            hashes += &hash_line(name, content);
        }
        write(&partial.join(HASHES), hashes.as_bytes())?;
        sync_folder(&partial)?;
        if path.exists() {
            // A folder can't be replaced in one step, and deleting one takes many: after
            // any of them, the latest checkpoint is a complete one.
            let mut replaced = path.clone().into_os_string();
            replaced.push(REPLACED);
            let replaced = PathBuf::from(replaced);
            remove(&replaced)?;
            fs::rename(&path, &replaced).map_err(failed(&path))?;
        }
        let earlier = checkpoints(folder)?;
        fs::rename(&partial, &path).map_err(failed(&path))?;
        sync_folder(folder)?;
        for Found { path, .. } in earlier {
            // A leftover is harmless: `load` takes the latest.
            let _ = fs::remove_dir_all(path);
        }
        Ok(path)
    }

    /// Reads the latest checkpoint in this folder.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if there is none, or it can't be used for this game.
    pub fn load(
        start: G,
        symmetries: Symmetries<G>,
        folder: &Path,
    ) -> Result<Self, CheckpointError> {
        let path = latest(folder)?;
        let damaged = |name: &str, cause: &dyn fmt::Display| damaged(&path.join(name), cause);
        let hashes = read(&path.join(HASHES))?;
        let read_verified = |name: &str| {
            let bytes = read(&path.join(name))?;
            let expected = hash_line(name, &bytes);
            let mut lines = hashes.split_inclusive(|&byte| byte == b'\n');
            if lines.any(|line| line == expected.as_bytes()) {
                Ok(bytes)
            } else {
                Err(damaged(name, &"its hash doesn't match"))
            }
        };
        let state = read_verified(STATE)?;
        let StateVersion { version: found } = parse(&path.join(STATE), &state)?;
        if found != VERSION {
            return Err(CheckpointError::Version { path, found });
        }
        let state: State = parse(&path.join(STATE), &state)?;
        if state.game != start.name() {
            return Err(CheckpointError::Game {
                found: state.game,
                expected: start.name(),
            });
        }
        let model = read_verified(MODEL)?;
        let adam = read_verified(ADAM)?;
        let games = read_verified(BUFFER)?;
        let network = Network::from_bytes(&model).map_err(|error| damaged(MODEL, &error))?;
        let suits = network.check_compatible(&start);
        suits.map_err(|error| damaged(MODEL, &error))?;
        let architecture = state.config.architecture();
        let architecture = architecture.map_err(|error| damaged(STATE, &error))?;
        if *network.architecture() != architecture {
            return Err(damaged(MODEL, &"its layers aren't those of state.json"));
        }
        let adam = read_adam(&adam, network.parameters().len(), state.steps)
            .ok_or_else(|| damaged(ADAM, &"it doesn't fit the network"))?;
        let learner = Self::new(start, symmetries, state.config, state.seed);
        let mut learner = learner.map_err(|error| damaged(STATE, &error))?;
        let mut rest = &games[..];
        while !rest.is_empty() {
            let game = SelfPlayGame::read(&mut rest).map_err(|error| damaged(BUFFER, &error))?;
            let added = learner.buffer.push(&learner.start, game);
            added.map_err(|error| damaged(BUFFER, &error))?;
        }
        learner.restore(network, adam);
        learner.iteration = state.iteration;
        learner.games = state.games;
        Ok(learner)
    }
}

/// The [name](open_ttt_lib::rules::Named) of the game of the latest checkpoint in this
/// folder.
///
/// # Errors
///
/// [`CheckpointError`] if there is none, or it can't be read.
pub fn checkpoint_game(folder: &Path) -> Result<String, CheckpointError> {
    let path = latest(folder)?.join(STATE);
    let StateGame { game } = parse(&path, &read(&path)?)?;
    Ok(game)
}

fn latest(folder: &Path) -> Result<PathBuf, CheckpointError> {
    let latest = checkpoints(folder)?.into_iter().max();
    let none = || CheckpointError::None(folder.to_owned());
    latest.map(|found| found.path).ok_or_else(none)
}

fn checkpoints(folder: &Path) -> Result<Vec<Found>, CheckpointError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(folder)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed(folder))?;
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
            continue;
        };
        let replaced = name.strip_suffix(REPLACED);
        if let Ok(iteration) = replaced.unwrap_or(name).parse() {
            found.push(Found {
                iteration,
                is_current: replaced.is_none(),
                path: entry.path(),
            });
        }
    }
    Ok(found)
}

/// The first moments, then the second moments.
fn adam_bytes(adam: &Adam) -> Vec<u8> {
    let numbers = adam.first_moments.iter().chain(&adam.second_moments);
    numbers.flat_map(|number| number.to_le_bytes()).collect()
}

fn read_adam(bytes: &[u8], parameters: usize, steps: u64) -> Option<Adam> {
    let (numbers, rest) = bytes.as_chunks();
    if !rest.is_empty() || numbers.len() != 2 * parameters {
        return None;
    }
    let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    Some(Adam {
        first_moments: numbers.by_ref().take(parameters).collect(),
        second_moments: numbers.collect(),
        steps,
    })
}

/// Writes a file durably.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let written = File::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(failed(path))
}

/// Makes the names in a folder durable, where the system has that.
fn sync_folder(folder: &Path) -> Result<(), CheckpointError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(failed(folder))?;
    }
    Ok(())
}

/// Removes a folder with all that is in it, if it is there.
fn remove(folder: &Path) -> Result<(), CheckpointError> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed(folder))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    let metadata = fs::metadata(path).map_err(failed(path))?;
    if metadata.len() > MAX_BYTES {
        return Err(damaged(path, &"it is too long"));
    }
    fs::read(path).map_err(failed(path))
}

/// What an I/O error with this file or folder means.
pub(crate) fn failed(path: &Path) -> impl Fn(io::Error) -> CheckpointError {
    move |error| CheckpointError::Io {
        path: path.to_owned(),
        error,
    }
}

fn parse<T: DeserializeOwned>(path: &Path, json: &[u8]) -> Result<T, CheckpointError> {
    serde_json::from_slice(json).map_err(|error| damaged(path, &error))
}

pub(crate) fn damaged(path: &Path, cause: &dyn fmt::Display) -> CheckpointError {
    CheckpointError::Damaged {
        path: path.to_owned(),
        cause: cause.to_string(),
    }
}

/// A file's line in `SHA256SUMS`.
fn hash_line(name: &str, bytes: &[u8]) -> String {
    let mut line = hexadecimal(&Sha256::digest(bytes));
    line.extend(["  ", name, "\n"]);
    line
}

/// Two lowercase digits per byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = halves.filter_map(|half| char::from_digit(half.into(), 16));
    digits.collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use open_ttt_lib::rules::Encode;

    use super::*;
    use crate::Preset;
    use crate::strip::Strip;

    /// It couldn't be read again, and the one before would be gone.
    #[test]
    fn a_checkpoint_that_is_too_long_isnt_written() {
        let game = Strip::new(3);
        let config = Config::preset(Preset::Fast, &game.encoding());
        let learner = Learner::new(game.clone(), Symmetries::none(), config, 1).unwrap();
        let folder = std::env::temp_dir().join(format!("open_ttt-long-{}", std::process::id()));
        let saved = learner.save(&folder).unwrap();
        let error = learner.save_within(&folder, 100).unwrap_err();
        assert!(
            error.to_string().contains("model.safetensors would have "),
            "{error}"
        );
        assert!(matches!(
            error,
            CheckpointError::TooLong { bytes: 101.., .. }
        ));
        let left = fs::read_dir(&folder).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [saved]);
        Learner::load(game, Symmetries::none(), &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }
}
