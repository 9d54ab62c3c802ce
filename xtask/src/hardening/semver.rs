//! `cargo xtask semver`: what a release breaks for the users of the libraries.

use std::path::Path;
use std::process::Command;

use crate::cargo_tool::CargoTool;
use crate::{output, run};

const TOOL: CargoTool = CargoTool {
    name: "cargo-semver-checks",
    version: "0.51.0",
    features: "",
    purpose: "compares public interfaces",
};

/// Compares the libraries with those of the last tag, or of the revision that the arguments
/// name: an interface that has lost or changed something needs a version that says so.
pub(crate) fn semver(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    let revision = match arguments {
        [] => last_tag(root)?,
        [revision] => revision.clone(),
        _ => return Err("usage: cargo xtask semver [REVISION]".to_owned()),
    };
    println!("xtask: comparing the libraries with those of {revision}");
    let mut check = Command::new(TOOL.install(root, cargo)?);
    check.args(["semver-checks", "--workspace", "--baseline-rev", &revision]);
    run(check.current_dir(root))
}

/// The last tag before the work that is checked out.
fn last_tag(root: &Path) -> Result<String, String> {
    let mut git = Command::new("git");
    git.args(["describe", "--tags", "--abbrev=0"]);
    let tag = output(git.current_dir(root))
        .map_err(|_| "there is no tag yet; name a revision to compare with".to_owned())?;
    Ok(tag.trim().to_owned())
}
