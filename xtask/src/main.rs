//! The automation of the workspace: `cargo xtask test` and others.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program talks to its user"
)]

mod archive;
mod cargo_tool;
mod coverage;
mod debian;
mod deployment;
mod files;
mod fuzz;
mod guide;
mod licences;
mod miri;
mod mutants;
mod networks;
mod package;
mod platform;
mod python;
mod python_environment;
mod release;
#[cfg(test)]
mod scratch_git;
mod semver;
mod test;
mod tools;

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "\
cargo xtask test [NAME ..]
                    run every test, or those whose names contain NAME
cargo xtask package check that the published packages are complete and compile
cargo xtask bench   run the benchmarks beside other crates
cargo xtask api     accept a changed public interface of the libraries
cargo xtask book    solve the eight pegs and write their opening book
cargo xtask openings
                    prove the openings of Connect Four and write their book
cargo xtask solution
                    prove that X wins qubic and write its solution
cargo xtask difficulty
                    measure the strength of the computers, for docs/difficulty.md
cargo xtask networks
                    train the networks that ship with the catalog
cargo xtask puzzles [GAME ..] [--count N] [--minutes N] [--again]
                    find puzzles of the games, or of these, or judge theirs again
cargo xtask platform windows|macos|aarch64|wasm|no-std [--quick|--all]
                    build for another platform and run the libraries' tests there, few of
                    them, or the program's, too; for macOS lint and link them
cargo xtask web     build and test the package for JavaScript, into target/npm
cargo xtask python  build the Python package and run its tests
cargo xtask python wheel
                    build the Python package as it is released
cargo xtask guide   build the book about the project, into target/book
cargo xtask mutants rules|games|replication|stores [FILE ..] [N/M]
                    change the code place by place, or in a share of the places, and see
                    whether the tests notice
cargo xtask coverage [NAME ..]
                    run the tests and tell which share of each crate's lines they run
cargo xtask miri [open_ttt_c] [open_ttt_nn]
                    run tests of the crates with `unsafe` in Miri, an interpreter that
                    notices undefined behaviour
cargo xtask semver [REVISION]
                    compare the libraries' interfaces with those of the last version, or of
                    a revision
cargo xtask fuzz [TARGET ..] [--minutes N] [--keep]
                    feed the parsers of input from outside, or these, for N minutes (60) in
                    all; put what covers most into the corpora of the repository
cargo xtask deployment [PROGRAM [STATIC]] [--minutes N]
                    follow docs/deployment.md in a virtual machine with Debian 12, with the
                    program that is built, or with this one (and this one, linked statically,
                    in a container); stop when the machine says nothing for N minutes
cargo xtask release VERSION [--rehearse] [--linux-only]
                    check everything and make all that is published of a version";

/// The workspace, in which every command runs.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() -> ExitCode {
    match command(env::args().nth(1).as_deref()) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Runs the command with this name, if there is one.
fn command(name: Option<&str>) -> Option<Result<(), String>> {
    let cargo = &*env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let root = Path::new(ROOT);
    let step = |why: &str, arguments: &str| {
        println!("xtask: {why}: cargo {arguments}");
        let mut step = Command::new(cargo);
        run(step.args(arguments.split(' ')).current_dir(root))
    };
    // With UPDATE, tests write the files that they otherwise compare with.
    Some(match name? {
        "test" => test(root, cargo),
        "package" => package::check(root, cargo, env!("CARGO_PKG_VERSION")).map(|_| ()),
        "guide" => guide::build(root, cargo),
        "deployment" => deployment::check(root, cargo, &arguments()),
        "release" => release::release(root, cargo, &arguments()),
        "fuzz" => fuzz::fuzz(root, cargo, &arguments()),
        "mutants" => mutants::try_all(root, cargo, &arguments()),
        "coverage" => coverage::measure(root, cargo, &arguments()),
        "miri" => miri::test(root, &arguments()),
        "semver" => semver::check(root, cargo, &arguments()),
        "bench" => step(
            "the lints of the benchmarks, which CI leaves out because of their peers",
            "clippy --manifest-path bench/Cargo.toml --all-targets -- -D warnings",
        )
        .and_then(|()| {
            step(
                "the computer's move and exact Connect Four values, side by side with peers",
                "bench --manifest-path bench/Cargo.toml",
            )
        }),
        "api" => step(
            "the public interface as it is now",
            "test --config env.UPDATE='1' --package public_api -- --ignored",
        ),
        "book" => step(
            "the opening book of the eight pegs, from solving the whole game",
            "test --config env.UPDATE='1' --package open_ttt_search --test it -- --ignored \
             the_book_of_the_pegs",
        ),
        "openings" => step(
            "the openings of Connect Four, one proof each; takes hours, resumable",
            "run --profile dist --package openings -- connect4 prove \
             --proved target/openings.txt \
             --book crates/open_ttt_lib/src/games/connect_four/book.bin",
        ),
        "solution" => step(
            "the win of X in qubic, one proof for each reply of O; resumable",
            "run --profile dist --package openings -- qubic --solved target/qubic.txt \
             --book crates/open_ttt_lib/src/games/qubic/solution.bin",
        ),
        "difficulty" => step(
            "matches at each difficulty that docs/difficulty.tsv lacks",
            "run --profile dist --package difficulty",
        ),
        "networks" => networks::train(root, cargo),
        "puzzles" => puzzles(root, cargo),
        "web" => platform::web::build(root, cargo),
        "platform" => platform::test(root, cargo, &arguments()),
        "python" => match env::args().nth(2).as_deref() {
            None => python::test(root, cargo),
            Some("wheel") => python::release(root, cargo),
            Some(_) => return None,
        },
        _ => return None,
    })
}

/// What follows the name of the command.
fn arguments() -> Vec<String> {
    env::args().skip(2).collect()
}

/// Runs the tests with the tools they need.
fn test(root: &Path, cargo: &str) -> Result<(), String> {
    let tools = tools::environment(root)?;
    test::run(root, cargo, &tools, &arguments())
}

/// Finds puzzles. Interrupted runs resume.
fn puzzles(root: &Path, cargo: &str) -> Result<(), String> {
    let mut find = Command::new(cargo);
    find.args(["run", "--profile", "dist", "--package", "puzzles", "--"])
        .args(["--found", "target/puzzles"])
        .args(["--folder", "crates/open_ttt_catalog/puzzles"])
        .args(arguments());
    run(find.current_dir(root))
}

/// Runs a command to its end; an error names the command.
fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{command:?} failed")),
        Err(error) => Err(format!("{command:?} cannot be started: {error}")),
    }
}

/// What a command prints.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a build of cargo, and returns its messages as lines of JSON.
fn build_messages(build: &mut Command) -> Result<String, String> {
    output(build.args(["--message-format", "json-render-diagnostics"]))
}
