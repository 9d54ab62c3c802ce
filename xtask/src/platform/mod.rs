//! `cargo xtask platform NAME`: builds for another platform and runs the tests there, under an
//! emulator where there is one.

pub(crate) mod aarch64;
mod mach_o;
pub(crate) mod macos;
mod no_std;
mod toolchain;
mod wasm;
pub(crate) mod web;
pub(crate) mod windows;

use std::path::Path;

use crate::run;
use toolchain::Toolchain;

/// The libraries that applications use. None of them needs an operating system beyond threads.
const LIBRARIES: [&str; 6] = [
    "open_ttt_lib",
    "open_ttt_search",
    "open_ttt_nn",
    "open_ttt_players",
    "open_ttt_coach",
    "open_ttt_catalog",
];

/// The program and what it consists of beside the libraries. The tests of `open_ttt_learn` take
/// an hour under an emulator.
const PROGRAM: [&str; 4] = ["open_ttt_draw", "open_ttt_app", "open_ttt_net", "open_ttt"];

/// What is tested on a platform.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// What fits into CI.
    Quick,
    /// All tests of the libraries.
    Libraries,
    /// The program, too, where it runs.
    Everything,
}

/// Tests on the platform that the arguments name.
pub(crate) fn test(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    let usage = "usage: cargo xtask platform windows|macos|aarch64|wasm|no-std [--quick|--all]";
    let (name, scope) = match arguments {
        [name] => (name, Scope::Libraries),
        [name, scope] if scope == "--quick" => (name, Scope::Quick),
        [name, scope] if scope == "--all" => (name, Scope::Everything),
        _ => return Err(usage.to_owned()),
    };
    match &**name {
        "windows" => windows::test(root, cargo, scope),
        "macos" => macos::build(root, cargo, scope),
        "aarch64" => aarch64::test(root, cargo, scope),
        "wasm" => wasm::test(root),
        "no-std" => no_std::build(root, cargo),
        _ => Err(usage.to_owned()),
    }
}

/// Runs tests of these packages.
fn run_tests(
    toolchain: &Toolchain,
    packages: &[&str],
    arguments: &[&str],
    environment: &[(String, String)],
) -> Result<(), String> {
    let mut tests = toolchain.cargo("test");
    tests.args(["--all-features", "--locked", "--no-fail-fast"]);
    for package in packages {
        tests.args(["--package", package]);
    }
    run(tests.args(arguments).envs(environment.iter().cloned()))
}
