//! The figures that matter first.

use core::fmt;

use super::charts::{elo_words, walk_words};
use super::words::{Text, count, percent, time};
use crate::{Marks, Metrics, Proof};

pub(super) fn write(f: &mut fmt::Formatter<'_>, metrics: &[&Metrics]) -> fmt::Result {
    let Some(last) = metrics.last() else {
        return f.write_str(
            "<section>\n<p class=\"note\">No iteration is complete yet: there is nothing to show \
             but how it is made.</p>\n</section>\n",
        );
    };
    let positions = metrics.iter().map(|metrics| metrics.positions);
    let positions = positions.fold(0, u64::saturating_add);
    let behind = format!(
        "{} of {}",
        count(last.iteration.into()),
        count(last.iterations.into())
    );
    f.write_str("<section>\n<dl class=\"figures\">\n")?;
    for (name, value) in [
        ("Iterations", behind.as_str()),
        ("Games", &count(last.games)),
        ("Positions", &count(positions)),
        ("Steps learned", &count(last.steps)),
        ("Time", &time(last.seconds)),
    ] {
        let value = Text(value);
        writeln!(f, "<div><dt>{name}</dt><dd>{value}</dd></div>")?;
    }
    writeln!(
        f,
        "<div><dt>Sum of the weights</dt><dd><code>{}</code></dd></div>\n</dl>",
        Text(&last.weights)
    )?;
    write_parts(f, last)?;
    let proof = metrics
        .iter()
        .rev()
        .find_map(|metrics| Some((metrics, metrics.proof.as_ref()?)));
    match proof {
        Some((metrics, proof)) => write_proof(f, metrics.iteration, proof)?,
        None => f.write_str("<p class=\"note\">How strong it is was not measured yet.</p>\n")?,
    }
    f.write_str("</section>\n")
}

/// Where the time went, as one bar.
fn write_parts(f: &mut fmt::Formatter<'_>, last: &Metrics) -> fmt::Result {
    let parts = [
        ("playing", last.parts.playing),
        ("learning", last.parts.learning),
        ("measuring", last.parts.measuring),
    ];
    let known: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    let times = parts.iter().map(|&(_, seconds)| seconds);
    let mut times = times.chain([last.seconds, known]);
    if !times.all(|seconds| seconds.is_finite() && seconds >= 0.0) || known == 0.0 {
        return Ok(());
    }
    let all = known.max(last.seconds);
    let rest = all - known;
    let parts = parts.into_iter().chain([("the rest", rest)]);
    let parts = parts.filter(|(_, seconds)| seconds / all >= 0.0005);
    let words: Vec<_> = parts
        .clone()
        .map(|(name, seconds)| format!("{name} {}", percent(seconds / all)))
        .collect();
    write!(
        f,
        "<div class=\"parts\">\n<h3>Where the time went</h3>\n\
         <svg viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\">\n\
         <title>Where the time went</title>\n<desc>{}</desc>\n",
        words.join(", ")
    )?;
    let mut x = 0.0;
    for (style, (_, seconds)) in parts.clone().enumerate() {
        let width = 1000.0 * (seconds / all);
        writeln!(
            f,
            "<rect class=\"area s{style}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"24\"/>"
        )?;
        x += width;
    }
    f.write_str("</svg>\n<ul>\n")?;
    for (style, (name, seconds)) in parts.enumerate() {
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

/// The last that is known of its strength.
fn write_proof(f: &mut fmt::Formatter<'_>, iteration: u32, proof: &Proof) -> fmt::Result {
    write!(
        f,
        "<h2>How strong it is</h2>\n<p>Measured behind iteration {}, with {} simulations for \
         each move where it searched.</p>\n",
        count(iteration.into()),
        count(proof.simulations.into())
    )?;
    if !proof.strength.is_empty() {
        f.write_str(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Against opponents\">\n\
             <table>\n<thead><tr><th scope=\"col\">Opponent</th>\
             <th scope=\"col\">Won</th><th scope=\"col\">Drawn</th><th scope=\"col\">Lost</th>\
             <th scope=\"col\">Elo above it (19 cases of 20)</th></tr></thead>\n<tbody>\n",
        )?;
        for met in &proof.strength {
            writeln!(
                f,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                Text(&met.opponent),
                count(met.wins.into()),
                count(met.draws.into()),
                count(met.losses.into()),
                elo_words(met)
            )?;
        }
        f.write_str("</tbody>\n</table></div>\n")?;
    }
    let shares = |marks: Option<Marks>, share: fn(&Marks) -> Option<f64>| {
        marks.and_then(|marks| share(&marks)).map(percent)
    };
    let rows = [
        (
            "Best moves, all positions",
            [proof.policy, proof.searching].map(|marks| shares(marks, Marks::share)),
        ),
        (
            "Best moves, critical positions",
            [proof.policy, proof.searching].map(|marks| shares(marks, Marks::critical_share)),
        ),
        (
            "Lines of play lost",
            [proof.policy_lines, proof.searching_lines].map(|walk| walk.map(walk_words)),
        ),
    ];
    if rows
        .iter()
        .any(|(_, cells)| cells.iter().any(Option::is_some))
    {
        f.write_str(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Against perfect play\">\n\
             <table>\n<thead><tr><th scope=\"col\">Against perfect play</th>\
             <th scope=\"col\">Policy alone</th><th scope=\"col\">With search</th></tr></thead>\n\
             <tbody>\n",
        )?;
        for (name, cells) in rows {
            if cells.iter().any(Option::is_some) {
                let [policy, searching] = cells.map(Option::unwrap_or_default);
                writeln!(
                    f,
                    "<tr><th scope=\"row\">{name}</th><td>{policy}</td><td>{searching}</td></tr>"
                )?;
            }
        }
        f.write_str("</tbody>\n</table></div>\n")?;
    }
    Ok(())
}
