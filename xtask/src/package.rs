//! `cargo xtask package`: the published packages are complete and compile by
//! themselves.
//!
//! `cargo package` would compile every dependency again, in a folder of its own.
//! Here the packages are unpacked into one workspace that shares the target folder,
//! so that only their own code is checked.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every crate that is published.
const PACKAGES: [&str; 9] = [
    "open_ttt",
    "open_ttt_app",
    "open_ttt_catalog",
    "open_ttt_learn",
    "open_ttt_lib",
    "open_ttt_net",
    "open_ttt_nn",
    "open_ttt_players",
    "open_ttt_search",
];

/// Files that belong into every package.
const REQUIRED: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE", "CHANGELOG.md"];

/// Packs every published crate, and checks what was packed.
///
/// # Errors
///
/// What is missing or does not compile.
pub(crate) fn check(root: &Path, cargo: &str) -> Result<(), String> {
    let target = root.join("target");
    let mut pack = Command::new(cargo);
    pack.args(["package", "--no-verify", "--allow-dirty", "--quiet"]);
    for package in PACKAGES {
        pack.args(["--package", package]);
    }
    run(pack.current_dir(root).arg("--target-dir").arg(&target))?;

    let unpacked = target.join("unpacked");
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked)
            .map_err(|error| format!("{}: {error}", unpacked.display()))?;
    }
    fs::create_dir_all(&unpacked).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    let version = env!("CARGO_PKG_VERSION");
    let mut members = String::from("[workspace]\nresolver = \"3\"\nmembers = [\"open_ttt*\"]\n\n");
    members.push_str("[patch.crates-io]\n");
    for package in PACKAGES {
        let folder = format!("{package}-{version}");
        let archive = target.join("package").join(format!("{folder}.crate"));
        run(Command::new("tar")
            .arg("-xzf")
            .arg(&archive)
            .arg("-C")
            .arg(&unpacked))?;
        for file in REQUIRED {
            if !unpacked.join(&folder).join(file).is_file() {
                return Err(format!("the package {package} lacks {file}"));
            }
        }
        let _ = writeln!(members, "{package} = {{ path = \"{folder}\" }}");
    }
    let manifest = unpacked.join("Cargo.toml");
    fs::write(&manifest, members).map_err(|error| format!("{}: {error}", manifest.display()))?;
    fs::copy(root.join("Cargo.lock"), unpacked.join("Cargo.lock"))
        .map_err(|error| format!("Cargo.lock: {error}"))?;
    let mut check = Command::new(cargo);
    check.args([
        "check",
        "--workspace",
        "--all-features",
        "--quiet",
        "--target-dir",
    ]);
    run(check.arg(&target).current_dir(&unpacked))?;
    println!(
        "xtask: {} packages are complete and compile",
        PACKAGES.len()
    );
    Ok(())
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{command:?} failed")),
        Err(error) => Err(format!("{command:?} cannot be started: {error}")),
    }
}
