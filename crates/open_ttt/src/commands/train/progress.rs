use core::fmt::Write;
use std::io::{self, Write as _};

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_learn::{Event, LinesLost, Marks, Metrics, Parts, Phase, Proof};

use super::team::remark;

/// One line that tells how far a run has come.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(iterations: u32, done: u32) -> Self {
        let bar = ProgressBar::new(iterations.into()).with_position(done.into());
        let style = ProgressStyle::with_template(
            "{bar:20} {pos}/{len} {prefix}{msg} [{elapsed} so far, {eta} left]",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.reset_eta();
        bar.enable_steady_tick(core::time::Duration::from_millis(200));
        Self(bar)
    }

    pub(super) fn tell(&self, event: &Event<'_>) {
        match event {
            Event::Phase(phase) => self.0.set_prefix(match phase {
                Phase::Playing => "plays   ",
                Phase::Learning => "learns  ",
                Phase::Measuring => "measures",
            }),
            Event::Iteration(metrics) => {
                if let Some(last) = metrics.last() {
                    self.0.set_position(last.iteration.into());
                    self.0.set_message(line(metrics, last));
                }
            }
            Event::Notice(notice) => {
                if let Some(remark) = remark(notice) {
                    // Above the line, or where there is none.
                    self.0.suspend(|| {
                        let _ = writeln!(io::stderr(), "{remark}");
                    });
                }
            }
            _ => {}
        }
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// What there is to say of the latest iteration.
fn line(metrics: &[Metrics], last: &Metrics) -> String {
    let mut line = format!(" {} games", last.games);
    let before = metrics.len().checked_sub(2).map(|index| &metrics[index]);
    let (games, parts) =
        before.map_or((0, Parts::default()), |before| (before.games, before.parts));
    let learning = last.parts.learning - parts.learning;
    let busy = last.parts.playing - parts.playing + learning;
    if busy > 0.0 {
        let a_second = (last.games - games) as f64 / busy;
        let learner = 100.0 * learning / busy;
        let _ = write!(
            line,
            ", {a_second:.0} a second, {learner:.0} % of it learning"
        );
    }
    if let Some(help) = last.help {
        let _ = write!(line, ", {} workers", help.workers);
    }
    if let Some(losses) = last.losses {
        let _ = write!(line, ", loss {:.3} + {:.3}", losses.policy, losses.value);
    }
    let proof = metrics
        .iter()
        .rev()
        .find_map(|metrics| metrics.proof.as_ref());
    let lines = proof.and_then(|proof| proof.policy_lines);
    if let Some(LinesLost { lines, lost }) = lines {
        let _ = write!(line, ", lost {lost} of {lines} lines");
    } else if let Some(share) = proof.and_then(|proof| proof.searching?.critical_share()) {
        let _ = write!(line, ", {:.0} % right", 100.0 * share);
    }
    line
}

/// What shows that something was learned, in some lines.
pub(super) fn proof(proof: &Proof) -> String {
    let mut text = String::new();
    let with = format!("with {} simulations", proof.simulations);
    for one in &proof.strength {
        let _ = write!(
            text,
            "{with} against {}: won {}, drawn {}, lost {}",
            one.opponent, one.wins, one.draws, one.losses
        );
        if let Some([elo, low, high]) = one.elo {
            let _ = write!(text, "; Elo {elo:+.0} ({low:+.0} to {high:+.0})");
        }
        text.push('\n');
    }
    let marks = [
        ("the policy alone", proof.policy),
        (&*with, proof.searching),
    ];
    for (who, marks) in marks {
        let shares = |marks: Marks| Some((marks, marks.share()?));
        if let Some((marks, share)) = marks.and_then(shares) {
            let _ = write!(
                text,
                "{who}: {:.1} % best moves of {}",
                100.0 * share,
                marks.all
            );
            if let Some(critical) = marks.critical_share() {
                let _ = write!(
                    text,
                    ", {:.1} % of {} critical",
                    100.0 * critical,
                    marks.critical
                );
            }
            text.push('\n');
        }
    }
    let lines = [
        ("the policy alone", proof.policy_lines),
        (&*with, proof.searching_lines),
    ];
    for (who, lines) in lines {
        if let Some(LinesLost { lines, lost }) = lines {
            let _ = writeln!(text, "{who}: lost {lost} of all {lines} lines of play");
        }
    }
    text
}
