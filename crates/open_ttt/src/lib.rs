#![doc = include_str!("../README.md")]
#![expect(
    clippy::doc_markdown,
    reason = "doc comments of arguments are help texts"
)]

mod app;
mod append;
mod args;
mod commands;
mod computers;
mod engine;
mod examples;
mod failure;
mod folders;
mod games;
mod interrupt;
mod kept_games;
mod menu;
mod opponents;
mod settings;
mod usage;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use open_ttt_catalog as catalog;
pub use open_ttt_catalog::{Catalog, CatalogGame};
pub use open_ttt_coach as coach;
pub use open_ttt_lib::rules;
pub use open_ttt_search as search;

use crate::failure::Failure;

/// Play two-player board games in the terminal, against people and computers.
///
/// Without a command, the menu opens.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// Show the menu as lines of text instead of in full screen
    #[arg(long)]
    pub(crate) plain: bool,
    /// Don't keep the games, and don't offer to go on with one
    #[arg(long)]
    pub(crate) no_save: bool,
    /// The time between the moves of computers that play each other in full screen [default:
    /// your settings, or 1s]
    #[arg(long, value_name = "TIME", value_parser = args::pace)]
    pub(crate) pace: Option<Duration>,
    #[command(flatten)]
    pub(crate) display: settings::DisplayArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Play(commands::play::PlayArgs),
    Games(commands::games::GamesArgs),
    Perft(commands::perft::PerftArgs),
    Analyze(commands::analyze::AnalyzeArgs),
    Solve(commands::solve::SolveArgs),
    Arena(commands::arena::ArenaArgs),
    Replay(commands::replay::ReplayArgs),
    Review(commands::review::ReviewArgs),
    Puzzle(commands::puzzle::PuzzleArgs),
    Serve(Box<commands::serve::ServeArgs>),
    Admin(Box<commands::admin::AdminArgs>),
    Store(commands::store::StoreArgs),
    Join(Box<commands::join::JoinArgs>),
    Player(commands::player::PlayerArgs),
    Train(Box<commands::train::TrainArgs>),
    Work(commands::work::WorkArgs),
    New(commands::new::NewArgs),
    Completions(commands::completions::CompletionsArgs),
    Man(commands::man::ManArgs),
}

/// Runs the program with the arguments of the process and the games of a catalog:
/// the menu, or the command in the arguments.
///
/// Call it from `main`, once: it may install a handler for Ctrl-C and read standard
/// input. It returns the exit status: 0, 1 for a failure, 2 for bad usage.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use open_ttt::Catalog;
///
/// fn main() -> ExitCode {
///     open_ttt::run(Catalog::bundled())
/// }
/// ```
pub fn run(catalog: Catalog) -> ExitCode {
    let command = || games::of_catalog(with_negative_numbers(Args::command()), &catalog);
    let parsed = command()
        .try_get_matches()
        .and_then(|mut matches| Args::from_arg_matches_mut(&mut matches));
    let result = match parsed {
        Ok(args) => engine::or_failure(execute(args, catalog)),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => print_help(command(), &catalog),
        Err(error) if !error.use_stderr() => error.print().map_err(Failure::from),
        Err(error) => {
            let sentence = usage::sentence(&error, &command(), &catalog);
            Err(Failure::usage(sentence))
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.status)
        }
    }
}

/// Takes a negative number behind an option for its value, so that a refusal says what the
/// option may be.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        let takes_values = arg.get_action().takes_values() && !arg.is_positional();
        arg.allow_negative_numbers(takes_values)
    });
    command.mut_subcommands(with_negative_numbers)
}

/// Prints the help that the arguments of the process ask for. What it says about games
/// takes the start of each, so it is made only for a reader.
fn print_help(command: clap::Command, catalog: &Catalog) -> Result<(), Failure> {
    match games::with_help(command, catalog).try_get_matches() {
        Err(help) => Ok(help.print()?),
        Ok(_) => Ok(()),
    }
}

fn execute(args: Args, catalog: Catalog) -> Result<(), Failure> {
    match args.command {
        None => menu::run(&catalog, &args),
        Some(Command::Play(args)) => commands::play::run(args, &catalog),
        Some(Command::Games(args)) => commands::games::run(&args, &catalog),
        Some(Command::Perft(args)) => commands::perft::run(&args),
        Some(Command::Analyze(args)) => commands::analyze::run(&args),
        Some(Command::Solve(args)) => commands::solve::run(&args, &catalog),
        Some(Command::Arena(args)) => commands::arena::run(&args),
        Some(Command::Replay(args)) => commands::replay::run(&args, &catalog),
        Some(Command::Review(args)) => commands::review::run(&args, &catalog),
        Some(Command::Puzzle(args)) => commands::puzzle::run(&args),
        Some(Command::Serve(args)) => commands::serve::run(*args, catalog),
        Some(Command::Admin(args)) => commands::admin::run(&args),
        Some(Command::Store(args)) => commands::store::run(&args, &catalog),
        Some(Command::Join(args)) => commands::join::run(&args, catalog),
        Some(Command::Player(args)) => commands::player::run(&args),
        Some(Command::Train(args)) => commands::train::run(&args, &catalog),
        Some(Command::Work(args)) => commands::work::run(&args, catalog),
        Some(Command::New(args)) => commands::new::run(&args),
        Some(Command::Completions(args)) => {
            let program = games::of_catalog(Args::command(), &catalog);
            commands::completions::run(&args, program)
        }
        Some(Command::Man(args)) => {
            let program = games::of_catalog(Args::command(), &catalog);
            commands::man::run(&args, games::with_help(program, &catalog))
        }
    }
}

/// The name under which the program was started.
pub(crate) fn program_name() -> String {
    let path = env::args_os().next().map(std::path::PathBuf::from);
    let name = path.as_deref().and_then(|path| path.file_stem()?.to_str());
    name.unwrap_or("open_ttt").to_owned()
}
