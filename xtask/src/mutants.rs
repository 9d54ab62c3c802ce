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
    /// Names of those tests of some files that run only for mutants that no other notices,
    /// because they take long without optimization.
    slow_tests_of_files: &'static [&'static str],
    /// The files whose tests run for a file without tests of its own name, such as helpers that
    /// games share; all tests, if it is empty.
    tests_of_shared_files: &'static [&'static str],
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
        slow_tests_of_files: &[],
        tests_of_shared_files: &[],
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
        without_tests_of_files: &[
            "laws::mnk_gomoku",
            "laws::mnk_on_the_largest_board",
            "perft::lines",
        ],
        slow_tests_of_files: &[
            "dots_and_boxes::late_positions_of_nine_boxes",
            "hex::openings",
            "hex::the_heuristic_is_what_it_says",
            "laws::dots_and_boxes",
            "laws::hex",
            "laws::lines",
            "laws::mnk_in_a_column",
            "laws::mnk_on_middling_boards",
            "laws::quarto",
            "laws::qubic",
            "lines::counts_as_the_plain_board_does",
            "mnk::counts_as_the_naive_board_does",
            "mnk::plays_as_the_naive_board_does",
            "perft::pegs",
            "perft::qubic",
            "quarto::a_line_can_be_won_while_its_pieces_share_a_property",
            "quarto::fast_playouts_have_the_frequencies_of_slow_ones",
            "qubic::plays_as_the_naive_board_does",
            "ultimate::plays_as_the_naive_sheet_does",
        ],
        tests_of_shared_files: &[
            "connect_four",
            "dots_and_boxes",
            "morris",
            "pegs",
            "reversi",
            "tic_tac_toe",
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
        slow_tests_of_files: &[],
        tests_of_shared_files: &[],
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
        slow_tests_of_files: &[],
        tests_of_shared_files: &[],
    },
];

/// The tests that run for each mutant.
struct Tests<'a> {
    /// What their names have.
    names: Vec<String>,
    /// What their names don't have.
    without: &'a [&'a str],
    /// Those of them that run only if no other notices the mutant.
    slow: Vec<&'a str>,
}

impl Area {
    fn tests_of(&self, root: &Path, files: &[&String]) -> Tests<'_> {
        let folder = root.join("crates").join(self.package).join("tests/it");
        let folder = folder.join(self.tests.replace("::", "/"));
        let has_tests = |name: &str| {
            let tests = folder.join(name);
            tests.is_dir() || tests.with_extension("rs").exists()
        };
        let mut tests_of: Vec<_> = files.iter().map(|file| file.as_str()).collect();
        if !tests_of.iter().all(|file| has_tests(file)) {
            if self.tests_of_shared_files.is_empty() {
                tests_of.clear();
            }
            // Beside those in the files themselves.
            tests_of.extend(self.tests_of_shared_files);
        }
        if tests_of.is_empty() {
            return Tests {
                names: vec![self.tests.to_owned()],
                without: self.without_tests,
                slow: Vec::new(),
            };
        }
        let is_of_files = |test: &&str| tests_of.iter().any(|file| test.contains(file));
        let slow = self.slow_tests_of_files.iter().copied();
        Tests {
            names: tests_of.iter().map(|file| format!("::{file}")).collect(),
            without: self.without_tests_of_files,
            slow: slow.filter(is_of_files).collect(),
        }
    }
}

/// Tries the mutants of an area, or only of those files and folders whose names contain one of
/// those behind it, or a share of them: `1/4` is every fourth, from the second on. Where all
/// names are also those of tests, such as `hex` among the games, only these run: first the quick
/// ones, and the slow ones for what is left. What games share is tried with those of some games.
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
    let tool = TOOL.install(root, cargo)?;
    let (shares, files): (Vec<_>, Vec<_>) = files.iter().partition(|name| name.contains('/'));
    let tests = area.tests_of(root, &files);
    let command = |optimization: u8| {
        let mut mutants = Command::new(&tool);
        mutants.current_dir(root);
        mutants.args(["mutants", "--package", area.package]);
        if files.is_empty() {
            mutants.args(["--file", area.files]);
        }
        for file in &files {
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
        let package = area.package;
        let settings = format!("profile.test.package.{package}.opt-level={optimization}");
        mutants.args(["--cargo-arg", "--config", "--cargo-arg", &settings]);
        mutants.env("CARGO_PROFILE_TEST_DEBUG", "0");
        mutants.env("CARGO_INCREMENTAL", "1");
        mutants
    };
    // Most mutants are noticed within a second, so compiling would take most of the time: what
    // isn't optimized is compiled again in a tenth of it. What the quick tests don't notice is
    // then tried with all of them.
    let mut quick = command(0);
    for share in shares {
        quick.args(["--shard", share, "--sharding", "round-robin"]);
    }
    run(&mut quick, &tests, &tests.slow)?;
    let lists = output.join("mutants.out");
    let missed = lists.join("missed.txt");
    let missed = fs::read_to_string(&missed).map_err(of_file(&missed))?;
    if !tests.slow.is_empty() && !missed.is_empty() {
        let mut thorough = command(2);
        // Names aren't looked at for those mutants that delete a field.
        thorough.arg("--iterate");
        for mutant in missed.lines() {
            thorough.args(["--re", &format!("^{}$", escaped(mutant))]);
        }
        run(&mut thorough, &tests, &[])?;
    }
    println!("xtask: the lists are in {}", lists.display());
    Ok(())
}

/// A regular expression that matches this text.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Runs cargo-mutants with these tests, without some.
fn run(mutants: &mut Command, tests: &Tests<'_>, without: &[&str]) -> Result<(), String> {
    // The first failure ends the tests, which is unstable.
    mutants.env("RUSTC_BOOTSTRAP", "1");
    mutants.args(["--", "--lib", "--test", "it", "--"]);
    mutants.args(["-Z", "unstable-options", "--fail-fast"]);
    mutants.args(&tests.names);
    for test in tests.without.iter().chain(without) {
        mutants.args(["--skip", test]);
    }
    match mutants.status() {
        // All are noticed; some are not; some never end.
        Ok(status) if matches!(status.code(), Some(0 | 2 | 3)) => Ok(()),
        Ok(_) => Err("the mutants can't be tried".to_owned()),
        Err(error) => Err(format!("{} can't be started: {error}", TOOL.name)),
    }
}
