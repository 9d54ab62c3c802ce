//! Git for tests, in a folder of their own.

use std::path::Path;
use std::process::Command;

use crate::output;

/// What git prints in a tree, whatever the settings of whoever runs the tests.
///
/// # Panics
///
/// If git fails.
pub(crate) fn git(tree: &Path, arguments: &str) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    git.args(["-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"]);
    let done = output(git.args(arguments.split(' ')).current_dir(tree));
    done.expect("git runs").trim_end().to_owned()
}
