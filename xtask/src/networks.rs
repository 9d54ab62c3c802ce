//! Trains the networks that ship with the catalog.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::files::of_file;
use crate::run;

/// The key of a game, its training preset, and the name of its network file.
const NETWORKS: [(&str, &str, &str); 3] = [
    ("ttt", "fast", "tic_tac_toe"),
    ("pegs", "fast", "pegs"),
    ("connect4", "strong", "connect_four"),
];

/// Trains each network. Interrupted runs resume, complete ones end at once, and finished
/// networks stay in `target/networks` until that folder is removed.
pub(crate) fn train(root: &Path, cargo: &str) -> Result<(), String> {
    let runs = root.join("target/networks");
    let learned = |game| runs.join(game).with_extension("safetensors");
    for (game, preset, _) in NETWORKS {
        if learned(game).exists() {
            let runs = runs.display();
            println!("xtask: {game} is already trained; remove {runs} to train it again");
            continue;
        }
        let folder = runs.join(game);
        let arguments: &[&str] = if has_checkpoint(&folder) {
            &["--resume"]
        } else {
            &["--game", game, "--preset", preset, "--folder"]
        };
        let mut train = Command::new(cargo);
        train
            .args(["run", "--profile", "dist", "--package", "open_ttt"])
            .args(["--", "train"])
            .args(arguments)
            .arg(&folder)
            .args(["--eval-every", "20"]);
        run(train.current_dir(root)).map_err(|error| {
            let folder = folder.display();
            format!("{error}; run this again to resume, or remove {folder} to start again")
        })?;
        copy_whole(&folder.join("network.safetensors"), &learned(game))?;
    }
    // Last, because the program embeds them and would be rebuilt after each. In half precision
    // they take half the space, and play as well.
    for (game, _, file) in NETWORKS {
        let network = format!("crates/open_ttt_catalog/networks/{file}.safetensors");
        let mut halve = Command::new(cargo);
        halve.args([
            "run",
            "--package",
            "open_ttt_nn",
            "--example",
            "half_precision",
            "--",
        ]);
        run(halve.arg(learned(game)).arg(&network).current_dir(root))?;
        println!("xtask: {network}");
    }
    Ok(())
}

/// Whether a run can resume: one that was killed early has no checkpoint yet.
fn has_checkpoint(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().starts_with("checkpoint-"))
}

/// Copies a file. Where it is to be, it appears whole or not at all.
fn copy_whole(from: &Path, to: &Path) -> Result<(), String> {
    let partial = to.with_extension("partial");
    fs::copy(from, &partial).map_err(of_file(&partial))?;
    fs::rename(&partial, to).map_err(of_file(to))
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn a_run_that_was_killed_early_begins_again_and_a_copy_is_whole() {
        let folder = env::temp_dir().join(format!("xtask-networks-{}", std::process::id()));
        fs::create_dir_all(folder.join("partial")).expect("a folder");
        assert!(!has_checkpoint(&folder) && !has_checkpoint(&folder.join("none")));
        fs::create_dir(folder.join("checkpoint-00000000")).expect("a folder");
        assert!(has_checkpoint(&folder));

        let [from, to, partial] =
            ["from", "to.safetensors", "to.partial"].map(|name| folder.join(name));
        fs::write(&from, "network").expect("a file");
        fs::create_dir(&partial).expect("a folder in the way of the copy");
        assert!(copy_whole(&from, &to).is_err());
        assert!(!to.exists());
        fs::remove_dir(&partial).expect("a folder");
        assert_eq!(copy_whole(&from, &to), Ok(()));
        assert_eq!(fs::read(&to).expect("a file"), b"network");
        assert!(!partial.exists());
        fs::remove_dir_all(&folder).expect("a folder");
    }
}
