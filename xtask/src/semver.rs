//! `cargo xtask semver`: what programs that use the libraries would have to change since an
//! earlier version, and whether the version says so.

use std::path::Path;
use std::process::Command;

use crate::cargo_tool::CargoTool;
use crate::package::PACKAGES;
use crate::{output, run};

const TOOL: CargoTool = CargoTool {
    name: "cargo-semver-checks",
    version: "0.51.0",
    features: "",
    purpose: "compares public interfaces",
};

/// Compares with the revision that the arguments name, or with the last version.
pub(crate) fn check(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => {
            let last = last_version(root)?;
            let missing = "no version has a tag yet; name a revision to compare with";
            compare(root, cargo, &last.ok_or(missing)?)
        }
        [revision] => compare(root, cargo, revision),
        _ => Err("usage: cargo xtask semver [REVISION]".to_owned()),
    }
}

/// The tag of the last version before the commit that is checked out, if there is one.
pub(crate) fn last_version(root: &Path) -> Result<Option<String>, String> {
    let mut list = Command::new("git");
    // A version comes after its candidates, v1.0.0 after v1.0.0-rc.1.
    list.args(["-c", "versionsort.suffix=-"]);
    list.args(["tag", "--list", "v*", "--no-contains", "HEAD"]);
    list.args(["--merged", "HEAD", "--sort", "-version:refname"]);
    let tags = output(list.current_dir(root))?;
    Ok(tags.lines().next().map(str::to_owned))
}

/// Compares the libraries with those of a revision. What breaks programs is an error unless the
/// version allows it.
pub(crate) fn compare(root: &Path, cargo: &str, revision: &str) -> Result<(), String> {
    println!("xtask: comparing the libraries with those of {revision}");
    let mut check = Command::new(TOOL.install(root, cargo)?);
    check.args(["semver-checks", "check-release", "--all-features"]);
    check.args(["--baseline-rev", revision]);
    for package in PACKAGES {
        check.args(["--package", package]);
    }
    run(check.current_dir(root))
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;
    use std::process;

    use super::*;
    use crate::files::remove_folder;
    use crate::scratch_git;

    #[test]
    fn the_last_version_is_the_highest_before_this_commit() {
        let folder = env::temp_dir().join(format!("open_ttt_versions_{}", process::id()));
        fs::create_dir_all(&folder).expect("an empty folder");
        let git = |arguments: &str| scratch_git::git(&folder, arguments);
        let commit = "commit --quiet --allow-empty --message a";
        let last = || last_version(&folder).expect("git runs");
        git("init --quiet");
        git(commit);
        assert_eq!(last(), None);
        git("tag v0.9.0");
        git("tag another");
        assert_eq!(last(), None);
        git(commit);
        assert_eq!(last().as_deref(), Some("v0.9.0"));
        git("tag v0.10.0");
        assert_eq!(last().as_deref(), Some("v0.9.0"));
        git(commit);
        assert_eq!(last().as_deref(), Some("v0.10.0"));
        git("tag v0.10.0-rc.1 v0.10.0");
        assert_eq!(last().as_deref(), Some("v0.10.0"));
        git("tag v0.11.0-rc.1 v0.10.0");
        assert_eq!(last().as_deref(), Some("v0.11.0-rc.1"));
        remove_folder(&folder).expect("it is ours");
    }
}
