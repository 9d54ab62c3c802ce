use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use open_ttt_players::MatchScore;

use crate::measure::{Opponent, Setting};

/// The results by game and setting.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Results {
    games: Vec<(String, BTreeMap<Setting, MatchScore>)>,
}

const HEADER: &str = "game\tmistakes\tagainst\twins\tdraws\tlosses";

impl Results {
    /// The games with results, in the order they were measured.
    pub(crate) fn games(&self) -> impl ExactSizeIterator<Item = &str> {
        self.games.iter().map(|(name, _)| name.as_str())
    }

    /// The score of a game and setting, if it was measured.
    pub(crate) fn score(&self, game: &str, setting: Setting) -> Option<MatchScore> {
        let (_, scores) = self.games.iter().find(|(name, _)| name == game)?;
        scores.get(&setting).copied()
    }

    /// The scores of a game against one opponent, if all were measured.
    pub(crate) fn curve(&self, game: &str, opponent: Opponent) -> Option<Vec<MatchScore>> {
        Setting::against(opponent)
            .map(|setting| self.score(game, setting))
            .collect()
    }

    /// Adds the result in a line, if it is one.
    fn read(&mut self, line: &str) -> Option<()> {
        let fields: Vec<_> = line.split('\t').collect();
        let &[game, mistakes, against, wins, draws, losses] = fields.as_slice() else {
            return None;
        };
        let name = |setting: &Setting| (setting.mistakes(), setting.opponent.name());
        let setting = Setting::all().find(|s| name(s) == (mistakes.to_owned(), against))?;
        // So few that they can be added up.
        let count = |text: &str| text.parse().ok().filter(|&count: &u32| count <= 1_000_000);
        let score = MatchScore {
            wins: count(wins)?,
            draws: count(draws)?,
            losses: count(losses)?,
        };
        (score.games() > 0 && !game.is_empty()).then(|| self.add(game, setting, score))
    }

    pub(crate) fn add(&mut self, game: &str, setting: Setting, score: MatchScore) {
        match self.games.iter_mut().find(|(name, _)| name == game) {
            Some((_, scores)) => drop(scores.insert(setting, score)),
            None => self
                .games
                .push((game.to_owned(), BTreeMap::from([(setting, score)]))),
        }
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        for (game, scores) in &self.games {
            for (setting, score) in scores {
                let (mistakes, against) = (setting.mistakes(), setting.opponent.name());
                write!(f, "{game}\t{mistakes}\t{against}")?;
                writeln!(f, "\t{}\t{}\t{}", score.wins, score.draws, score.losses)?;
            }
        }
        Ok(())
    }
}

impl FromStr for Results {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut results = Self::default();
        let mut lines = text.lines();
        if lines.next() != Some(HEADER) {
            return Err(format!("line 1: the names of the columns are {HEADER:?}"));
        }
        for (number, line) in (2..).zip(lines) {
            results.read(line).ok_or_else(|| {
                format!("line {number}: it is no result; delete it to measure it again")
            })?;
        }
        Ok(results)
    }
}
