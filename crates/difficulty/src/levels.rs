//! The matches of each level against the level below, as `levels.tsv` and as a table.

use std::fmt;
use std::str::FromStr;

use open_ttt_players::{Level, MatchScore};

use crate::ladder::BEGINNER;
use crate::page::title;

/// The results by game, in the order they were measured, and by level.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Levels {
    games: Vec<(String, [Option<MatchScore>; Level::ALL.len()])>,
}

const HEADER: &str = "game\tlevel\tagainst\twins\tdraws\tlosses";

/// The opponent of a level: the one below it, and a reference player for the lowest.
pub(crate) fn opponent(level: Level) -> &'static str {
    let below = Level::ALL.into_iter().rev().find(|&other| other < level);
    below.map_or(BEGINNER, Level::name)
}

impl Levels {
    pub(crate) fn score(&self, game: &str, level: Level) -> Option<MatchScore> {
        let (_, scores) = self.games.iter().find(|(name, _)| name == game)?;
        scores[level as usize]
    }

    pub(crate) fn add(&mut self, game: &str, level: Level, score: MatchScore) {
        let index = self.games.iter().position(|(name, _)| name == game);
        let index = index.unwrap_or_else(|| {
            self.games.push((game.to_owned(), Default::default()));
            self.games.len() - 1
        });
        self.games[index].1[level as usize] = Some(score);
    }

    /// Adds the result in a line, if it is one.
    fn read(&mut self, line: &str) -> Option<()> {
        let fields: Vec<_> = line.split('\t').collect();
        let &[game, level, against, wins, draws, losses] = fields.as_slice() else {
            return None;
        };
        let level = Level::named(level).filter(|&level| opponent(level) == against)?;
        // So few that they can be added up.
        let count = |text: &str| text.parse().ok().filter(|&count: &u32| count <= 1_000_000);
        let score = MatchScore {
            wins: count(wins)?,
            draws: count(draws)?,
            losses: count(losses)?,
        };
        (score.games() > 0 && !game.is_empty()).then(|| self.add(game, level, score))
    }

    /// The table: how much stronger each level is than its opponent.
    pub(crate) fn table(&self) -> String {
        let names = Level::ALL.map(|level| format!(" {} |", level.name()));
        let head = format!(
            "| game |{}\n|---|{}\n",
            names.concat(),
            "--:|".repeat(names.len())
        );
        let rows = self.games.iter().map(|(game, scores)| {
            let cells = scores.map(|score| format!(" {} |", score.map_or_else(String::new, cell)));
            format!("| {} |{}\n", title(game), cells.concat())
        });
        rows.fold(head, |table, row| table + &row)
    }
}

/// The difference in Elo with its 95 % interval, or the score if it is one-sided.
fn cell(score: MatchScore) -> String {
    match score.elo() {
        Some(elo) if elo.low.is_finite() && elo.high.is_finite() => {
            let half = (elo.high - elo.low) / 2.0;
            format!("{:+.0} ± {half:.0}", elo.difference)
        }
        _ => format!(
            "{} of {}",
            score.share() * f64::from(score.games()),
            score.games()
        ),
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        for (game, scores) in &self.games {
            for (level, score) in Level::ALL.into_iter().zip(scores) {
                if let Some(MatchScore {
                    wins,
                    draws,
                    losses,
                }) = score
                {
                    let (name, against) = (level.name(), opponent(level));
                    writeln!(f, "{game}\t{name}\t{against}\t{wins}\t{draws}\t{losses}")?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut levels = Self::default();
        let mut lines = text.lines();
        if lines.next() != Some(HEADER) {
            return Err(format!("line 1: the names of the columns are {HEADER:?}"));
        }
        for (number, line) in (2..).zip(lines) {
            levels.read(line).ok_or_else(|| {
                format!("line {number}: it is no result; delete it to measure it again")
            })?;
        }
        Ok(levels)
    }
}
