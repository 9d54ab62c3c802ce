use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use open_ttt_learn::{
    CheckpointError, Config, Interrupted, Learnable, Learner, Preset, SelfPlayGame, Symmetries,
    checkpoint_game, lines_lost,
};
use open_ttt_lib::games::{ConnectFour, Pegs, TicTacToe};
use open_ttt_lib::rules::{Encode, Named, Symmetry};
use open_ttt_nn::kernel::InstructionSet;
use open_ttt_search::StopFlag;
use sha2::{Digest, Sha256};

use crate::strip::Strip;

/// A temporary folder.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("open_ttt-learn-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover is harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) const ONE: NonZero<usize> = NonZero::<usize>::MIN;

pub(crate) fn threads(count: usize) -> NonZero<usize> {
    NonZero::new(count).unwrap()
}

/// A small configuration.
pub(crate) fn small<G: Encode>(game: &G) -> Config {
    let mut config = Config::preset(Preset::Fast, &game.encoding());
    config.architecture = match game.encoding().inputs() {
        ..=32 => "perceptron(hidden=16)".to_owned(),
        _ => "residual(blocks=1,filters=8)".to_owned(),
    };
    config.iterations = 4;
    config.games = 80;
    config.self_play.simulations = 8;
    config.self_play.random_moves = 0.25;
    config.learning.batch = 64;
    config.learning.window = 600;
    config
}

pub(crate) fn learner<G: Learnable + Symmetry>(game: &G, seed: u64) -> Learner<G> {
    Learner::new(game.clone(), Symmetries::of(game), small(game), seed).unwrap()
}

/// Makes one iteration.
pub(crate) fn iterate<G: Learnable>(learner: &mut Learner<G>, threads: NonZero<usize>) {
    let stop = StopFlag::new();
    let games = learner.play(threads, &stop).unwrap();
    learner.learn(games, threads, &stop).unwrap();
}

#[track_caller]
fn check_threads<G: Learnable + Symmetry>(game: &G) {
    let weights = [1, 2, 3].map(|count| {
        let mut learner = learner(game, 7);
        for _ in 0..2 {
            iterate(&mut learner, threads(count));
        }
        learner.weights_hash()
    });
    assert_eq!(weights[0], weights[1]);
    assert_eq!(weights[0], weights[2]);
    let untrained = learner(game, 7);
    assert_ne!(weights[0], untrained.weights_hash());
}

#[test]
fn any_number_of_threads_learns_the_same() {
    check_threads(&TicTacToe::new());
    check_threads(&Pegs::default());
    check_threads(&ConnectFour::new());
}

#[test]
fn another_seed_learns_other_weights() {
    let weights = [1, 2].map(|seed| {
        let mut learner = learner(&TicTacToe::new(), seed);
        iterate(&mut learner, ONE);
        learner.weights_hash()
    });
    assert_ne!(weights[0], weights[1]);
}

#[test]
fn it_learns_tic_tac_toe() {
    let game = TicTacToe::new();
    let config = Config::preset(Preset::Fast, &game.encoding());
    let mut learner = Learner::new(game, Symmetries::of(&game), config, 1).unwrap();
    let stop = StopFlag::new();
    let lost = |learner: &Learner<_>, simulations| {
        let walked = lines_lost(&game, learner.network(), simulations, 20_000, &stop);
        walked.unwrap().unwrap()
    };
    let before = lost(&learner, 0);
    assert!(before.lost > 50, "{before:?} of an untrained network");
    while !learner.is_done() {
        iterate(&mut learner, threads(2));
    }
    // The same bits wherever multiplications are fused.
    if InstructionSet::best() != InstructionSet::Plain {
        assert_eq!(learner.weights_hash(), "3238500d6e3c3eb7");
    }
    for simulations in [0, 16] {
        let after = lost(&learner, simulations);
        assert_eq!(after.lost, 0, "{after:?} with {simulations} simulations");
        assert!(after.lines > 100, "{after:?}");
    }
}

#[test]
fn games_without_symmetries_or_with_one_move_are_learned() {
    let game = Strip::new(5);
    let mut learner = Learner::new(game.clone(), Symmetries::none(), small(&game), 1).unwrap();
    for _ in 0..4 {
        iterate(&mut learner, threads(2));
    }
    assert!(learner.is_done());
    let alone = Strip::new(1);
    let mut learner = Learner::new(alone.clone(), Symmetries::none(), small(&alone), 1).unwrap();
    iterate(&mut learner, ONE);
    assert_eq!(learner.games(), 80);
}

#[test]
fn an_interruption_changes_nothing() {
    let game = TicTacToe::new();
    let (mut one, mut other) = (learner(&game, 3), learner(&game, 3));
    iterate(&mut one, ONE);
    iterate(&mut other, ONE);
    let stop = StopFlag::new();
    let games = other.play(ONE, &stop).unwrap();
    stop.raise();
    assert_eq!(other.play(ONE, &stop), Err(Interrupted::Stopped));
    assert_eq!(other.learn(games, ONE, &stop), Err(Interrupted::Stopped));
    assert_eq!(one.weights_hash(), other.weights_hash());
    let bad = SelfPlayGame {
        moves: vec![0, 0],
        opening: 2,
        ..SelfPlayGame::default()
    };
    let refused = other.learn(vec![bad], ONE, &StopFlag::new());
    assert!(
        matches!(refused, Err(Interrupted::InvalidGame(_))),
        "{refused:?}"
    );
    for _ in 0..3 {
        iterate(&mut one, ONE);
        iterate(&mut other, ONE);
    }
    assert_eq!(one.weights_hash(), other.weights_hash());
    assert!(one.is_done());
}

