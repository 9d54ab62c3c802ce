//! Makes the books that ship with games of the library: the opening book of Connect Four
//! and the solution of qubic.
//!
//! What has been proved is appended to a file, from which an interrupted run resumes.

mod connect_four;
mod files;
mod opening_prover;
mod positions;
mod proved_positions;
mod qubic;
mod solved_positions;

use std::io;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

/// Make the books that ship with games of the library
#[derive(Debug, Parser)]
enum Args {
    #[command(name = "connect4", subcommand)]
    ConnectFour(connect_four::Command),
    Qubic(qubic::Args),
}

fn main() -> io::Result<()> {
    match Args::parse() {
        Args::ConnectFour(command) => connect_four::run(command),
        Args::Qubic(args) => qubic::run(&args),
    }
}

fn progress_bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
