//! `cargo xtask test`: builds every test once, runs the test binaries side by
//! side, and reports all failures at the end.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::build_messages;

/// What both builds share, so that the doc tests find everything built. Examples
/// are left out: Clippy checks that they compile, and those that assert something
/// are modules of a test. So are the modules that other languages load: `cargo xtask
/// python` and `cargo xtask web` test them.
const BUILD: [&str; 6] = [
    "test",
    "--workspace",
    "--exclude=open_ttt_python",
    "--exclude=open_ttt_web",
    "--all-features",
    "--no-fail-fast",
];

/// A test binary.
struct Binary {
    /// The package and the target: `open_ttt_net it`.
    name: String,
    executable: PathBuf,
    /// The folder of its package, in which `cargo test` would run it.
    folder: PathBuf,
}

/// Runs every test there is; `filters` select tests by name, as `cargo test` does. The
/// error names each test that failed.
pub(crate) fn run(
    root: &Path,
    cargo: &str,
    environment: &[(&'static str, OsString)],
    filters: &[String],
) -> Result<(), String> {
    let mut binaries = build(root, cargo)?;
    // The largest first: they tend to take longest.
    let size = |binary: &Binary| fs::metadata(&binary.executable).map_or(0, |file| file.len());
    binaries.sort_by_cached_key(|binary| std::cmp::Reverse(size(binary)));
    println!("xtask: running {} test binaries", binaries.len());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let side_by_side = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..side_by_side {
            scope.spawn(|| {
                while let Some(binary) = binaries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failed = binary.run(environment, filters);
                    let mut failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
                    failures.extend(failed);
                }
            });
        }
    });
    let mut failures = failures
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    println!("xtask: running the examples in the documentation");
    let mut doc_tests = Command::new(cargo);
    doc_tests.args(BUILD).args(["--doc", "--quiet", "--"]);
    if crate::run(doc_tests.args(filters).current_dir(root)).is_err() {
        failures.push("doc tests: see above".to_owned());
    }
    if failures.is_empty() {
        println!("xtask: every test passed");
        return Ok(());
    }
    let (count, names) = (failures.len(), failures.join("\n  "));
    Err(format!("{count} failed:\n  {names}"))
}

/// Compiles the tests and lists their binaries.
fn build(root: &Path, cargo: &str) -> Result<Vec<Binary>, String> {
    println!("xtask: building every test of the workspace");
    let mut build = Command::new(cargo);
    build
        .args(BUILD)
        .args(["--lib", "--bins", "--tests", "--no-run"]);
    let messages = build_messages(build.current_dir(root))?;
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok(messages.filter_map(|message| binary(&message)).collect())
}

/// The test binary that a message of cargo announces.
fn binary(message: &Value) -> Option<Binary> {
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_string_lossy();
    let target = message["target"]["name"].as_str()?;
    Some(Binary {
        name: format!("{package} {target}"),
        executable: message["executable"].as_str()?.into(),
        folder: folder.to_owned(),
    })
}

impl Binary {
    /// Runs the tests; returns the names of those that failed, or the binary's own if
    /// it ended early.
    fn run(&self, environment: &[(&'static str, OsString)], filters: &[String]) -> Vec<String> {
        let started = Instant::now();
        let run = Command::new(&self.executable)
            .args(["--include-ignored", "--color", "never"])
            .args(filters)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .current_dir(&self.folder)
            .output();
        let name = &self.name;
        let (passed, output) = match run {
            Ok(run) => {
                let text = [run.stdout, run.stderr].concat();
                let text = String::from_utf8_lossy(&text).into_owned();
                (run.status.success(), text)
            }
            Err(error) => (false, format!("cannot be started: {error}")),
        };
        let result = output.lines().rfind(|line| line.starts_with("test result"));
        let result = result.unwrap_or("test result: none");
        println!("{name}: {result} ({:.0?})", started.elapsed());
        if passed {
            return Vec::new();
        }
        println!("\nxtask: output of {name}:\n{output}");
        let failed = |line: &str| {
            let test = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
            Some(format!("{name}: {test}"))
        };
        let failed: Vec<_> = output.lines().filter_map(failed).collect();
        if failed.is_empty() {
            return vec![format!("{name}: did not finish")];
        }
        failed
    }
}
