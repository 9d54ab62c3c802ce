//! What a training run reads: its configuration, games of self-play, checkpoints.

use core::str::from_utf8;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use open_ttt_learn::{
    CheckpointError, Config, Learner, Preset, SelfPlayGame, Symmetries, read_metrics,
};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::Encode;
use sha2::{Digest, Sha256};

pub(crate) fn training_config(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    let Ok(config) = text.parse::<Config>() else {
        return false;
    };
    assert!(config.architecture().is_ok(), "{text:?}");
    let written = config.to_string();
    assert_eq!(written.parse(), Ok(config), "{written:?}");
    true
}

pub(crate) fn self_play_games(mut bytes: &[u8]) -> bool {
    let mut are_valid = true;
    let mut count = 0;
    while !bytes.is_empty() {
        let Ok(game) = SelfPlayGame::read(&mut bytes) else {
            return false;
        };
        // As bytes: what isn't a number isn't equal to itself.
        let mut written = Vec::new();
        game.write(&mut written);
        let read = SelfPlayGame::read(&mut &*written).expect("a written game can be read");
        let mut again = Vec::new();
        read.write(&mut again);
        assert_eq!(again, written);
        let mut visited = 0;
        let replayed = game.replay(&TicTacToe::new(), |_, _, _| visited += 1);
        assert!(visited <= game.targets.len());
        are_valid &= replayed.is_ok();
        count += 1;
    }
    are_valid && count > 0
}

/// The parts of a checkpoint that it has the hashes of, by the first byte of an input.
const PARTS: [&str; 4] = ["state.json", "model.safetensors", "adam.bin", "window.bin"];

/// A valid checkpoint, part by part.
static CHECKPOINT: LazyLock<[Vec<u8>; 4]> = LazyLock::new(|| {
    let folder = Folder::new();
    let game = TicTacToe::new();
    let mut config = Config::preset(Preset::Fast, &game.encoding());
    "perceptron(hidden=2)".clone_into(&mut config.architecture);
    let learner = Learner::new(game, Symmetries::none(), config, 1);
    let saved = learner.expect("the configuration is valid").save(&folder.0);
    let saved = saved.expect("there is room for a checkpoint");
    PARTS.map(|part| fs::read(saved.join(part)).expect("the part is there"))
});

/// A folder that is removed with everything in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("open_ttt-checkpoint-{}-{number}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("there is room for a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn checkpoint(bytes: &[u8]) -> bool {
    let Some((&number, bytes)) = bytes.split_first() else {
        return false;
    };
    let folder = Folder::new();
    let number = usize::from(number);
    if number > PARTS.len() {
        return metrics(&folder.0.join("metrics.jsonl"), bytes);
    }
    let path = folder.0.join("checkpoint-00000001");
    fs::create_dir(&path).expect("there is room for a folder");
    let write = |name: &str, content: &[u8]| {
        fs::write(path.join(name), content).expect("there is room for a file");
    };
    let mut hashes = String::new();
    for (index, (part, valid)) in PARTS.iter().zip(&*CHECKPOINT).enumerate() {
        let content = if index == number { bytes } else { valid };
        write(part, content);
        hashes = Sha256::digest(content)
            .iter()
            .fold(hashes, |hashes, byte| format!("{hashes}{byte:02x}"));
        hashes.extend(["  ", part, "\n"]);
    }
    let is_hashes = number == PARTS.len();
    write(
        "SHA256SUMS",
        if is_hashes { bytes } else { hashes.as_bytes() },
    );
    match Learner::load(TicTacToe::new(), Symmetries::none(), &folder.0) {
        Ok(learner) => {
            let network = learner.network();
            assert!(network.check_compatible(&TicTacToe::new()).is_ok());
            let architecture = learner.config().architecture();
            assert_eq!(architecture.as_ref(), Ok(network.architecture()));
            true
        }
        Err(error) => {
            assert!(!matches!(error, CheckpointError::Io { .. }), "{error}");
            false
        }
    }
}

/// The file with the progress of a run.
fn metrics(path: &Path, bytes: &[u8]) -> bool {
    fs::write(path, bytes).expect("there is room for a file");
    match read_metrics(path) {
        Ok(read) => !read.is_empty(),
        Err(error) => {
            assert!(!matches!(error, CheckpointError::Io { .. }), "{error}");
            false
        }
    }
}
