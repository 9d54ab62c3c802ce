use core::fmt;
use core::str::FromStr;

use open_ttt_lib::rules::parse_decimal;

use super::Skill;

/// How strong a computer plays, by name: the words that people choose from, the same
/// everywhere.
///
/// In most games one level wins three games of four against the one below, some 200 Elo; see
/// `docs/difficulty.md` of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Overlooks most of what happens.
    Beginner,
    /// Sees what is plain and near.
    Easy,
    /// In most games never overlooks a win in one.
    Medium,
    /// Looks some moves ahead.
    Hard,
    /// Overlooks little.
    Expert,
    /// Makes no mistakes on purpose: the strongest player of the game.
    Master,
}

/// A strength between the levels: 1 is a beginner's, 6 a master's. It has steps of a
/// hundredth.
///
/// ```
/// use open_ttt_players::{Level, Strength};
///
/// let strength: Strength = "3.5".parse().expect("from 1 to 6");
/// assert!(Strength::of(Level::Medium) < strength && strength < Strength::of(Level::Hard));
/// assert_eq!(strength.to_string(), "3.5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strength {
    hundredths: u16,
}

/// What is no strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidStrength;

/// The skill of a game's computer at each level below [`Level::Master`], from the weakest
/// to the strongest.
pub type LevelSkills = [f64; 5];

impl Level {
    /// Every level, the weakest first.
    pub const ALL: [Self; 6] = [
        Self::Beginner,
        Self::Easy,
        Self::Medium,
        Self::Hard,
        Self::Expert,
        Self::Master,
    ];

    /// Its name: `beginner`, `easy`, `medium`, `hard`, `expert`, `master`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Beginner => "beginner",
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
            Self::Expert => "expert",
            Self::Master => "master",
        }
    }

    /// The level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl Strength {
    /// The strength of a level.
    pub const fn of(level: Level) -> Self {
        Self {
            hundredths: 100 * (level as u16 + 1),
        }
    }

    /// Whether it is the strength of a master.
    pub fn is_masters(self) -> bool {
        self == Self::of(Level::Master)
    }

    /// The skill of a computer with this strength, between those of the levels next to it.
    pub fn skill(self, skills: &LevelSkills) -> Skill {
        let steps = self.hundredths - Self::of(Level::Beginner).hundredths;
        let below = usize::from(steps / 100);
        let skill = |index: usize| skills.get(index).copied().unwrap_or(1.0);
        let part = f64::from(steps % 100) / 100.0;
        Skill::clamped(skill(below) + part * (skill(below + 1) - skill(below)))
    }

    /// The strength that suits a player who has just won or lost against this one, or drawn:
    /// a third of a level stronger, weaker, or the same.
    #[must_use]
    pub fn after(self, players_result: core::cmp::Ordering) -> Self {
        const STEP: u16 = 33;
        let hundredths = match players_result {
            core::cmp::Ordering::Greater => self.hundredths + STEP,
            core::cmp::Ordering::Equal => self.hundredths,
            core::cmp::Ordering::Less => self.hundredths - STEP,
        };
        let [lowest, highest] =
            [Level::Beginner, Level::Master].map(|level| Self::of(level).hundredths);
        Self {
            hundredths: hundredths.clamp(lowest, highest),
        }
    }
}

impl FromStr for Strength {
    type Err = InvalidStrength;

    fn from_str(text: &str) -> Result<Self, InvalidStrength> {
        let strength = parse_decimal(text).ok_or(InvalidStrength)?;
        if !(1.0..=6.0).contains(&strength) {
            return Err(InvalidStrength);
        }
        Ok(Self {
            hundredths: (100.0 * strength).round() as u16,
        })
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f64::from(self.hundredths) / 100.0).fmt(f)
    }
}

impl fmt::Display for InvalidStrength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a strength is a number from 1 to 6")
    }
}

impl core::error::Error for InvalidStrength {}
