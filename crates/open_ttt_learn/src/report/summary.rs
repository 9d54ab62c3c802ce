//! The key figures of a run.

use core::fmt;

use super::charts::{elo_text, lines_text};
use super::format::{Text, count, percent, time};
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
    f.write_str("<section>\n<dl class=\"figures\">\n")?;
    for (name, value) in [
        ("Iterations", iterations.join(" of ").as_str()),
        ("Games", &count(last.games)),
        ("Positions", &count(positions)),
        ("Training steps", &count(last.steps)),
        ("Time", &time(last.seconds)),
    ] {
        let value = Text(value);
        writeln!(f, "<div><dt>{name}</dt><dd>{value}</dd></div>")?;
    }
    writeln!(
        f,
        "<div><dt>Weights hash</dt><dd><code>{}</code></dd></div>\n</dl>",
        Text(&last.weights_hash)
    )?;
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
    let phases = phases.into_iter().chain([("other", all - known)]);
    let phases = phases.filter(|(_, seconds)| seconds / all >= 0.0005);
    let shares = phases.clone();
    let shares = shares.map(|(name, seconds)| format!("{name} {}", percent(seconds / all)));
    write!(
        f,
        "<div class=\"parts\">\n<h3>Time by phase</h3>\n\
         <svg viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\">\n\
         <title>Time by phase</title>\n<desc>{}</desc>\n",
        shares.collect::<Vec<_>>().join(", ")
    )?;
    let mut x = 0.0;
    for (style, (_, seconds)) in phases.clone().enumerate() {
        let width = 1000.0 * (seconds / all);
        writeln!(
            f,
            "<rect class=\"area s{style}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"24\"/>"
        )?;
        x += width;
    }
    f.write_str("</svg>\n<ul>\n")?;
    for (style, (name, seconds)) in phases.enumerate() {
        writeln!(
            f,
            "<li><svg class=\"swatch\" viewBox=\"0 0 32 14\" aria-hidden=\"true\">\
             <rect class=\"area s{style}\" x=\"6\" width=\"20\" height=\"14\"/></svg>\
             {name} {} ({})</li>",
            time(seconds),
            percent(seconds / all)
        )?;
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
    if !evaluation.baselines.is_empty() {
        f.write_str(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Against opponents\">\n\
             <table>\n<thead><tr><th scope=\"col\">Opponent</th>\
             <th scope=\"col\">Won</th><th scope=\"col\">Drawn</th><th scope=\"col\">Lost</th>\
             <th scope=\"col\">Elo difference (95 % interval)</th></tr></thead>\n<tbody>\n",
        )?;
        for result in &evaluation.baselines {
            writeln!(
                f,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                Text(&result.opponent),
                count(result.wins.into()),
                count(result.draws.into()),
                count(result.losses.into()),
                elo_text(result)
            )?;
        }
        f.write_str("</tbody>\n</table></div>\n")?;
    }
    let shares = |share: fn(&Accuracy) -> Option<f64>| {
        [evaluation.policy, evaluation.search].map(|accuracy| Some(percent(share(&accuracy?)?)))
    };
    let rows = [
        ("Best moves, all positions", shares(Accuracy::share)),
        (
            "Best moves, critical positions",
            shares(Accuracy::critical_share),
        ),
        (
            "Lines of play lost",
            [evaluation.policy_lines, evaluation.search_lines].map(|lines| lines.map(lines_text)),
        ),
    ];
    let is_known = |(_, cells): &(_, [Option<String>; 2])| cells.iter().any(Option::is_some);
    if !rows.iter().any(is_known) {
        return Ok(());
    }
    f.write_str(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Against perfect play\">\n\
         <table>\n<thead><tr><th scope=\"col\">Against perfect play</th>\
         <th scope=\"col\">Policy alone</th><th scope=\"col\">With search</th></tr></thead>\n\
         <tbody>\n",
    )?;
    for (name, cells) in rows.into_iter().filter(is_known) {
        let [policy, search] = cells.map(Option::unwrap_or_default);
        writeln!(
            f,
            "<tr><th scope=\"row\">{name}</th><td>{policy}</td><td>{search}</td></tr>"
        )?;
    }
    f.write_str("</tbody>\n</table></div>\n")
}
