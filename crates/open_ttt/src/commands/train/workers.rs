use std::fmt::Write;

use open_ttt_learn::workers::{ConnectError, Coordinator, CoordinatorOptions};
use open_ttt_learn::{Metrics, RunEvent, WorkerNotice, training_share};

use super::TrainArgs;
use crate::commands::work::broker;
use crate::failure::Failure;

/// Connects to the broker in the arguments, if any.
pub(super) fn connect(args: &TrainArgs) -> Result<Option<Coordinator>, Failure> {
    let Some(url) = &args.workers else {
        return Ok(None);
    };
    let coordinator = Coordinator::connect(CoordinatorOptions::new(broker(url, &args.broker)));
    coordinator.map(Some).map_err(|error| match error {
        ConnectError::Options(_) => Failure::usage(error),
        _ => Failure::failed(error),
    })
}

/// The warnings about workers.
#[derive(Debug, Default)]
pub(super) struct WorkerLog(Vec<String>);

const MAX_WARNINGS: usize = 20;

impl WorkerLog {
    pub(super) fn record(&mut self, event: &RunEvent<'_>) {
        if let RunEvent::Worker(notice) = event
            && let Some(warning) = warning(notice)
            && self.0.len() < MAX_WARNINGS
        {
            self.0.push(warning);
        }
    }

    /// The lines about workers at the end of a run; empty for runs without.
    pub(super) fn summary(&self, history: &[Metrics]) -> String {
        let mut text = String::new();
        let stats = || history.iter().filter_map(|metrics| metrics.worker_stats);
        let games: u64 = stats().map(|stats| stats.games).sum();
        let verified: u64 = stats().map(|stats| stats.verified).sum();
        if games > 0 {
            let most = stats().map(|stats| stats.workers).max().unwrap_or(0);
            // Writing to a string can't fail.
            let _ = writeln!(
                text,
                "workers played {games} games, up to {most} workers at a time; {verified} games \
                 were verified"
            );
        } else if stats().next().is_some() {
            text += "no worker played a game\n";
        }
        for warning in &self.0 {
            let _ = writeln!(text, "{warning}");
        }
        if let Some(share) = recent_training_share(history).filter(|share| *share > 0.5) {
            let _ = writeln!(
                text,
                "training took {:.0} % of the time and runs on this machine alone; more workers \
                 won't help much",
                100.0 * share
            );
        }
        text
    }
}

/// The text of a notice, unless that is mere progress.
pub(super) fn warning(notice: &WorkerNotice) -> Option<String> {
    let is_progress = matches!(notice, WorkerNotice::Progress(_));
    (!is_progress).then(|| notice.to_string())
}

/// The mean share of training in the latest iterations with workers.
fn recent_training_share(history: &[Metrics]) -> Option<f64> {
    const LATEST: usize = 10;
    let shares = (0..history.len()).rev().filter_map(|index| {
        let metrics = &history[index];
        let previous = index.checked_sub(1).map(|index| &history[index]);
        metrics.worker_stats.filter(|stats| stats.games > 0)?;
        training_share(metrics, previous)
    });
    let shares: Vec<f64> = shares.take(LATEST).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

#[cfg(test)]
mod tests {
    use open_ttt_learn::{PhaseTimes, WorkerStats};

    use super::*;

    #[test]
    fn the_summary_tells_when_training_takes_longest() {
        let summary = |training, games: Option<u64>| {
            let history = [1, 2, 3].map(|iteration| {
                let seconds = f64::from(iteration);
                Metrics {
                    iteration,
                    times: PhaseTimes {
                        self_play: seconds * (1.0 - training),
                        training: seconds * training,
                        ..PhaseTimes::default()
                    },
                    worker_stats: games.map(|games| WorkerStats {
                        workers: 2,
                        games,
                        verified: 16,
                        banned: 0,
                    }),
                    ..Metrics::default()
                }
            });
            WorkerLog::default().summary(&history)
        };
        assert_eq!(
            summary(0.75, Some(64)),
            "workers played 192 games, up to 2 workers at a time; 48 games were verified\n\
             training took 75 % of the time and runs on this machine alone; more workers won't \
             help much\n"
        );
        assert!(!summary(0.25, Some(64)).contains("more workers"));
        assert_eq!(summary(0.75, Some(0)), "no worker played a game\n");
        assert_eq!(summary(0.75, None), "");
    }

    #[test]
    fn the_summary_repeats_warnings() {
        let mut log = WorkerLog::default();
        let progress = WorkerNotice::Progress(WorkerStats::default());
        log.record(&RunEvent::Worker(&progress));
        log.record(&RunEvent::Worker(&WorkerNotice::InvalidResult {
            worker: "bob".to_owned(),
            cause: "its games are wrong".to_owned(),
            unverified: 3,
        }));
        let warning = "worker \"bob\" is banned: its games are wrong; replaying its games, but \
                       earlier iterations trained on 3 unverified ones\n";
        assert_eq!(log.summary(&[]), warning);
    }
}
