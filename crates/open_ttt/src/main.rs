//! `open_ttt`: play the games of the catalog in the terminal, and analyze,
//! count and compare.
//!
//! The program is thin. It reads the command line, asks the libraries, and
//! prints; see `open_ttt --help`.

mod args;
mod commands;
mod failure;
mod interrupt;
mod menu;
mod networks;
mod opponents;
mod usage;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

use crate::args::{Args, Command};
use crate::failure::Failure;

/// The server's moves are many small allocations: with this allocator it takes 7 in
/// 100 more of them in the same processor time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let result = match Args::try_parse() {
        Ok(args) => run(args.command),
        Err(error) => Failure::from_usage(&error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.status)
        }
    }
}

fn run(command: Option<Command>) -> Result<(), Failure> {
    match command {
        None => menu::run(),
        Some(Command::Play(args)) => commands::play::run(args),
        Some(Command::Games(args)) => commands::games::run(&args),
        Some(Command::Perft(args)) => commands::perft::run(&args),
        Some(Command::Analyze(args)) => commands::analyze::run(&args),
        Some(Command::Solve(args)) => commands::solve::run(&args),
        Some(Command::Arena(args)) => commands::arena::run(&args),
        Some(Command::Replay(args)) => commands::replay::run(&args),
        Some(Command::Serve(args)) => commands::serve::run(*args),
        Some(Command::Join(args)) => commands::join::run(&args),
        Some(Command::Train(args)) => commands::train::run(&args),
        Some(Command::Work(args)) => commands::work::run(&args),
    }
}
