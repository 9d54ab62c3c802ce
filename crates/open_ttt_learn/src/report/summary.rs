//! The key figures of a run.

use core::fmt;

use super::charts::{elo_text, lines_text};
use super::format::{Text, count, percent, time, write_table};
use super::plot::Kind;
use crate::{Accuracy, Evaluation, Metrics};

pub(super) fn write(f: &mut fmt::Formatter<'_>, metrics: &[&Metrics]) -> fmt::Result {
    let Some(last) = metrics.last() else {
        return f.write_str(
            "<section>\n<p class=\"note\">No iteration is complete yet.</p>\n</section>\n",
        );
    };
    let positions = metrics.iter().map(|metrics| metrics.positions);
    let positions = positions.fold(0, u64::saturating_add);
    let iterations = [last.iteration, last.iterations].map(|number| count(number.into()));
    let hash = format!("<code>{}</code>", Text(&last.weights_hash));
    f.write_str("<section>\n<dl class=\"figures\">\n")?;
    for (name, value) in [
        ("Iterations", iterations.join(" of ")),
        ("Games", count(last.games)),
        ("Positions", count(positions)),
        ("Training steps", count(last.steps)),
        ("Time", time(last.seconds)),
        ("Weights hash", hash),
    ] {
        writeln!(f, "<div><dt>{name}</dt><dd>{value}</dd></div>")?;
    }
    f.write_str("</dl>\n")?;
    write_times(f, last)?;
    let evaluation = metrics
        .iter()
        .rev()
        .find_map(|metrics| Some((metrics, metrics.evaluation.as_ref()?)));
    match evaluation {
        Some((metrics, evaluation)) => write_evaluation(f, metrics.iteration, evaluation)?,
        None => f.write_str("<p class=\"note\">Not evaluated yet.</p>\n")?,
    }
    f.write_str("</section>\n")
}

/// The time of each phase, as a stacked bar.
fn write_times(f: &mut fmt::Formatter<'_>, last: &Metrics) -> fmt::Result {
    let phases = [
        ("self-play", last.times.self_play),
        ("training", last.times.training),
        ("evaluation", last.times.evaluation),
    ];
    let known: f64 = phases.iter().map(|(_, seconds)| seconds).sum();
    let times = phases.iter().map(|&(_, seconds)| seconds);
    let mut times = times.chain([last.seconds, known]);
    if !times.all(|seconds| seconds.is_finite() && seconds >= 0.0) || known == 0.0 {
        return Ok(());
    }
    let all = known.max(last.seconds);
    let phases: Vec<_> = (phases.into_iter().chain([("other", all - known)]))
        .filter(|(_, seconds)| seconds / all >= 0.0005)
        .collect();
    let share = |(name, seconds): &(_, f64)| format!("{name} {}", percent(seconds / all));
    let shares: Vec<_> = phases.iter().map(share).collect();
    write!(
        f,
        "<div class=\"parts\">\n<h3>Time by phase</h3>\n\
         <svg viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\">\n\
         <title>Time by phase</title>\n<desc>{}</desc>\n",
        shares.join(", ")
    )?;
    let mut x = 0.0;
    for (style, (_, seconds)) in phases.iter().enumerate() {
        let width = 1000.0 * (seconds / all);
        writeln!(
            f,
            "<rect class=\"area s{style}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"24\"/>"
        )?;
        x += width;
    }
    f.write_str("</svg>\n<ul>\n")?;
    for (style, (name, seconds)) in phases.into_iter().enumerate() {
        let swatch = Kind::Areas.swatch(style);
        let (time, share) = (time(seconds), percent(seconds / all));
        writeln!(f, "<li>{swatch}{name} {time} ({share})</li>")?;
    }
    f.write_str("</ul>\n</div>\n")
}

fn write_evaluation(
    f: &mut fmt::Formatter<'_>,
    iteration: u32,
    evaluation: &Evaluation,
) -> fmt::Result {
    write!(
        f,
        "<h2>Strength</h2>\n<p>Measured after iteration {}, with {} simulations per move where \
         it searched.</p>\n",
        count(iteration.into()),
        count(evaluation.simulations.into())
    )?;
    let opponents = evaluation.baselines.iter().map(|result| {
        let games = [result.wins, result.draws, result.losses];
        let [wins, draws, losses] = games.map(|games| count(games.into()));
        let opponent = Text(&result.opponent).to_string();
        [opponent, wins, draws, losses, elo_text(result)]
    });
    let elo = "Elo difference (95 % interval)";
    let columns = ["Opponent", "Won", "Drawn", "Lost", elo];
    write_wide_table(f, "Against opponents", columns, opponents.collect())?;
    let shares = |share: fn(&Accuracy) -> Option<f64>| {
        [evaluation.policy, evaluation.search].map(|accuracy| Some(percent(share(&accuracy?)?)))
    };
    let (all, critical) = (shares(Accuracy::share), shares(Accuracy::critical_share));
    let lines = [evaluation.policy_lines, evaluation.search_lines];
    let rows = [
        ("Best moves, all positions", all),
        ("Best moves, critical positions", critical),
        (
            "Lines of play lost",
            lines.map(|lines| lines.map(lines_text)),
        ),
    ];
    let known = rows.into_iter().filter_map(|(name, cells)| {
        let is_known = cells.iter().any(Option::is_some);
        let [policy, search] = cells.map(Option::unwrap_or_default);
        is_known.then(|| [name.to_owned(), policy, search])
    });
    let title = "Against perfect play";
    let columns = [title, "Policy alone", "With search"];
    write_wide_table(f, title, columns, known.collect())
}

/// Writes a table that scrolls on small screens; nothing without rows.
fn write_wide_table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    columns: [&str; N],
    rows: Vec<[String; N]>,
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    write!(
        f,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n<table>\n"
    )?;
    write_table(f, columns, rows)?;
    f.write_str("</div>\n")
}
