//! The networks that come with the library, from the rules alone.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A game by its key, the preset by which it is learned, and its folder among the
/// games.
const NETWORKS: [(&str, &str, &str); 3] = [
    ("ttt", "fast", "tic_tac_toe"),
    ("pegs", "fast", "pegs"),
    ("connect4", "strong", "connect_four"),
];

/// Teaches each; what was begun is gone on with, and what was learned stays in
/// `target/networks` until that is removed.
pub(crate) fn teach(root: &Path, cargo: &str) -> Result<(), String> {
    let runs = root.join("target/networks");
    let learned = |game| runs.join(game).with_extension("safetensors");
    for (game, preset, _) in NETWORKS {
        if learned(game).exists() {
            let runs = runs.display();
            println!("xtask: {game} was learned before; without {runs} it begins anew");
            continue;
        }
        let folder = runs.join(game);
        let arguments: &[&str] = if folder.exists() {
            &["--resume"]
        } else {
            &["--game", game, "--preset", preset, "--folder"]
        };
        let run = Command::new(cargo)
            .args(["run", "--profile", "dist", "--package", "open_ttt"])
            .args(["--", "train"])
            .args(arguments)
            .arg(&folder)
            .args(["--eval-every", "20"])
            .current_dir(root)
            .status();
        let run = run.map_err(|error| format!("cargo cannot be started: {error}"))?;
        if !run.success() {
            let folder = folder.display();
            return Err(format!(
                "{game} was not learned; without {folder} it begins anew"
            ));
        }
        let network = learned(game);
        fs::copy(folder.join("network.safetensors"), &network)
            .map_err(|error| format!("{}: {error}", network.display()))?;
    }
    // Only now: the program has them in it, and would be built anew after each.
    for (game, _, room) in NETWORKS {
        let network = format!("crates/open_ttt_catalog/networks/{room}.safetensors");
        fs::copy(learned(game), root.join(&network))
            .map_err(|error| format!("{network}: {error}"))?;
        println!("xtask: {network}");
    }
    Ok(())
}
