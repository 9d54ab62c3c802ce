//! The report of a run: one HTML page.
//!
//! It writes its SVG itself: `plotters` fixes colours and sizes, which this page leaves to
//! its style sheet, for light and dark themes, small screens and print.

mod board;
mod charts;
mod format;
mod geometry;
mod plot;
mod prediction;
mod scale;
mod summary;

use core::fmt::{self, Write as _};
use std::collections::BTreeMap;

use crate::{Config, Metrics};

pub use prediction::PositionPrediction;

use format::Text;

/// The report of a run: a self-contained HTML page, without scripts and external
/// resources.
///
/// It is well-formed XML, too. Sections without data are left out.
///
/// ```
/// use open_ttt_learn::report::Report;
/// use open_ttt_learn::{Config, Preset};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::Encode;
///
/// let config = Config::preset(Preset::Fast, &TicTacToe::new().encoding());
/// let report = Report {
///     title: "Tic-tac-toe",
///     game: "ttt",
///     seed: 1,
///     command: "open_ttt train --game ttt",
///     config: &config,
///     metrics: &[],
///     predictions: &[],
/// };
/// assert!(report.html().contains("<h1>Tic-tac-toe</h1>"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The heading.
    pub title: &'a str,
    /// The game's name.
    pub game: &'a str,
    /// The seed of the run.
    pub seed: u64,
    /// The command line of the run.
    pub command: &'a str,
    /// The hyperparameters.
    pub config: &'a Config,
    /// The metrics of each iteration; a later entry of the same iteration replaces an
    /// earlier one.
    pub metrics: &'a [Metrics],
    /// Positions with the network's policy and value.
    pub predictions: &'a [PositionPrediction],
}

const STYLE: &str = include_str!("style.css");

impl Report<'_> {
    /// The page.
    pub fn html(&self) -> String {
        self.to_string()
    }

    fn write_predictions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.predictions.is_empty() {
            return Ok(());
        }
        f.write_str(
            "<section>\n<h2>Predictions</h2>\n<p>The policy without search: each move's \
             probability in per cent, shaded. Below, the value for the side to move, from \
             &#8722;1 (lost) to +1 (won).</p>\n<div class=\"boards\">\n",
        )?;
        for prediction in self.predictions {
            board::write(f, prediction)?;
        }
        f.write_str("</div>\n</section>\n")
    }

    /// The command and all hyperparameters.
    fn write_settings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<section>\n<h2>Settings</h2>\n<pre><code>{}</code></pre>\n\
             <p>The same number of iterations with the same settings and seed produces the same \
             network, to the bit, on any number of threads.</p>\n<details>\n\
             <summary>All settings</summary>\n<table>\n\
             <thead><tr><th scope=\"col\">Setting</th><th scope=\"col\">Value</th></tr>\
             </thead>\n<tbody>\n<tr><td>seed</td><td>{}</td></tr>\n",
            Text(self.command),
            self.seed
        )?;
        // An invalid configuration may have no text form.
        let mut settings = String::new();
        let _ = write!(settings, "{}", self.config);
        for line in settings.lines() {
            if let Some((name, value)) = line.split_once(" = ") {
                let (name, value) = (Text(name), Text(value.trim_matches('"')));
                writeln!(f, "<tr><td>{name}</td><td>{value}</td></tr>")?;
            } else if let Some(section) = line.strip_prefix('[') {
                let section = section.trim_end_matches(']').replace('_', "-");
                let name = Text(&section);
                writeln!(
                    f,
                    "<tr><th colspan=\"2\" scope=\"rowgroup\">{name}</th></tr>"
                )?;
            }
        }
        f.write_str("</tbody>\n</table>\n</details>\n</section>\n")
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metrics = self.metrics.iter();
        let by_iteration: BTreeMap<_, _> = metrics.map(|it| (it.iteration, it)).collect();
        let metrics: Vec<&Metrics> = by_iteration.into_values().collect();
        let (title, game) = (Text(self.title), Text(self.game));
        write!(
            f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header>\n<h1>{title}</h1>\n<p class=\"lead\">The game <code>{game}</code>, learned \
             by self-play from its rules alone: a network <code>{}</code> with seed {}.</p>\n\
             </header>\n",
            Text(&self.config.architecture),
            self.seed
        )?;
        summary::write(f, &metrics)?;
        charts::write(f, &metrics)?;
        self.write_predictions(f)?;
        self.write_settings(f)?;
        f.write_str("</main>\n</body>\n</html>\n")
    }
}
