use core::fmt::Write;
use std::io::{self, Write as _};
use std::iter;

use indicatif::ProgressBar;
use open_ttt_learn::{
    Evaluation, LinesLost, Metrics, RunEvent, RunPhase, SelfPlaySpeed, training_share,
};

use super::workers::warning;
use crate::commands::progress_style;

/// One line with the progress of a run.
pub(super) fn progress_line(iterations: u32, done: u32) -> ProgressBar {
    let bar = ProgressBar::new(iterations.into()).with_position(done.into());
    bar.set_style(progress_style(
        "{bar:20} {pos}/{len} {prefix}{msg} [{elapsed} so far, {eta} left]",
    ));
    bar.reset_eta();
    bar.enable_steady_tick(core::time::Duration::from_millis(200));
    bar
}

pub(super) fn update(bar: &ProgressBar, event: &RunEvent<'_>) {
    match event {
        RunEvent::Phase(phase) => bar.set_prefix(match phase {
            RunPhase::SelfPlay => "self-play ",
            RunPhase::Training => "training  ",
            RunPhase::Evaluation => "evaluation",
        }),
        RunEvent::Iteration([before @ .., last]) => {
            bar.set_position(last.iteration.into());
            bar.set_message(line(before, last));
        }
        RunEvent::Worker(notice) => {
            if let Some(warning) = warning(notice) {
                bar.suspend(|| {
                    let _ = writeln!(io::stderr(), "{warning}");
                });
            }
        }
        _ => {}
    }
}

/// The key figures of the latest iteration.
fn line(before: &[Metrics], last: &Metrics) -> String {
    let mut line = format!(" {} games", last.games);
    let previous = before.last();
    if let Some(speed) = SelfPlaySpeed::of(last, previous)
        && let Some(training) = training_share(last, previous)
    {
        let (games, percent) = (speed.games * (1.0 - training), 100.0 * training);
        let _ = write!(line, ", {games:.0} games/s, {percent:.0} % training");
    }
    if let Some(stats) = last.worker_stats {
        let _ = write!(line, ", {} workers", stats.workers);
    }
    if let Some(losses) = last.losses {
        let _ = write!(line, ", loss {:.3} + {:.3}", losses.policy, losses.value);
    }
    let mut latest = iter::once(last).chain(before.iter().rev());
    let evaluation = latest.find_map(|metrics| metrics.evaluation.as_ref());
    let lines = evaluation.and_then(|evaluation| evaluation.policy_lines);
    let accuracy = evaluation.and_then(|evaluation| evaluation.search?.critical_share());
    if let Some(LinesLost { lines, lost }) = lines {
        let _ = write!(line, ", lost {lost} of {lines} lines");
    } else if let Some(share) = accuracy {
        let _ = write!(line, ", {:.0} % best moves", 100.0 * share);
    }
    line
}

/// An evaluation in some lines.
pub(super) fn evaluation_text(evaluation: &Evaluation) -> String {
    let mut text = String::new();
    let search = format!("{} simulations", evaluation.simulations);
    for result in &evaluation.baselines {
        let (wins, draws, losses) = (result.wins, result.draws, result.losses);
        let _ = write!(text, "{search} vs {}: ", result.opponent);
        let _ = write!(text, "won {wins}, drawn {draws}, lost {losses}");
        if let Some([elo, low, high]) = result.elo {
            let _ = write!(text, "; Elo {elo:+.0} ({low:+.0} to {high:+.0})");
        }
        text.push('\n');
    }
    for (player, accuracy) in [
        ("policy alone", evaluation.policy),
        (&*search, evaluation.search),
    ] {
        if let Some(accuracy) = accuracy
            && let Some(share) = accuracy.share()
        {
            let (percent, total) = (100.0 * share, accuracy.total);
            let best = format!("{percent:.1} % best moves in {total} positions");
            let _ = write!(text, "{player}: {best}");
            if let Some(share) = accuracy.critical_share() {
                let (percent, total) = (100.0 * share, accuracy.critical_total);
                let _ = write!(text, ", {percent:.1} % in {total} critical ones");
            }
            text.push('\n');
        }
    }
    for (player, lines) in [
        ("policy alone", evaluation.policy_lines),
        (&*search, evaluation.search_lines),
    ] {
        if let Some(LinesLost { lines, lost }) = lines {
            let _ = writeln!(text, "{player}: lost {lost} of {lines} lines of play");
        }
    }
    text
}
