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

/// Teaches each; what was begun is gone on with. The runs stay in
/// `target/networks`.
pub(crate) fn teach(root: &Path, cargo: &str) -> Result<(), String> {
    for (game, preset, room) in NETWORKS {
        let folder = root.join("target/networks").join(game);
        let arguments: &[&str] = if folder.exists() {
            &["--resume"]
        } else {
            &["--game", game, "--preset", preset, "--folder"]
        };
        let run = Command::new(cargo)
            .args(["run", "--release", "--package", "open_ttt", "--", "train"])
            .args(arguments)
            .arg(&folder)
            .args(["--proof-every", "20"])
            .current_dir(root)
            .status();
        let run = run.map_err(|error| format!("cargo cannot be started: {error}"))?;
        if !run.success() {
            let folder = folder.display();
            return Err(format!(
                "{game} was not learned; without {folder} it begins anew"
            ));
        }
        let network = format!("crates/open_ttt_lib/src/games/{room}/network.safetensors");
        fs::copy(folder.join("network.safetensors"), root.join(&network))
            .map_err(|error| format!("{network}: {error}"))?;
        println!("xtask: {network}");
    }
    Ok(())
}
