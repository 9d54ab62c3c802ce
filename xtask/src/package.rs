//! `cargo xtask package`: the published packages are complete and compile by
//! themselves.
//!
//! `cargo package` would compile every dependency again, in a folder of its own.
//! Here the packages are unpacked into one workspace that shares the target folder,
//! so that only their own code is checked.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{of_file, remove_folder};
use crate::run;

/// Every crate that is published.
pub(crate) const PACKAGES: [&str; 11] = [
    "open_ttt",
    "open_ttt_app",
    "open_ttt_catalog",
    "open_ttt_coach",
    "open_ttt_draw",
    "open_ttt_learn",
    "open_ttt_lib",
    "open_ttt_net",
    "open_ttt_nn",
    "open_ttt_players",
    "open_ttt_search",
];

/// Files that belong into every package.
const REQUIRED: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE", "CHANGELOG.md"];

/// Packs every published crate of this version, and checks what was packed. Returns the
/// packages.
pub(crate) fn check(root: &Path, cargo: &str, version: &str) -> Result<Vec<PathBuf>, String> {
    let target = root.join("target");
    let mut pack = Command::new(cargo);
    pack.args(["package", "--no-verify", "--allow-dirty", "--quiet"]);
    for package in PACKAGES {
        pack.args(["--package", package]);
    }
    run(pack.current_dir(root).arg("--target-dir").arg(&target))?;

    let unpacked = target.join("unpacked");
    remove_folder(&unpacked)?;
    fs::create_dir_all(&unpacked).map_err(of_file(&unpacked))?;
    let mut archives = Vec::new();
    let mut members = String::from("[workspace]\nresolver = \"3\"\nmembers = [\"open_ttt*\"]\n\n");
    members.push_str("[patch.crates-io]\n");
    for package in PACKAGES {
        let folder = format!("{package}-{version}");
        let archive = target.join("package").join(format!("{folder}.crate"));
        let mut unpack = Command::new("tar");
        // The times in packages are constant, and cargo would take a changed file for the one
        // that it has compiled before.
        unpack.arg("--touch");
        unpack.arg("-xzf").arg(&archive).arg("-C").arg(&unpacked);
        run(&mut unpack)?;
        archives.push(archive);
        for file in REQUIRED {
            if !unpacked.join(&folder).join(file).is_file() {
                return Err(format!("the package {package} lacks {file}"));
            }
        }
        must_not_mislead(&unpacked.join(&folder))?;
        let _ = writeln!(members, "{package} = {{ path = \"{folder}\" }}");
    }
    let manifest = unpacked.join("Cargo.toml");
    fs::write(&manifest, members).map_err(of_file(&manifest))?;
    let lock = root.join("Cargo.lock");
    fs::copy(&lock, unpacked.join("Cargo.lock")).map_err(of_file(&lock))?;
    let mut check = Command::new(cargo);
    check.args(["check", "--workspace", "--all-features", "--quiet"]);
    check.arg("--target-dir").arg(&target);
    run(check.current_dir(&unpacked))?;
    let count = archives.len();
    println!("xtask: {count} packages are complete and compile");
    Ok(archives)
}

/// The name of one of the crates belongs to another author (docs/names.md), so a link to a
/// crate by its name alone leads to somebody else's work.
fn must_not_mislead(package: &Path) -> Result<(), String> {
    for file in ["Cargo.toml", "README.md"] {
        let path = package.join(file);
        let text = fs::read_to_string(&path).map_err(of_file(&path))?;
        for link in ["docs.rs/open_ttt", "crates.io/crates/open_ttt"] {
            if text.contains(link) {
                return Err(format!("{}: {link} may be another crate", path.display()));
            }
        }
    }
    Ok(())
}
