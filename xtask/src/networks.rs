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

/// Trains each network. Interrupted runs resume, and finished networks stay in
/// `target/networks` until that folder is removed.
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
        let arguments: &[&str] = if folder.exists() {
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
            format!("{error}; remove {folder} to start again")
        })?;
        let network = learned(game);
        fs::copy(folder.join("network.safetensors"), &network).map_err(of_file(&network))?;
    }
    // Last, because the program embeds them and would be rebuilt after each.
    for (game, _, file) in NETWORKS {
        let network = format!("crates/open_ttt_catalog/networks/{file}.safetensors");
        fs::copy(learned(game), root.join(&network)).map_err(of_file(network.as_ref()))?;
        println!("xtask: {network}");
    }
    Ok(())
}
