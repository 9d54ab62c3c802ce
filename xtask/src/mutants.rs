//! `cargo xtask mutants`: changes the code, one place at a time, and runs the tests. A change
//! that no test notices is missing a test, or makes no difference.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo_tool::CargoTool;
use crate::files::of_file;

const TOOL: CargoTool = CargoTool {
    name: "cargo-mutants",
    version: "27.1.0",
    features: "",
    purpose: "changes code and runs its tests",
};

/// A part of the code whose mutants are tried together, and the tests that are about it. Those
/// of users of the code are left out: they take longer and would only hide what is missing.
struct Area {
    name: &'static str,
    package: &'static str,
    /// Its files, as a pattern.
    files: &'static str,
    /// Files that aren't part of it, as a pattern.
    without: &'static str,
    /// The features of its tests.
    features: &'static str,
    /// Selects the integration tests.
    tests: &'static str,
    /// Names of integration tests that take too long to run them for each mutant.
    without_tests: &'static [&'static str],
    /// The same where only the tests of some files run.
    without_tests_of_files: &'static [&'static str],
}

const AREAS: [Area; 4] = [
    // The laws are tests themselves, and take long for each game, as counting positions does.
    // What breaks them is about the files that are left out.
    Area {
        name: "rules",
        package: "open_ttt_lib",
        files: "crates/open_ttt_lib/src/rules/**",
        without: "**/conformance/**",
        features: "conformance,serde",
        tests: "rules::",
        without_tests: &["rules::laws", "rules::perft", "rules::broken_"],
        without_tests_of_files: &["rules::laws", "rules::perft", "rules::broken_"],
    },
    // Heuristics and playouts may be anything; matches measure them.
    Area {
        name: "games",
        package: "open_ttt_lib",
        files: "crates/open_ttt_lib/src/games/**",
        without: "**/{heuristic,decisive,ranked_moves,follow_up}.rs",
        features: "conformance,serde",
        tests: "games::",
        without_tests: &["laws"],
        // Those that take longest without optimization.
        without_tests_of_files: &[
            "hex::openings",
            "laws::lines",
            "laws::mnk_gomoku",
            "laws::mnk_in_a_column",
            "laws::mnk_on_middling_boards",
            "laws::mnk_on_the_largest_board",
            "perft::lines",
        ],
    },
    Area {
        name: "replication",
        package: "open_ttt_net",
        files: "crates/open_ttt_net/src/replication/**",
        without: "",
        features: "conformance",
        tests: "replication::",
        without_tests: &[],
        without_tests_of_files: &[],
    },
    Area {
        name: "stores",
        package: "open_ttt_net",
        files: "crates/open_ttt_net/src/log/sqlite/**",
        without: "",
        features: "conformance,sqlite",
        tests: "log::",
        without_tests: &[],
        without_tests_of_files: &[],
    },
];

impl Area {
    /// What the tests about these files have in their names, and what not.
    fn tests_of(&self, root: &Path, files: &[&String]) -> (Vec<String>, &[&str]) {
        let folder = root.join("crates").join(self.package).join("tests/it");
        let folder = folder.join(self.tests.replace("::", "/"));
        let has_tests = |file: &&String| folder.join(file).with_extension("rs").exists();
        if files.is_empty() || !files.iter().all(has_tests) {
            return (vec![self.tests.to_owned()], self.without_tests);
        }
        let names = files.iter().map(|file| format!("::{file}")).collect();
        (names, self.without_tests_of_files)
    }
}

/// Tries the mutants of an area, or only of those files and folders whose names contain one of
/// those behind it, or a share of them: `1/4` is every fourth, from the second on. Where all
/// names are also those of tests, such as `hex` among the games, only these run.
pub(crate) fn try_all(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    let usage = || {
        let names = AREAS.map(|area| area.name);
        format!(
            "usage: cargo xtask mutants {} [FILE ..] [N/M]",
            names.join("|")
        )
    };
    let (name, files) = arguments.split_first().ok_or_else(usage)?;
    let area = AREAS.iter().find(|area| area.name == name);
    let area = area.ok_or_else(usage)?;
    let output = root.join("target/mutants").join(name);
    fs::create_dir_all(&output).map_err(of_file(&output))?;
    let mut mutants = Command::new(TOOL.install(root, cargo)?);
    mutants.args(["mutants", "--package", area.package]);
    let (shares, files): (Vec<_>, Vec<_>) = files.iter().partition(|name| name.contains('/'));
    let (tests, without_tests) = area.tests_of(root, &files);
    for share in shares {
        mutants.args(["--shard", share, "--sharding", "round-robin"]);
    }
    if files.is_empty() {
        mutants.args(["--file", area.files]);
    }
    for file in files {
        for pattern in [format!("**/*{file}*"), format!("**/*{file}*/**")] {
            mutants.args(["--file", &area.files.replace("**", &pattern)]);
        }
    }
    if !area.without.is_empty() {
        mutants.args(["--exclude", area.without]);
    }
    // A mutant that never ends is one that the tests notice.
    mutants.args(["--timeout-multiplier", "3", "--jobs", "1", "--no-shuffle"]);
    mutants.args(["--features", area.features, "--output"]);
    mutants.arg(&output);
    // Most mutants are noticed within a second, so compiling would take most of the time: what
    // isn't optimized is compiled again in a tenth of it, and the first failure ends the tests.
    let settings = format!("profile.test.package.{}.opt-level=0", area.package);
    mutants.args(["--cargo-arg", "--config", "--cargo-arg", &settings]);
    mutants.env("CARGO_PROFILE_TEST_DEBUG", "0");
    mutants.env("CARGO_INCREMENTAL", "1");
    // Tests that stop at a failure are unstable.
    mutants.env("RUSTC_BOOTSTRAP", "1");
    mutants.args(["--", "--lib", "--test", "it", "--"]);
    mutants.args(["-Z", "unstable-options", "--fail-fast"]);
    mutants.args(tests);
    for test in without_tests {
        mutants.args(["--skip", test]);
    }
    match mutants.current_dir(root).status() {
        // All are noticed; some are not; some never end.
        Ok(status) if matches!(status.code(), Some(0 | 2 | 3)) => {
            println!(
                "xtask: the lists are in {}",
                output.join("mutants.out").display()
            );
            Ok(())
        }
        Ok(_) => Err("the mutants can't be tried".to_owned()),
        Err(error) => Err(format!("{} can't be started: {error}", TOOL.name)),
    }
}