#[test]
fn resuming_from_a_checkpoint_changes_nothing() {
    let game = TicTacToe::new();
    let folder = Folder::new();
    let mut whole = learner(&game, 5);
    let mut broken = learner(&game, 5);
    for iteration in 1..=4 {
        iterate(&mut whole, ONE);
        iterate(&mut broken, threads(2));
        let path = broken.save(folder.path()).unwrap();
        assert!(path.ends_with(format!("checkpoint-{iteration:08}")));
        // What a crash while writing leaves behind.
        fs::create_dir(folder.path().join("partial")).unwrap();
        fs::write(folder.path().join("partial/adam.bin"), [1, 2, 3]).unwrap();
        broken = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap();
        assert_eq!(broken.iteration(), iteration);
        assert_eq!(broken.games(), u64::from(iteration) * 80);
        assert_eq!(whole.weights_hash(), broken.weights_hash());
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "one checkpoint, and an incomplete one");
}

#[test]
fn a_kill_while_a_checkpoint_is_replaced_leaves_a_complete_one() {
    let game = TicTacToe::new();
    let mut learner = learner(&game, 1);
    iterate(&mut learner, ONE);
    for step in 0..4 {
        let folder = Folder::new();
        let current = learner.save(folder.path()).unwrap();
        let replaced = folder.path().join("checkpoint-00000001.replaced");
        let partial = folder.path().join("partial");
        copy_folder(&current, &partial);
        if step > 0 {
            fs::rename(&current, &replaced).unwrap();
        }
        if step > 1 {
            fs::rename(&partial, &current).unwrap();
        }
        if step > 2 {
            fs::remove_file(replaced.join("adam.bin")).unwrap();
        }
        let loaded = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap();
        assert_eq!(loaded.iteration(), 1, "step {step}");
        assert_eq!(loaded.weights_hash(), learner.weights_hash());
        assert_eq!(checkpoint_game(folder.path()).unwrap(), "ttt");

        assert_eq!(loaded.save(folder.path()).unwrap(), current);
        let left = fs::read_dir(folder.path()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [current], "step {step}");
        Learner::load(game, Symmetries::of(&game), folder.path()).unwrap();
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

#[test]
fn a_checkpoint_of_another_version_is_refused() {
    let game = TicTacToe::new();
    let folder = Folder::new();
    let checkpoint = learner(&game, 1).save(folder.path()).unwrap();
    let path = checkpoint.join("state.json");
    let state = fs::read_to_string(&path).unwrap();
    let later = state.replacen("\"version\": 2", "\"version\": 3", 1);
    assert_ne!(state, later);
    fs::write(&path, &later).unwrap();
    fs::write(
        checkpoint.join("SHA256SUMS"),
        hash_line("state.json", &later),
    )
    .unwrap();
    let error = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap_err();
    assert!(
        matches!(error, CheckpointError::Version { found: 3, .. }),
        "{error}"
    );
}

/// The line of a file in `SHA256SUMS`.
fn hash_line(name: &str, content: &str) -> String {
    let digits = Sha256::digest(content.as_bytes());
    let digits = digits
        .iter()
        .fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"));
    format!("{digits}  {name}\n")
}

/// Otherwise a large network would be made first, in vain, and training would go on with
/// another one than the configuration has.
#[test]
fn a_checkpoint_whose_network_isnt_that_of_its_configuration_is_refused() {
    let game = TicTacToe::new();
    let folder = Folder::new();
    let learner = learner(&game, 1);
    let checkpoint = learner.save(folder.path()).unwrap();
    let state = fs::read_to_string(checkpoint.join("state.json")).unwrap();
    let architecture = &learner.config().architecture;
    let other = state.replacen(architecture, "perceptron(hidden=3)", 1);
    assert_ne!(state, other);
    fs::write(checkpoint.join("state.json"), &other).unwrap();
    let hashes = fs::read_to_string(checkpoint.join("SHA256SUMS")).unwrap();
    let [before, after] = [&state, &other].map(|state| hash_line("state.json", state));
    let hashes = hashes.replace(&before, &after);
    fs::write(checkpoint.join("SHA256SUMS"), hashes).unwrap();
    let error = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap_err();
    assert!(error.to_string().contains("model.safetensors"), "{error}");
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let game = TicTacToe::new();
    let folder = Folder::new();
    let load = || Learner::load(game, Symmetries::of(&game), folder.path());
    assert!(matches!(load(), Err(CheckpointError::None(_))));
    let mut learner = learner(&game, 1);
    iterate(&mut learner, ONE);
    let checkpoint = learner.save(folder.path()).unwrap();
    for name in [
        "model.safetensors",
        "adam.bin",
        "window.bin",
        "state.json",
        "SHA256SUMS",
    ] {
        let path = checkpoint.join(name);
        let whole = fs::read(&path).unwrap();
        for bytes in [&whole[..whole.len() / 2], &[]] {
            fs::write(&path, bytes).unwrap();
            let error = load().unwrap_err();
            assert!(matches!(error, CheckpointError::Damaged { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains(name) || name == "SHA256SUMS", "{error}");
        }
        let mut other = whole.clone();
        other[whole.len() / 2] ^= 1;
        fs::write(&path, &other).unwrap();
        load().unwrap_err();
        fs::remove_file(&path).unwrap();
        assert!(matches!(load(), Err(CheckpointError::Io { .. })));
        fs::write(&path, &whole).unwrap();
    }
    load().unwrap();
    let other = ConnectFour::new();
    let error = Learner::load(other, Symmetries::of(&other), folder.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the checkpoint is for ttt, not {}", other.name())
    );
}
