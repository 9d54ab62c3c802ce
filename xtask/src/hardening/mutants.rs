//! `cargo xtask mutants`: changes the code, one place at a time, and runs the tests. A change
//! that no test notices is missing a test, or makes no difference.

use std::path::Path;
use std::process::Command;

use crate::cargo_tool::CargoTool;
use crate::run;

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
}

const AREAS: [Area; 4] = [
    // The laws are tests themselves.
    Area {
        name: "rules",
        package: "open_ttt_lib",
        files: "crates/open_ttt_lib/src/rules/**",
        without: "**/conformance/**",
        features: "conformance,serde",
        tests: "rules::",
        without_tests: &[],
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
    },
    Area {
        name: "replication",
        package: "open_ttt_net",
        files: "crates/open_ttt_net/src/replication/**",
        without: "",
        features: "conformance",
        tests: "replication::",
        without_tests: &[],
    },
    Area {
        name: "stores",
        package: "open_ttt_net",
        files: "crates/open_ttt_net/src/log/sqlite/**",
        without: "",
        features: "conformance,sqlite",
        tests: "log::",
        without_tests: &[],
    },
];

/// Tries the mutants of an area, or only of those files whose paths contain one of the names
/// behind it.
pub(crate) fn mutants(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    let usage = || {
        let names = AREAS.map(|area| area.name);
        format!("usage: cargo xtask mutants {} [FILE ..]", names.join("|"))
    };
    let (name, files) = arguments.split_first().ok_or_else(usage)?;
    let area = AREAS.iter().find(|area| area.name == name);
    let area = area.ok_or_else(usage)?;
    let mut mutants = Command::new(TOOL.install(root, cargo)?);
    mutants.args(["mutants", "--package", area.package]);
    if files.is_empty() {
        mutants.args(["--file", area.files]);
    }
    for file in files {
        let pattern = area.files.replace("**", &format!("**/*{file}*"));
        mutants.args(["--file", &pattern]);
    }
    if !area.without.is_empty() {
        mutants.args(["--exclude", area.without]);
    }
    // A mutant that never ends is one that the tests notice.
    mutants.args(["--timeout", "300", "--jobs", "1", "--no-shuffle"]);
    mutants.args(["--features", area.features, "--output"]);
    mutants.arg(root.join("target/mutants").join(name));
    // Compiling takes most of the time.
    mutants.env("CARGO_PROFILE_TEST_OPT_LEVEL", "1");
    mutants.env("CARGO_PROFILE_TEST_DEBUG", "0");
    mutants.args(["--", "--lib", "--test", "it"]);
    mutants.args([area.tests, "--"]);
    for test in area.without_tests {
        mutants.args(["--skip", test]);
    }
    run(mutants.current_dir(root))
}
