//! A learner on the disk, to go on with after whatever happened.

use core::error::Error;
use core::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use open_ttt_nn::Network;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::training::Adam;
use crate::window::Window;
use crate::{Config, Learnable, Learner, Record, Symmetries};

/// What the state of a checkpoint says, beside its files.
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

/// What tells the version of a state, whatever else is in it.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// The version of all of it.
const VERSION: u32 = 2;

const STATE: &str = "state.json";
const MODEL: &str = "model.safetensors";
const ADAM: &str = "adam.bin";
const WINDOW: &str = "window.bin";
/// The SHA-256 of each of the others, as `sha256sum` writes and checks them.
const SUMS: &str = "SHA256SUMS";

/// What the folders of checkpoints are called, with the iteration behind it.
const PREFIX: &str = "checkpoint-";

/// More bytes no file of a checkpoint has.
const MOST_BYTES: u64 = 1 << 32;

/// A checkpoint cannot be written or read.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The folder has none.
    None(PathBuf),
    /// The system does not let us.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// It was written by another version of this crate.
    Version {
        /// The checkpoint.
        path: PathBuf,
        /// The version of its format.
        found: u32,
    },
    /// It is of another game.
    Game {
        /// The game it is of.
        found: String,
        /// The game asked for.
        expected: String,
    },
    /// It is not what was written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
}

impl<G: Learnable> Learner<G> {
    /// Writes all that is needed to go on into this folder, beside the
    /// checkpoints that are there, which it replaces.
    ///
    /// It appears as a whole or not at all, and the one before is there until
    /// then.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Io`], after which the one before is still there.
    pub fn save(&self, folder: &Path) -> Result<PathBuf, CheckpointError> {
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let partial = folder.join("partial");
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(|error| failed(&partial, error))?;
        }
        fs::create_dir(&partial).map_err(|error| failed(&partial, error))?;
        let model = self.network().to_bytes();
        let adam = adam_bytes(self.trainer.adam());
        let mut window = Vec::new();
        for record in self.window.records() {
            record.write(&mut window);
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
        // Numbers and texts always have a JSON.
        let state = serde_json::to_vec_pretty(&state).unwrap_or_default();
        let files = [
            (MODEL, &model),
            (ADAM, &adam),
            (WINDOW, &window),
            (STATE, &state),
        ];
        let mut sums = String::new();
        for (name, bytes) in files {
            write(&partial.join(name), bytes)?;
            sums += &line(name, bytes);
        }
        write(&partial.join(SUMS), sums.as_bytes())?;
        let old = checkpoints(folder)?;
        let path = folder.join(format!("{PREFIX}{:08}", self.iteration));
        if path.exists() {
            fs::remove_dir_all(&path).map_err(|error| failed(&path, error))?;
        }
        fs::rename(&partial, &path).map_err(|error| failed(&path, error))?;
        sync(folder)?;
        for (_, old) in old.into_iter().filter(|(_, old)| *old != path) {
            // What is left of it harms nobody: it is older.
            let _ = fs::remove_dir_all(old);
        }
        Ok(path)
    }

    /// Goes on from the latest checkpoint in this folder.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if there is none, or it cannot be used for this game.
    pub fn load(
        start: G,
        symmetries: Symmetries<G>,
        folder: &Path,
    ) -> Result<Self, CheckpointError> {
        let path = latest(folder)?;
        let damaged = |name: &str, cause: &dyn fmt::Display| CheckpointError::Damaged {
            path: path.join(name),
            cause: cause.to_string(),
        };
        let sums = read(&path.join(SUMS))?;
        let checked = |name: &str| {
            let bytes = read(&path.join(name))?;
            let is_known = sums.split_inclusive(|&byte| byte == b'\n');
            let expected = line(name, &bytes);
            if is_known
                .into_iter()
                .any(|known| known == expected.as_bytes())
            {
                Ok(bytes)
            } else {
                Err(damaged(name, &"it is not what was written"))
            }
        };
        let bytes = checked(STATE)?;
        let version: Versioned =
            serde_json::from_slice(&bytes).map_err(|error| damaged(STATE, &error))?;
        if version.version != VERSION {
            return Err(CheckpointError::Version {
                path,
                found: version.version,
            });
        }
        let state: State =
            serde_json::from_slice(&bytes).map_err(|error| damaged(STATE, &error))?;
        if state.game != start.name() {
            return Err(CheckpointError::Game {
                found: state.game,
                expected: start.name(),
            });
        }
        let model = checked(MODEL)?;
        let adam = checked(ADAM)?;
        let games = checked(WINDOW)?;
        let network = Network::from_bytes(&model).map_err(|error| damaged(MODEL, &error))?;
        network
            .suits(&start)
            .map_err(|error| damaged(MODEL, &error))?;
        let adam = read_adam(&adam, network.parameters().len(), state.steps)
            .ok_or_else(|| damaged(ADAM, &"it does not fit the network"))?;
        let mut window = Window::new(state.config.learning.window);
        let mut rest = &games[..];
        while !rest.is_empty() {
            let record = Record::read(&mut rest).map_err(|error| damaged(WINDOW, &error))?;
            let pushed = window.push(&start, record);
            pushed.map_err(|error| damaged(WINDOW, &error))?;
        }
        state
            .config
            .check()
            .map_err(|error| damaged(STATE, &error))?;
        Self::resume(
            start,
            symmetries,
            state.config,
            state.seed,
            network,
            adam,
            window,
            state.iteration,
            state.games,
        )
        .map_err(|error| damaged(STATE, &error))
    }
}

