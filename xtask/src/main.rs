//! The automation of the workspace: `cargo xtask test` and others.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program talks to its user"
)]

mod browser;
mod networks;
mod package;
mod test;
mod tools;
mod wasm;

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask test [NAME ..]
                    run every test, or those whose names contain NAME
cargo xtask package check that the published packages are complete and compile
cargo xtask bench   run the benchmarks beside other crates
cargo xtask api     accept a changed public interface of the libraries
cargo xtask book    solve the eight pegs and write their opening book
cargo xtask openings
                    prove the openings of Connect Four and write their book
cargo xtask difficulty
                    measure the strength of the computers, for docs/difficulty.md
cargo xtask networks
                    train the networks that ship with the catalog
cargo xtask wasm    run the searches in WebAssembly";

/// A cargo command and its purpose.
struct Step {
    why: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const BENCH: &[Step] = &[
    Step {
        why: "the lints of the benchmarks, which CI leaves out because of their peers",
        arguments: &[
            "clippy",
            "--manifest-path",
            "bench/Cargo.toml",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        environment: &[],
    },
    Step {
        why: "the computer's move and exact Connect Four values, side by side with peers",
        arguments: &["bench", "--manifest-path", "bench/Cargo.toml"],
        environment: &[],
    },
];

const API: &[Step] = &[Step {
    why: "the public interface as it is now",
    arguments: &["test", "--package", "public_api", "--", "--ignored"],
    environment: &[("UPDATE", "1")],
}];

const BOOK: &[Step] = &[Step {
    why: "the opening book of the eight pegs, from solving the whole game",
    arguments: &[
        "test",
        "--package",
        "open_ttt_search",
        "--test",
        "it",
        "--",
        "--ignored",
        "the_book_of_the_pegs",
    ],
    environment: &[("UPDATE", "1")],
}];

const OPENINGS: &[Step] = &[Step {
    why: "the openings of Connect Four, one proof each; takes hours, resumable",
    arguments: &[
        "run",
        "--profile",
        "dist",
        "--package",
        "openings",
        "--",
        "--book",
        "crates/open_ttt_lib/src/games/connect_four/book.bin",
        "--proved",
        "target/openings.txt",
    ],
    environment: &[],
}];

const DIFFICULTY: &[Step] = &[Step {
    why: "matches at each difficulty that docs/difficulty.tsv lacks",
    arguments: &["run", "--profile", "dist", "--package", "difficulty"],
    environment: &[],
}];

/// The workspace, in which every command runs.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn exit_code(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the tests with the tools they need.
fn test(root: &Path, cargo: &str) -> Result<(), String> {
    let tools = tools::environment(root)?;
    let filters: Vec<String> = env::args().skip(2).collect();
    test::run(root, cargo, &tools, &filters)
}

fn main() -> ExitCode {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let root = Path::new(ROOT);
    let steps = match env::args().nth(1).as_deref() {
        Some("test") => return exit_code(test(root, &cargo)),
        Some("package") => return exit_code(package::check(root, &cargo)),
        Some("bench") => BENCH,
        Some("api") => API,
        Some("book") => BOOK,
        Some("openings") => OPENINGS,
        Some("difficulty") => DIFFICULTY,
        Some("networks") => return exit_code(networks::train(root, &cargo)),
        Some("wasm") => return exit_code(wasm::run(root, &cargo)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    for step in steps {
        println!("xtask: {}: cargo {}", step.why, step.arguments.join(" "));
        let status = Command::new(&cargo)
            .args(step.arguments)
            .envs(step.environment.iter().copied())
            .current_dir(root)
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(_) => return ExitCode::FAILURE,
            Err(error) => {
                eprintln!("xtask: cannot start cargo: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
