//! The command line of the load generator.

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use load::attack::Attacks;
use load::crash::{Crash, TemporaryStore};
use load::measure::Measure;
use load::{Limits, ServerProcess, idle};
use open_ttt_net::client::ServerAddress;
use serde::Serialize;
use tokio::runtime::Builder;

/// Load generator for the match server: measure throughput, hold idle connections,
/// attack the server, or kill it repeatedly
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
    /// Measure moves per second, latencies, and moves per CPU second of the server
    Measure {
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        measure: Measure,
    },
    /// Measure the cost of idle connections
    Idle {
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
    },
    /// Attack a server while honest players play; exit status 1 if they notice
    ///
    /// A server that runs already may be behind a proxy that it trusts.
    /// Addresses of 127.0.0.0/8 attack and play.
    Attack {
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        attacks: Attacks,
    },
    /// Kill a server repeatedly with SIGKILL while clients play; exit status 1 if a change
    /// is lost
    Crash(Crash),
}

/// The server under test.
#[derive(Debug, clap::Args)]
struct ServerArgs {
    /// A running server, without rate limits unless it is attacked [default: a new server
    /// with a temporary store]
    #[arg(long, value_name = "URL")]
    url: Option<ServerAddress>,
    /// The server's process id, if it runs on this machine
    #[arg(long, value_name = "PID", requires = "url")]
    pid: Option<u32>,
    /// The store of the new server: a file, or memory
    #[arg(long, value_name = "STORE", conflicts_with = "url")]
    store: Option<String>,
}

/// The memory of the server's process is part of the report.
const URL_NEEDS_PID: &str = "--url needs --pid";

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
        Command::Measure { server, measure } => {
            let target = find(args, server, Limits::High)?;
            let measuring = measure.run(&target.server, target.process);
            print(args, &runtime.block_on(measuring)?)?;
        }
        Command::Idle {
            server,
            connections,
            seconds,
        } => {
            let target = find(args, server, Limits::High)?;
            let process = target.process.ok_or(URL_NEEDS_PID)?;
            let time = Duration::from_secs(*seconds);
            let idling = idle::idle(&target.server, process, *connections, time);
            print(args, &runtime.block_on(idling)?)?;
        }
        Command::Attack { server, attacks } => {
            let target = find(args, server, Limits::Default)?;
            let process = target.process.ok_or(URL_NEEDS_PID)?;
            let report = runtime.block_on(attacks.run(&target.server, process))?;
            print(args, &report)?;
            if !report.is_sound() {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Crash(crash) => {
            let temporary = TemporaryStore::new()?;
            let program = program(args)?;
            let report = runtime.block_on(crash.run(&program, &temporary.path()))?;
            print(args, &report)?;
            if !report.is_sound() {
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The server under test; dropping it stops a server that was started here.
struct Target {
    server: ServerAddress,
    process: Option<u32>,
    _owned: Option<(ServerProcess, TemporaryStore)>,
}

fn find(args: &Args, wanted: &ServerArgs, limits: Limits) -> Result<Target, String> {
    if let Some(server) = &wanted.url {
        return Ok(Target {
            server: server.clone(),
            process: wanted.pid,
            _owned: None,
        });
    }
    let temporary = TemporaryStore::new()?;
    let store = wanted.store.clone();
    let store = store.unwrap_or_else(|| temporary.path().display().to_string());
    let served = ServerProcess::start_with(&program(args)?, &store, limits)?;
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
