//! `open_ttt work`: games for those who learn elsewhere.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_catalog::CatalogGame;
use open_ttt_learn::workers::{
    BrokerOptions, ConnectError, Hands, Work, WorkError, WorkOptions, hands, work,
};
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{Encode, Named};

use super::count;
use crate::args;
use crate::failure::Failure;
use crate::interrupt;
use std::path::PathBuf;

/// Play games for those who let a computer teach itself elsewhere
///
/// A worker takes tasks from a NATS broker with JetStream, where train --workers
/// puts them, plays their games and gives them back. It works for one run after
/// the other until Ctrl-C ends it. It can come and go at any time.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    /// Where the broker is: nats://host:4222, or tls://..; with a name and password
    /// nats://name:password@host, with a token nats://token@host
    #[arg(env = "OPEN_TTT_WORKERS", hide_env_values = true)]
    pub(crate) url: String,
    /// What this worker is called; no two have the same name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How many tasks at a time, one for each processor if nothing is said
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
}

/// How the broker is spoken to by those who share the work.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct BrokerArgs {
    /// Which group of workers, where several share a broker [default: open_ttt_learn]
    #[arg(long, env = "OPEN_TTT_GROUP", value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// A file of credentials for the broker
    #[arg(long, env = "OPEN_TTT_NATS_CREDENTIALS", value_name = "FILE")]
    pub(crate) nats_credentials: Option<PathBuf>,
    /// A file of certificates that the broker is checked by
    #[arg(long, env = "OPEN_TTT_NATS_AUTHORITIES", value_name = "FILE")]
    pub(crate) nats_authorities: Option<PathBuf>,
}

pub(crate) fn run(args: &WorkArgs) -> Result<(), Failure> {
    let mut options = WorkOptions::new(broker(&args.url, &args.broker));
    if let Some(name) = &args.name {
        options.name.clone_from(name);
    }
    options.threads = super::threads(args.threads);
    let stop = interrupt::flag();
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed} so far]");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut speed = Speed::default();
    let worked = work(&options, Arc::new(find), &stop, |work| {
        let a_second = speed.of(work.games, Instant::now());
        bar.set_message(format!("{}: {}", options.name, line(work, a_second)));
    });
    bar.finish_and_clear();
    let worked = worked.map_err(failure)?;
    let games = u32::try_from(worked.games).unwrap_or(u32::MAX);
    let tasks = u32::try_from(worked.tasks).unwrap_or(u32::MAX);
    writeln!(
        io::stdout().lock(),
        "{} in {}",
        count(games, "game", "games"),
        count(tasks, "task", "tasks")
    )?;
    Ok(())
}

/// Where a broker is and how it is spoken to.
pub(super) fn broker(url: &str, args: &BrokerArgs) -> BrokerOptions {
    let mut options = BrokerOptions::new(url);
    if let Some(group) = &args.group {
        options.name.clone_from(group);
    }
    options.credentials.clone_from(&args.nats_credentials);
    options.authorities.clone_from(&args.nats_authorities);
    options
}

fn failure(error: WorkError) -> Failure {
    match error {
        WorkError::Connect(ConnectError::Options(_)) | WorkError::Name(_) => Failure::usage(error),
        _ => Failure::failed(error),
    }
}

/// The game with this name, if it can be learned.
fn find(name: &str) -> Option<Arc<dyn Hands>> {
    fn of<G: CatalogGame + Encode + Named>(game: &G, name: &str) -> Option<Arc<dyn Hands>> {
        (game.name() == name).then(|| hands(game.clone()))
    }
    let game = open_ttt_catalog::game(name).ok()?;
    macro_rules! any_of {
        ($($game:ty),*) => {
            $(if let Some(game) = game.downcast_ref::<$game>() {
                return of(game, name);
            })*
        };
    }
    any_of!(TicTacToe, Pegs, ConnectFour, Mnk, Qubic, Ultimate);
    None
}

/// What there is to say of a worker.
fn line(work: &Work, a_second: f64) -> String {
    let does = if work.at > 0 {
        format!("plays {} at a time", count(work.at as u32, "task", "tasks"))
    } else if work.has_run {
        "waits for tasks".to_owned()
    } else {
        "waits for a run of train --workers".to_owned()
    };
    format!("{} games, {a_second:.0} a second; {does}", work.games)
}

/// Games a second, of the last ten seconds.
#[derive(Debug, Default)]
struct Speed(VecDeque<(Instant, u64)>);

impl Speed {
    fn of(&mut self, games: u64, now: Instant) -> f64 {
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
    fn speed_is_that_of_the_last_seconds() {
        let mut speed = Speed::default();
        let begun = Instant::now();
        let mut check = |seconds, games, expected: f64| {
            let found = speed.of(games, begun + Duration::from_secs(seconds));
            assert!((found - expected).abs() < 1e-9, "{found}");
        };
        check(0, 0, 0.0);
        check(5, 100, 20.0);
        check(10, 100, 10.0);
        check(12, 100, 0.0);
        check(20, 300, 20.0);
    }

    #[test]
    fn games_are_known_by_their_names() {
        for name in [
            "ttt",
            "pegs",
            "connect4",
            "mnk(m=5,n=5,k=4)",
            "qubic",
            "ultimate",
        ] {
            assert!(find(name).is_some(), "{name}");
        }
        for name in ["chess", "", "mnk(m=9999,n=1,k=1)", "ttt "] {
            assert!(find(name).is_none(), "{name}");
        }
    }
}
