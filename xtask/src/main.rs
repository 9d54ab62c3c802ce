//! The workspace's own chores, in plain Rust: `cargo xtask test` and others.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program talks to its user"
)]

mod browser;
mod networks;
mod tools;
mod wasm;

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask test    run every test there is
cargo xtask bench   measure, side by side with peers
cargo xtask api     accept a changed public interface of open_ttt_lib
cargo xtask book    solve the eight pegs and make their opening book anew
cargo xtask openings
                    prove the openings of Connect Four and make their book anew
cargo xtask difficulty
                    measure how strong the computers are, for docs/difficulty.md
cargo xtask networks
                    teach the networks that come with the library anew
cargo xtask wasm    run the library's searches in WebAssembly";

/// A command line, and what it is good for.
struct Step {
    why: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const TEST: &[Step] = &[
    Step {
        why: "every test of the workspace, also those that plain `cargo test` leaves out",
        arguments: &[
            "test",
            "--workspace",
            "--all-features",
            "--",
            "--include-ignored",
        ],
        environment: &[],
    },
    Step {
        why: "the rules against the crate published under the same name",
        arguments: &["test", "--manifest-path", "bench/Cargo.toml", "--tests"],
        environment: &[],
    },
];

const BENCH: &[Step] = &[Step {
    why: "the computer's move and exact Connect Four values, side by side with peers",
    arguments: &["bench", "--manifest-path", "bench/Cargo.toml"],
    environment: &[],
}];

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
    why: "the openings of Connect Four, one proof each; takes hours, and goes on where it stopped",
    arguments: &[
        "run",
        "--release",
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
    arguments: &["run", "--release", "--package", "difficulty"],
    environment: &[],
}];

/// Chores are told from the root, wherever they are called.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn main() -> ExitCode {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut tools = Vec::new();
    let steps = match env::args().nth(1).as_deref() {
        Some("test") => {
            tools = match tools::environment(Path::new(ROOT)) {
                Ok(tools) => tools,
                Err(error) => {
                    eprintln!("xtask: {error}");
                    return ExitCode::FAILURE;
                }
            };
            TEST
        }
        Some("bench") => BENCH,
        Some("api") => API,
        Some("book") => BOOK,
        Some("openings") => OPENINGS,
        Some("difficulty") => DIFFICULTY,
        Some("networks") => return ended(networks::teach(Path::new(ROOT), &cargo)),
        Some("wasm") => return ended(wasm::run(Path::new(ROOT), &cargo)),
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
            .envs(tools.iter().map(|(name, value)| (name, value)))
            .current_dir(ROOT)
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(_) => return ExitCode::FAILURE,
            Err(error) => {
                eprintln!("xtask: cargo cannot be started: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
