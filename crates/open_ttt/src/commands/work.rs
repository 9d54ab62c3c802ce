//! `open_ttt work`: plays self-play games for runs on other machines.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use open_ttt_catalog::Catalog;
use open_ttt_learn::GameRunner;
use open_ttt_learn::workers::{
    BrokerOptions, ConnectError, WorkerError, WorkerOptions, WorkerStatus, run_worker,
};
use open_ttt_lib::rules::Named as _;

use super::self_play::own_runner;
use super::{count, progress_style};
use crate::args;
use crate::failure::Failure;
use crate::interrupt;

/// Play self-play games for training runs on other machines
///
/// A worker takes tasks that train --workers publishes at a NATS server with JetStream,
/// plays their games and returns them. It serves one run after the other until Ctrl-C,
/// and may come and go at any time.
#[expect(clippy::doc_markdown, reason = "doc comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    /// The NATS server: nats://host:4222 or tls://host:4222; with credentials
    /// nats://name:password@host or nats://token@host
    #[arg(env = "OPEN_TTT_WORKERS", hide_env_values = true)]
    pub(crate) url: String,
    /// The unique name of this worker [default: random]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How many tasks to run at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
}

/// The options of a NATS server.
#[expect(clippy::doc_markdown, reason = "doc comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct BrokerArgs {
    /// The group of workers, if several share a server [default: open_ttt_learn]
    #[arg(long, env = "OPEN_TTT_GROUP", value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// A credentials file for the server
    #[arg(long, env = "OPEN_TTT_NATS_CREDENTIALS", value_name = "FILE")]
    pub(crate) nats_credentials: Option<PathBuf>,
    /// A file of root certificates for the server
    #[arg(long, env = "OPEN_TTT_NATS_AUTHORITIES", value_name = "FILE")]
    pub(crate) nats_authorities: Option<PathBuf>,
}

pub(crate) fn run(args: &WorkArgs, catalog: Catalog) -> Result<(), Failure> {
    let mut options = WorkerOptions::new(broker(&args.url, &args.broker));
    if let Some(name) = &args.name {
        options.name.clone_from(name);
    }
    options.threads = super::threads(args.threads);
    let stop = interrupt::flag();
    let bar = ProgressBar::new_spinner();
    bar.set_style(progress_style("{spinner} {msg} [{elapsed} so far]"));
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut speed = Throughput::default();
    let find = move |name: &str| find_runner(&catalog, name);
    let status = run_worker(&options, Arc::new(find), &stop, |status| {
        let speed = speed.update(status.games, Instant::now());
        bar.set_message(format!("{}: {}", options.name, line(status, speed)));
    });
    bar.finish_and_clear();
    let status = status.map_err(failure)?;
    let games = u32::try_from(status.games).unwrap_or(u32::MAX);
    let tasks = u32::try_from(status.tasks).unwrap_or(u32::MAX);
    writeln!(
        io::stdout().lock(),
        "{} in {}",
        count(games, "game", "games"),
        count(tasks, "task", "tasks")
    )?;
    Ok(())
}

/// The broker in the arguments.
pub(super) fn broker(url: &str, args: &BrokerArgs) -> BrokerOptions {
    let mut options = BrokerOptions::new(url);
    if let Some(group) = &args.group {
        options.name.clone_from(group);
    }
    options.credentials.clone_from(&args.nats_credentials);
    options.authorities.clone_from(&args.nats_authorities);
    options
}

fn failure(error: WorkerError) -> Failure {
    match error {
        WorkerError::Connect(ConnectError::Options(_)) | WorkerError::Name(_) => {
            Failure::usage(error)
        }
        _ => Failure::failed(error),
    }
}

/// The runner of the game with exactly this name.
fn find_runner(catalog: &Catalog, name: &str) -> Option<Arc<dyn GameRunner>> {
    let game = catalog.game(name).ok().filter(|game| game.name() == name)?;
    Some(own_runner(&game))
}

/// The status in a line.
fn line(status: &WorkerStatus, games_per_second: f64) -> String {
    let activity = if status.running > 0 {
        let running = u32::try_from(status.running).unwrap_or(u32::MAX);
        format!("{} running", count(running, "task", "tasks"))
    } else if status.has_run {
        "waiting for tasks".to_owned()
    } else {
        "waiting for a run of train --workers".to_owned()
    };
    format!(
        "{} games, {games_per_second:.0} games/s; {activity}",
        status.games
    )
}

/// Games per second, over the last ten seconds.
#[derive(Debug, Default)]
struct Throughput(VecDeque<(Instant, u64)>);

impl Throughput {
    fn update(&mut self, games: u64, now: Instant) -> f64 {
        const SPAN: Duration = Duration::from_secs(10);
        self.0.push_back((now, games));
        while self.0.len() > 2 && now - self.0[0].0 > SPAN {
            self.0.pop_front();
        }
        let (since, before) = self.0[0];
        let seconds = (now - since).as_secs_f64();
        if seconds > 0.0 {
            (games - before) as f64 / seconds
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_over_the_last_ten_seconds() {
        let mut speed = Throughput::default();
        let begun = Instant::now();
        let mut check = |seconds, games, expected: f64| {
            let found = speed.update(games, begun + Duration::from_secs(seconds));
            assert!((found - expected).abs() < 1e-9, "{found}");
        };
        check(0, 0, 0.0);
        check(5, 100, 20.0);
        check(10, 100, 10.0);
        check(12, 100, 0.0);
        check(20, 300, 20.0);
    }

    #[test]
    fn runners_are_found_by_the_games_names() {
        let find_runner = |name| find_runner(&Catalog::bundled(), name);
        for name in [
            "ttt",
            "pegs",
            "connect4",
            "mnk(m=5,n=5,k=4)",
            "qubic",
            "ultimate",
            "reversi(size=6)",
            "dots(m=3,n=3)",
            "hex(size=7,swap=1)",
        ] {
            assert!(find_runner(name).is_some(), "{name}");
        }
        for name in ["chess", "", "mnk(m=9999,n=1,k=1)", "ttt "] {
            assert!(find_runner(name).is_none(), "{name}");
        }
    }
}
