//! The command line of the load generator.

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use load::crash::{Crash, Scratch};
use load::measure::Measure;
use load::{Served, idle};
use open_ttt_net::client::ServerAddress;
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

/// Play many matches at once on a match server: measure it, hold idle
/// connections, or kill it over and over
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
    /// The program that serves; the one beside this one if nothing is said
    #[arg(long, global = true, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Measure(MeasureArgs),
    Idle(IdleArgs),
    Crash(CrashArgs),
}

/// Which server is looked at.
#[derive(Debug, clap::Args)]
struct Where {
    /// A server that runs, without limits for an address; one of its own with a
    /// store in a temporary folder if nothing is said
    #[arg(long, value_name = "URL")]
    url: Option<ServerAddress>,
    /// Its process, if it is on this machine
    #[arg(long, value_name = "PID", requires = "url")]
    pid: Option<u32>,
    /// The store of its own server: a file, or memory
    #[arg(long, value_name = "STORE", conflicts_with = "url")]
    store: Option<String>,
}

/// Measure moves a second, latencies, and moves for each CPU second of the
/// server
#[derive(Debug, clap::Args)]
struct MeasureArgs {
    #[command(flatten)]
    server: Where,
    /// How many matches at a time
    #[arg(long, value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tables: u32,
    /// The game
    #[arg(long, value_name = "KEY", default_value = "ttt")]
    game: String,
    /// For how many seconds
    #[arg(long, value_name = "S", default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
    /// For how many seconds before that
    #[arg(long, value_name = "S", default_value_t = 2,
        value_parser = clap::value_parser!(u64).range(0..=3_600))]
    warm_up: u64,
    /// How many moves a second, on all tables; as many as can be if nothing is
    /// said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// What makes the moves reproducible
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// See what connections cost that do nothing
#[derive(Debug, clap::Args)]
struct IdleArgs {
    #[command(flatten)]
    server: Where,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    connections: u32,
    /// For how many seconds
    #[arg(long, value_name = "S", default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
}

/// Kill a server with SIGKILL over and over while clients play, and look
/// whether anything is lost; the exit status is 1 if it is
#[derive(Debug, clap::Args)]
struct CrashArgs {
    /// How often
    #[arg(long, value_name = "N", default_value_t = 100)]
    kills: u32,
    /// How many matches at a time
    #[arg(long, value_name = "N", default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    tables: u32,
    /// The game
    #[arg(long, value_name = "KEY", default_value = "ttt")]
    game: String,
    /// How long the server lives at least, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    shortest: u32,
    /// How long the server lives at most, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1_500)]
    longest: u32,
    /// What makes moves and lives reproducible, as far as processes are
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(status) => status,
        Err(message) => {
            // Where that fails there is nobody left to tell.
            let _ = writeln!(io::stderr(), "load: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, String> {
    // One thread: what the generator takes, the server cannot have.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    match &args.command {
        Command::Measure(measure) => run_measure(args, measure, &runtime),
        Command::Idle(idle) => run_idle(args, idle, &runtime),
        Command::Crash(crash) => run_crash(args, crash, &runtime),
    }
}

fn run_measure(args: &Args, wanted: &MeasureArgs, runtime: &Runtime) -> Result<ExitCode, String> {
    let measure = Measure {
        tables: wanted.tables,
        game: wanted.game.clone(),
        time: Duration::from_secs(wanted.seconds),
        warm_up: Duration::from_secs(wanted.warm_up),
        rate: wanted.rate,
        seed: wanted.seed,
    };
    let found = find(args, &wanted.server)?;
    let report = runtime.block_on(measure.run(&found.server, found.process))?;
    print(args, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn run_idle(args: &Args, wanted: &IdleArgs, runtime: &Runtime) -> Result<ExitCode, String> {
    let found = find(args, &wanted.server)?;
    let process = found.process.ok_or("--url wants --pid")?;
    let time = Duration::from_secs(wanted.seconds);
    let report = runtime.block_on(idle::idle(&found.server, process, wanted.connections, time))?;
    print(args, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn run_crash(args: &Args, wanted: &CrashArgs, runtime: &Runtime) -> Result<ExitCode, String> {
    let scratch = Scratch::new()?;
    let crash = Crash {
        program: program(args)?,
        store: scratch.store(),
        tables: wanted.tables,
        game: wanted.game.clone(),
        kills: wanted.kills,
        lives_ms: wanted.shortest..wanted.longest.max(wanted.shortest + 1),
        seed: wanted.seed,
    };
    let report = runtime.block_on(crash.run())?;
    print(args, &report)?;
    Ok(if report.is_whole() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A server, and what ends with it.
struct Found {
    server: ServerAddress,
    process: Option<u32>,
    _served: Option<(Served, Scratch)>,
}

fn find(args: &Args, place: &Where) -> Result<Found, String> {
    if let Some(server) = &place.url {
        return Ok(Found {
            server: server.clone(),
            process: place.pid,
            _served: None,
        });
    }
    let scratch = Scratch::new()?;
    let store = match &place.store {
        Some(store) => store.clone(),
        None => scratch.store().display().to_string(),
    };
    let served = Served::start(&program(args)?, &store)?;
    Ok(Found {
        server: served.server().clone(),
        process: Some(served.id()),
        _served: Some((served, scratch)),
    })
}

fn program(args: &Args) -> Result<PathBuf, String> {
    if let Some(program) = &args.program {
        return Ok(program.clone());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let beside = own.with_file_name(format!("open_ttt{}", std::env::consts::EXE_SUFFIX));
    if beside.exists() {
        Ok(beside)
    } else {
        Err("the program open_ttt is not beside this one; --program says where it is".to_owned())
    }
}

/// Prints a report; a reader that has gone away is nothing to complain about.
fn print<R: Serialize + std::fmt::Display>(args: &Args, report: &R) -> Result<(), String> {
    let text = if args.json {
        serde_json::to_string(report).map_err(|error| error.to_string())?
    } else {
        report.to_string()
    };
    let mut output = io::stdout().lock();
    let written = writeln!(output, "{text}").and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("the report cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}
