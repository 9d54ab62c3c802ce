//! The skill that each level needs in a game, from matches between computers of different
//! skill.

use std::num::NonZero;

use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::SpecError;
use open_ttt_players::{LevelSkills, MatchScore};

use crate::ladder::{BEGINNER, play};

/// The Elo from one level to the next, where a game has room for it.
const GAP: f64 = 200.0;

/// The Elo of the weakest level above the beginner, where a computer can be as weak.
const LOWEST: f64 = -300.0;

/// The halvings of the interval of skills: to less than a hundredth.
const HALVINGS: u32 = 7;

/// The steps from skill 0 to skill 1 with which the range of a game is estimated.
const STEPS: u32 = 5;

/// The number of matches of a calibration.
pub(crate) const MATCHES: u32 = 5 * HALVINGS + STEPS + 1;

/// The matches of one game.
pub(crate) struct Calibration<'a, F> {
    pub(crate) start: &'a DynGame,
    /// Games of each match.
    pub(crate) games: u32,
    pub(crate) threads: NonZero<usize>,
    pub(crate) after_game: F,
}

impl<F: FnMut()> Calibration<'_, F> {
    /// The skills of the levels, and the gap between them in Elo.
    ///
    /// The weakest level is some way below the beginner, or as weak as a computer can be.
    /// Each of the others is one gap above the level before it, by matches between the two.
    /// The gap is smaller where five of them would end above the strongest computer.
    pub(crate) fn run(mut self) -> Result<(LevelSkills, f64), SpecError> {
        let lowest = self.skill_above(BEGINNER, LOWEST, 0.0)?;
        let gap = (self.range(lowest)? / 5.0).min(GAP);
        let mut skills = [lowest; 5];
        for level in 1..skills.len() {
            let before = skills[level - 1];
            skills[level] = self.skill_above(&spec(before), gap, before)?;
        }
        Ok((skills, gap))
    }

    /// The Elo from this skill to the strongest computer.
    fn range(&mut self, lowest: f64) -> Result<f64, SpecError> {
        let step = (1.0 - lowest) / f64::from(STEPS);
        let mut sum = 0.0;
        for number in 0..STEPS {
            let skills = [number + 1, number].map(|n| lowest + step * f64::from(n));
            sum += self.difference(&skills.map(spec))?.max(0.0);
        }
        // A player with a limit of time takes more of it than there are attentive turns.
        let above = match self.start.strongest() {
            "perfect" => self
                .difference(&["perfect".to_owned(), spec(1.0)])?
                .max(0.0),
            _ => GAP,
        };
        Ok(sum + above)
    }

    /// The skill, at least this one, of a computer that is so much stronger than another.
    fn skill_above(&mut self, other: &str, elo: f64, at_least: f64) -> Result<f64, SpecError> {
        let (mut low, mut high) = (at_least, 1.0);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.difference(&[spec(middle), other.to_owned()])? < elo {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok((100.0 * high).round() / 100.0)
    }

    fn difference(&mut self, players: &[String; 2]) -> Result<f64, SpecError> {
        let players = players.each_ref().map(String::as_str);
        let after_game = &mut self.after_game;
        let score = play(self.start, players, self.games, self.threads, after_game)?;
        Ok(difference(score))
    }
}

fn spec(skill: f64) -> String {
    format!("fallible(skill={skill:.4})")
}

/// The difference in Elo, with half a win more for each so that it is bounded.
pub(crate) fn difference(score: MatchScore) -> f64 {
    let games = f64::from(score.games());
    let share = (score.share() * games + 0.5) / (games + 1.0);
    400.0 * (share / (1.0 - share)).log10()
}
