//! `cargo xtask coverage`: which lines of each crate the tests run.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cargo_tool::CargoTool;
use crate::files::of_file;
use crate::{output, run};

const TOOL: CargoTool = CargoTool {
    name: "cargo-llvm-cov",
    version: "0.9.1",
    features: "",
    purpose: "counts the lines that tests run",
};

/// Lines, and how many of them were run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    all: u64,
    run: u64,
}

/// Runs every test, or those whose names contain one of the filters, and tells what share of
/// the lines of each crate they have run.
pub(crate) fn measure(root: &Path, cargo: &str, filters: &[String]) -> Result<(), String> {
    let tool = TOOL.install(root, cargo)?;
    // A folder of its own: what counts isn't what other builds can use.
    let folder = root.canonicalize().map_err(of_file(root))?;
    let folder = folder.join("target/coverage");
    let coverage = |arguments: &[&str]| {
        let mut coverage = Command::new(&tool);
        coverage.arg("llvm-cov").args(arguments).current_dir(root);
        coverage.env("CARGO_TARGET_DIR", &folder);
        coverage
    };
    // How the compiler is told to count, and where the programs write what they have counted.
    let variables = output(&mut coverage(&["show-env", "--no-cfg-coverage"]))?;
    let mut variables = variables.lines().filter_map(variable).collect::<Vec<_>>();
    variables.push(("CARGO_TARGET_DIR".to_owned(), folder.clone().into()));
    let with_variables = |mut command: Command| {
        command.envs(variables.iter().cloned());
        command
    };
    run(&mut with_variables(coverage(&["clean", "--profraw-only"])))?;
    // In a process of its own, because both the builds and the tests need the variables.
    let this = env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let mut tests = with_variables(Command::new(this));
    let tested = run(tests.arg("test").args(filters));
    // A program that was killed may leave half of its counts.
    let report = [
        "report",
        "--json",
        "--summary-only",
        "--failure-mode",
        "all",
    ];
    let report = output(&mut with_variables(coverage(&report)))?;
    let report = serde_json::from_str(&report).map_err(|error| error.to_string())?;
    print!("{}", table(&by_crate(&report)));
    tested
}

/// A variable of the environment, of a line like `NAME='value'`.
fn variable(line: &str) -> Option<(String, OsString)> {
    let (name, value) = line
        .strip_prefix("export ")
        .unwrap_or(line)
        .split_once('=')?;
    let value = value.trim_matches('\'').trim_matches('"');
    Some((name.to_owned(), value.into()))
}

/// The lines of each crate, without those of tests, examples and benchmarks.
fn by_crate(report: &Value) -> BTreeMap<String, Lines> {
    let mut crates = BTreeMap::<_, Lines>::new();
    let files = report["data"].as_array().into_iter().flatten();
    for file in files.flat_map(|data| data["files"].as_array().into_iter().flatten()) {
        let path = file["filename"].as_str().unwrap_or_default();
        let path = path.replace('\\', "/");
        let Some((_, path)) = path.rsplit_once("/crates/") else {
            continue;
        };
        if let Some((name, _)) = path.split_once("/src/") {
            let lines = crates.entry(name.to_owned()).or_default();
            let count = |what: &str| file["summary"]["lines"][what].as_u64().unwrap_or(0);
            lines.all += count("count");
            lines.run += count("covered");
        }
    }
    crates
}

/// The crates as a table for docs/hardening.md, the best covered first.
fn table(crates: &BTreeMap<String, Lines>) -> String {
    let share = |lines: &Lines| 1000 * lines.run / lines.all.max(1);
    let mut crates = crates.iter().collect::<Vec<_>>();
    crates.sort_by_key(|(_, lines)| std::cmp::Reverse(share(lines)));
    let row = |(name, lines): (&String, &Lines)| {
        let (whole, tenth) = (share(lines) / 10, share(lines) % 10);
        format!("| `{name}` | {} | {whole}.{tenth} % |\n", lines.all)
    };
    let rows = crates.into_iter().map(row).collect::<String>();
    format!("| crate | lines | run by tests |\n|---|--:|--:|\n{rows}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_with_and_without_quotes() {
        let expected = |value: &str| Some(("NAME".to_owned(), value.into()));
        assert_eq!(variable("NAME='a b=c'"), expected("a b=c"));
        assert_eq!(variable("export NAME=\"a\""), expected("a"));
        assert_eq!(variable("NAME=1"), expected("1"));
        assert_eq!(variable("nothing"), None);
    }

    #[test]
    fn files_are_added_up_by_crate() {
        let file = |name: &str, count: u64, covered: u64| {
            serde_json::json!({
                "filename": name,
                "summary": { "lines": { "count": count, "covered": covered } },
            })
        };
        let report = serde_json::json!({ "data": [{ "files": [
            file("/a/crates/one/src/lib.rs", 10, 9),
            file("/a/crates/one/src/part/mod.rs", 30, 20),
            file("/a/crates/one/tests/it/main.rs", 100, 100),
            file("/a/crates/two/src/lib.rs", 3, 3),
            file("/a/xtask/src/main.rs", 5, 0),
        ] }] });
        let expected = "\
            | crate | lines | run by tests |\n|---|--:|--:|\n\
            | `two` | 3 | 100.0 % |\n\
            | `one` | 40 | 72.5 % |\n";
        assert_eq!(table(&by_crate(&report)), expected);
    }
}
