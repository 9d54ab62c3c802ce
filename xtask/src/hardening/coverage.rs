//! `cargo xtask coverage`: which part of each crate its tests run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cargo_tool::CargoTool;
use crate::{debian, of_file, output, run, tools};

const TOOL: CargoTool = CargoTool {
    name: "cargo-llvm-cov",
    version: "0.9.1",
    features: "",
    purpose: "counts the lines that tests run",
};

/// The lines of a crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    all: u64,
    covered: u64,
}

/// Runs the tests of these packages, or of all, and prints the share of lines that they run in
/// each crate.
pub(crate) fn coverage(root: &Path, cargo: &str, packages: &[String]) -> Result<(), String> {
    let target = root.join("target");
    let llvm = llvm_version()?;
    debian::install(&format!("llvm-{llvm}"), &target)?;
    let report = target.join("coverage.json");
    let mut coverage = Command::new(TOOL.install(root, cargo)?);
    coverage.args(["llvm-cov", "test", "--all-features", "--no-fail-fast"]);
    if packages.is_empty() {
        coverage.args(["--workspace", "--exclude", "open_ttt_python"]);
        coverage.args(["--exclude", "open_ttt_web"]);
        coverage.envs(tools::environment(root)?);
    }
    for package in packages {
        coverage.args(["--package", package]);
    }
    coverage.args(["--json", "--summary-only", "--output-path"]);
    coverage.arg(&report);
    if packages.is_empty() {
        coverage.args(["--", "--include-ignored"]);
    }
    for (variable, program) in [("LLVM_COV", "llvm-cov"), ("LLVM_PROFDATA", "llvm-profdata")] {
        coverage.env(variable, format!("/usr/bin/{program}-{llvm}"));
    }
    run(coverage.current_dir(root))?;
    let text = fs::read_to_string(&report).map_err(of_file(&report))?;
    let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    for (name, Lines { all, covered }) in by_crate(&report) {
        let percent = 100.0 * covered as f64 / all as f64;
        println!("{name:20} {percent:5.1} % of {all} lines");
    }
    Ok(())
}

/// The version of LLVM in the compiler. Only the tools of the same version read what it writes.
fn llvm_version() -> Result<String, String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let major = version.lines().find_map(|line| {
        let number = line.strip_prefix("LLVM version: ")?;
        number.split('.').next()
    });
    major
        .map(str::to_owned)
        .ok_or_else(|| "rustc doesn't tell its LLVM version".to_owned())
}

/// The lines by crate, of a report of llvm-cov.
fn by_crate(report: &Value) -> BTreeMap<String, Lines> {
    let mut crates = BTreeMap::<_, Lines>::new();
    let files = report["data"][0]["files"].as_array();
    for file in files.into_iter().flatten() {
        let path = file["filename"].as_str().unwrap_or_default();
        let Some((name, _)) = path
            .rsplit_once("/crates/")
            .and_then(|(_, path)| path.split_once("/src/"))
        else {
            continue;
        };
        let lines = &file["summary"]["lines"];
        let sum = crates.entry(name.to_owned()).or_default();
        sum.all += lines["count"].as_u64().unwrap_or_default();
        sum.covered += lines["covered"].as_u64().unwrap_or_default();
    }
    crates
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Lines, by_crate};

    #[test]
    fn lines_are_added_by_crate() {
        let file = |path: &str, all: u64, covered: u64| {
            let lines = json!({ "count": all, "covered": covered });
            json!({ "filename": path, "summary": { "lines": lines } })
        };
        let files = [
            file("/home/crates/a/src/lib.rs", 10, 5),
            file("/home/crates/a/src/folder/mod.rs", 30, 30),
            file("/home/crates/b/src/lib.rs", 2, 0),
            file("/home/xtask/src/main.rs", 100, 0),
        ];
        let crates = by_crate(&json!({ "data": [{ "files": files }] }));
        let lines = |all, covered| Lines { all, covered };
        let expected = [("a", lines(40, 35)), ("b", lines(2, 0))];
        let expected = expected.map(|(name, lines)| (name.to_owned(), lines));
        assert_eq!(crates.into_iter().collect::<Vec<_>>(), expected);
    }
}
