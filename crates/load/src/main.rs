//! The command line of the load generator.

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use load::crash::{Crash, TemporaryStore};
use load::measure::Measure;
use load::{ServerProcess, idle};
use open_ttt_net::client::ServerAddress;
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

/// Load generator for the match server: measure throughput, hold idle connections,
/// or kill the server repeatedly
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
    /// The server program [default: the one in the folder of this program]
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

/// The server under test.
#[derive(Debug, clap::Args)]
struct ServerArgs {
    /// A running server without rate limits [default: a new server with a temporary
    /// store]
    #[arg(long, value_name = "URL")]
    url: Option<ServerAddress>,
    /// The server's process id, if it runs on this machine
    #[arg(long, value_name = "PID", requires = "url")]
    pid: Option<u32>,
    /// The store of the new server: a file, or memory
    #[arg(long, value_name = "STORE", conflicts_with = "url")]
    store: Option<String>,
}

/// Measure moves per second, latencies, and moves per CPU second of the server
#[derive(Debug, clap::Args)]
struct MeasureArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// The number of concurrent matches
    #[arg(long, value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tables: u32,
    /// The game
    #[arg(long, value_name = "KEY", default_value = "ttt")]
    game: String,
    /// The duration in seconds
    #[arg(long, value_name = "S", default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
    /// The duration of the warm-up in seconds
    #[arg(long, value_name = "S", default_value_t = 2,
        value_parser = clap::value_parser!(u64).range(0..=3_600))]
    warm_up: u64,
    /// The total rate in moves per second [default: unlimited]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// The seed of the random moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Measure the cost of idle connections
#[derive(Debug, clap::Args)]
struct IdleArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// The number of connections
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    connections: u32,
    /// The duration in seconds
    #[arg(long, value_name = "S", default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
}

/// Kill a server repeatedly with SIGKILL while clients play; exit status 1 if a change
/// is lost
#[derive(Debug, clap::Args)]
struct CrashArgs {
    /// The number of kills
    #[arg(long, value_name = "N", default_value_t = 100)]
    kills: u32,
    /// The number of concurrent matches
    #[arg(long, value_name = "N", default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    tables: u32,
    /// The game
    #[arg(long, value_name = "KEY", default_value = "ttt")]
    game: String,
    /// The shortest time between start and kill, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    shortest: u32,
    /// The longest time between start and kill, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1_500)]
    longest: u32,
    /// The seed of the random moves and times
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(status) => status,
        Err(message) => {
            // A failure to write to standard error cannot be reported.
            let _ = writeln!(io::stderr(), "load: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, String> {
    // A single thread leaves the other cores to the server.
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
    let target = find(args, &wanted.server)?;
    let report = runtime.block_on(measure.run(&target.server, target.process))?;
    print(args, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn run_idle(args: &Args, wanted: &IdleArgs, runtime: &Runtime) -> Result<ExitCode, String> {
    let target = find(args, &wanted.server)?;
    let process = target.process.ok_or("--url needs --pid")?;
    let time = Duration::from_secs(wanted.seconds);
    let report = runtime.block_on(idle::idle(
        &target.server,
        process,
        wanted.connections,
        time,
    ))?;
    print(args, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn run_crash(args: &Args, wanted: &CrashArgs, runtime: &Runtime) -> Result<ExitCode, String> {
    let temporary = TemporaryStore::new()?;
    let crash = Crash {
        program: program(args)?,
        store: temporary.path(),
        tables: wanted.tables,
        game: wanted.game.clone(),
        kills: wanted.kills,
        lives_ms: wanted.shortest..wanted.longest.max(wanted.shortest + 1),
        seed: wanted.seed,
    };
    let report = runtime.block_on(crash.run())?;
    print(args, &report)?;
    Ok(if report.is_sound() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The server under test; dropping it stops a server that was started here.
struct Target {
    server: ServerAddress,
    process: Option<u32>,
    _owned: Option<(ServerProcess, TemporaryStore)>,
}

fn find(args: &Args, wanted: &ServerArgs) -> Result<Target, String> {
    if let Some(server) = &wanted.url {
        return Ok(Target {
            server: server.clone(),
            process: wanted.pid,
            _owned: None,
        });
    }
    let temporary = TemporaryStore::new()?;
    let store = match &wanted.store {
        Some(store) => store.clone(),
        None => temporary.path().display().to_string(),
    };
    let served = ServerProcess::start(&program(args)?, &store)?;
    Ok(Target {
        server: served.server().clone(),
        process: Some(served.id()),
        _owned: Some((served, temporary)),
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
        Err("open_ttt is not in the folder of this program; set its path with --program".to_owned())
    }
}

/// Prints a report. A closed pipe is not an error.
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
            Err(format!("cannot write the report: {error}"))
        }
        _ => Ok(()),
    }
}