/// Which game the latest checkpoint in this folder is of, by its
/// [name](open_ttt_lib::rules::Named).
///
/// # Errors
///
/// [`CheckpointError`] if there is none, or it cannot be read.
pub fn saved_game(folder: &Path) -> Result<String, CheckpointError> {
    #[derive(Deserialize)]
    struct Game {
        game: String,
    }
    let path = latest(folder)?.join(STATE);
    let state: Game =
        serde_json::from_slice(&read(&path)?).map_err(|error| CheckpointError::Damaged {
            path,
            cause: error.to_string(),
        })?;
    Ok(state.game)
}

fn latest(folder: &Path) -> Result<PathBuf, CheckpointError> {
    let latest = checkpoints(folder)?.into_iter().max();
    let none = || CheckpointError::None(folder.to_owned());
    latest.map(|(_, path)| path).ok_or_else(none)
}

/// The checkpoints in a folder, each with its iteration.
fn checkpoints(folder: &Path) -> Result<Vec<(u32, PathBuf)>, CheckpointError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(folder, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| failed(folder, error))?;
        let name = entry.file_name();
        let digits = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        if let Some(iteration) = digits.and_then(|digits| digits.parse().ok()) {
            found.push((iteration, entry.path()));
        }
    }
    Ok(found)
}

/// Both averages, one after the other.
fn adam_bytes(adam: &Adam) -> Vec<u8> {
    let numbers = adam.averages.iter().chain(&adam.squares);
    numbers.flat_map(|number| number.to_le_bytes()).collect()
}

fn read_adam(bytes: &[u8], parameters: usize, steps: u64) -> Option<Adam> {
    let (numbers, rest) = bytes.as_chunks();
    if !rest.is_empty() || numbers.len() != 2 * parameters {
        return None;
    }
    let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    Some(Adam {
        averages: numbers.by_ref().take(parameters).collect(),
        squares: numbers.collect(),
        steps,
    })
}

/// Writes a file so that it stands on the disk.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let written = File::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|error| failed(path, error))
}

fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    let size = fs::metadata(path)
        .map_err(|error| failed(path, error))?
        .len();
    if size > MOST_BYTES {
        return Err(CheckpointError::Damaged {
            path: path.to_owned(),
            cause: "it is too long".to_owned(),
        });
    }
    fs::read(path).map_err(|error| failed(path, error))
}

/// Makes sure that what was renamed in a folder stays renamed.
fn sync(folder: &Path) -> Result<(), CheckpointError> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| failed(folder, error))
}

pub(crate) fn failed(path: &Path, error: io::Error) -> CheckpointError {
    CheckpointError::Io {
        path: path.to_owned(),
        error,
    }
}

/// A file's line among the sums.
fn line(name: &str, bytes: &[u8]) -> String {
    let mut line = hexadecimal(&Sha256::digest(bytes));
    line.extend(["  ", name, "\n"]);
    line
}

/// Bytes as digits, two each.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(|half| DIGITS[usize::from(half)]).collect()
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None(folder) => write!(f, "there is no checkpoint in {}", folder.display()),
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Version { path, found } => write!(
                f,
                "{} was written by another version of this program (format {found}; this one \
                 knows {VERSION})",
                path.display()
            ),
            Self::Game { found, expected } => {
                write!(f, "the checkpoint is of {found}, not of {expected}")
            }
            Self::Damaged { path, cause } => {
                write!(f, "{} is damaged: {cause}", path.display())
            }
        }
    }
}

impl Error for CheckpointError {}
