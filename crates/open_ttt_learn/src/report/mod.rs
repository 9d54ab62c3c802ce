//! A run on one page for a browser.
//!
//! The plots are written by hand, not by a crate: `plotters` fixes colours and
//! sizes when it draws, and a page that is read light and dark, on a telephone
//! and on paper leaves both to its style sheet.

mod board;
mod charts;
mod figures;
mod opinion;
mod plot;
mod scale;
mod words;

use core::fmt::{self, Write as _};
use std::collections::BTreeMap;

use crate::{Config, Metrics};

pub use opinion::Opinion;

use words::Text;

/// What is told of a run: one page of HTML in which everything is contained.
///
/// It loads nothing, runs nothing and can be sent to somebody as one file. It is
/// well-formed XML as well. Whatever is missing, from a measurement to all of it,
/// is left out.
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
///     opinions: &[],
/// };
/// assert!(report.html().contains("<h1>Tic-tac-toe</h1>"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What it is headed with.
    pub title: &'a str,
    /// The game, as it is asked for by name.
    pub game: &'a str,
    /// The seed of the run.
    pub seed: u64,
    /// The command line that made it.
    pub command: &'a str,
    /// What decided what was learned.
    pub config: &'a Config,
    /// What came of it. Of several lines about one iteration the last counts.
    pub metrics: &'a [Metrics],
    /// What the network thinks.
    pub opinions: &'a [Opinion],
}

const STYLE: &str = include_str!("style.css");

impl Report<'_> {
    /// The page.
    pub fn html(&self) -> String {
        self.to_string()
    }

    fn write_introduction(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<header>\n<h1>{}</h1>\n<p class=\"lead\">The game <code>{}</code>, learned \
             from its rules alone: a network of the shape <code>{}</code> played against \
             itself and learned from these games, with the seed {}.</p>\n</header>\n",
            Text(self.title),
            Text(self.game),
            Text(&self.config.architecture),
            self.seed
        )
    }

    fn write_opinions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.opinions.is_empty() {
            return Ok(());
        }
        f.write_str(
            "<section>\n<h2>What the network thinks</h2>\n<p>How probable it holds each move, \
             without search: the stronger the shade, the likelier, in per cent. Below, how it \
             expects the game to end for the side to move, from &#8722;1, lost, to +1, \
             won.</p>\n<div class=\"boards\">\n",
        )?;
        for opinion in self.opinions {
            board::write(f, opinion)?;
        }
        f.write_str("</div>\n</section>\n")
    }

    /// All that decided what was learned, as the configuration is written.
    fn write_making(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<section>\n<h2>How it was made</h2>\n<pre><code>{}</code></pre>\n\
             <p>As many iterations with the same settings and seed make the same network, to \
             the bit, on any number of threads.</p>\n<details>\n<summary>All settings</summary>\n<table>\n\
             <thead><tr><th scope=\"col\">Setting</th><th scope=\"col\">Value</th></tr>\
             </thead>\n<tbody>\n<tr><td>seed</td><td>{}</td></tr>\n",
            Text(self.command),
            self.seed
        )?;
        // One that is out of its bounds may have no text.
        let mut settings = String::new();
        if write!(settings, "{}", self.config).is_err() {
            settings.clear();
        }
        for line in settings.lines() {
            if let Some((name, value)) = line.split_once(" = ") {
                let (name, value) = (Text(name), Text(value.trim_matches('"')));
                writeln!(f, "<tr><td>{name}</td><td>{value}</td></tr>")?;
            } else if let Some(part) = line.strip_prefix('[') {
                let part = part.trim_end_matches(']').replace('_', "-");
                let part = Text(&part);
                writeln!(
                    f,
                    "<tr><th colspan=\"2\" scope=\"rowgroup\">{part}</th></tr>"
                )?;
            }
        }
        f.write_str("</tbody>\n</table>\n</details>\n</section>\n")
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_iteration: BTreeMap<_, _> = self
            .metrics
            .iter()
            .map(|metrics| (metrics.iteration, metrics))
            .collect();
        let metrics: Vec<&Metrics> = by_iteration.into_values().collect();
        write!(
            f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
            Text(self.title)
        )?;
        self.write_introduction(f)?;
        figures::write(f, &metrics)?;
        charts::write(f, &metrics)?;
        self.write_opinions(f)?;
        self.write_making(f)?;
        f.write_str("</main>\n</body>\n</html>\n")
    }
}
