use std::fmt::Write;

use open_ttt_learn::workers::{ConnectError, Team, TeamOptions};
use open_ttt_learn::{Event, Metrics, Notice, learning_share};

use super::TrainArgs;
use crate::commands::work::broker;
use crate::failure::Failure;

/// The workers that were asked for.
pub(super) fn connect(args: &TrainArgs) -> Result<Option<Team>, Failure> {
    let Some(url) = &args.workers else {
        return Ok(None);
    };
    let team = Team::connect(TeamOptions::new(broker(url, &args.broker)));
    team.map(Some).map_err(|error| match error {
        ConnectError::Options(_) => Failure::usage(error),
        _ => Failure::failed(error),
    })
}

/// What was said of workers that are to be remembered at the end.
#[derive(Debug, Default)]
pub(super) struct Remarks(Vec<String>);

/// More of them nobody reads.
const MOST: usize = 20;

impl Remarks {
    pub(super) fn hear(&mut self, event: &Event<'_>) {
        if let Event::Notice(notice) = event
            && let Some(remark) = remark(notice)
            && self.0.len() < MOST
        {
            self.0.push(remark);
        }
    }

    /// What is to be said in the end, in lines; nothing without workers.
    pub(super) fn summary(&self, history: &[Metrics]) -> String {
        let mut text = String::new();
        let helped = history.iter().filter_map(|metrics| metrics.help);
        let (mut games, mut checked, mut most) = (0, 0, 0);
        for help in helped {
            games += help.games;
            checked += help.checked;
            most = most.max(help.workers);
        }
        // A text takes whatever is written to it.
        if games > 0 {
            let _ = writeln!(
                text,
                "workers gave {games} games, up to {most} of them at a time; {checked} games were \
                 played again and were right"
            );
        } else if history.iter().any(|metrics| metrics.help.is_some()) {
            text += "no worker gave a game\n";
        }
        for remark in &self.0 {
            let _ = writeln!(text, "{remark}");
        }
        if let Some(share) = busy(history).filter(|share| *share > 0.5) {
            let _ = writeln!(
                text,
                "learning, which is done here alone, took {:.0} % of the time: more workers would \
                 help little",
                100.0 * share
            );
        }
        text
    }
}

/// What is to be told of at once and remembered; how it gets on is neither.
pub(super) fn remark(notice: &Notice) -> Option<String> {
    match notice {
        Notice::Help(_) => None,
        notice => Some(notice.to_string()),
    }
}

/// How much of the time was learning, in the latest of the iterations that workers
/// had a part in.
fn busy(history: &[Metrics]) -> Option<f64> {
    const LATEST: usize = 10;
    let shares = (0..history.len()).rev().filter_map(|index| {
        let (metrics, before) = (&history[index], index.checked_sub(1).map(|i| &history[i]));
        metrics.help.filter(|help| help.games > 0)?;
        learning_share(metrics, before)
    });
    let shares: Vec<f64> = shares.take(LATEST).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

#[cfg(test)]
mod tests {
    use open_ttt_learn::{Help, Parts, Results};

    use super::*;

    fn line(iteration: u32, learning: f64, help: Option<Help>) -> Metrics {
        let number = f64::from(iteration);
        Metrics {
            iteration,
            iterations: 30,
            games: 100 * u64::from(iteration),
            positions: 700,
            plies: 8.0,
            results: Results::default(),
            steps: 0,
            losses: None,
            seconds: number,
            parts: Parts {
                playing: number * (1.0 - learning),
                learning: number * learning,
                measuring: 0.0,
            },
            weights: String::new(),
            help,
            proof: None,
        }
    }

    const fn helped(games: u64) -> Help {
        Help {
            workers: 2,
            games,
            checked: 16,
            liars: 0,
        }
    }

    #[test]
    fn where_learning_takes_longest_more_workers_do_not_help() {
        let says = |learning, help| {
            let history = [1, 2, 3].map(|iteration| line(iteration, learning, help));
            Remarks::default().summary(&history)
        };
        let busy = says(0.75, Some(helped(64)));
        assert_eq!(
            busy,
            "workers gave 192 games, up to 2 of them at a time; 48 games were played again and \
             were right\nlearning, which is done here alone, took 75 % of the time: more workers \
             would help little\n"
        );
        assert!(!says(0.25, Some(helped(64))).contains("more workers"));
        assert_eq!(says(0.75, Some(helped(0))), "no worker gave a game\n");
        assert_eq!(says(0.75, None), "");
    }

    #[test]
    fn what_was_said_is_said_again() {
        let mut remarks = Remarks::default();
        remarks.hear(&Event::Notice(&Notice::Help(Help::default())));
        remarks.hear(&Event::Notice(&Notice::Liar {
            worker: "bob".to_owned(),
            cause: "he lies".to_owned(),
            unchecked: 3,
        }));
        let said = "worker \"bob\" is refused: he lies; its games are played again, but 3 of \
                    earlier iterations have been learned from unchecked\n";
        assert_eq!(remarks.summary(&[]), said);
    }
}
