//! The licences of the crates from outside that something published contains: cargo-about.

use std::path::Path;
use std::process::Command;

use crate::cargo_tool::CargoTool;
use crate::run;

/// The file with the licences, which lies beside what contains the crates.
pub(crate) const LICENCES: &str = "LICENCES-OF-OTHERS.txt";

const ABOUT: CargoTool = CargoTool {
    name: "cargo-about",
    version: "0.9.3",
    features: "cli",
    purpose: "collects the texts of licences",
};

/// Writes the licences of all crates from outside that a crate of ours contains, as it is built
/// with these features for these targets, or for any, into a folder.
pub(crate) fn write(
    root: &Path,
    cargo: &str,
    package: &str,
    features: &[&str],
    targets: &[&str],
    folder: &Path,
) -> Result<(), String> {
    let about = ABOUT.install(root, cargo)?;
    // It reads the texts in the crates, and is to ask nobody else about them.
    let mut fetch = Command::new(cargo);
    fetch.args(["fetch", "--locked", "--quiet"]);
    run(fetch.current_dir(root))?;
    let mut licences = Command::new(about);
    licences.args(["generate", "--offline", "--locked", "--fail"]);
    let manifest = Path::new("crates").join(package).join("Cargo.toml");
    licences.arg("--manifest-path").arg(manifest);
    for feature in features {
        licences.args(["--features", feature]);
    }
    for target in targets {
        licences.args(["--target", target]);
    }
    licences.arg("--output-file").arg(folder.join(LICENCES));
    licences.env("CARGO", cargo);
    run(licences.arg("about.hbs").current_dir(root))
}
