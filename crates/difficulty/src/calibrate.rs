//! The skill that each level needs in a game, from matches between computers of different
//! skill.

use std::num::NonZero;

use indicatif::ProgressBar;
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::SpecError;
use open_ttt_players::{LevelSkills, MatchScore};
use open_ttt_search::StopFlag;

use crate::ladder::{BEGINNER, play};

/// The least Elo from one level to the next, where a game has room for it.
const GAP: f64 = 200.0;

/// The most games of a match with a computer that thinks for a second a move.
const MASTER_GAMES: u32 = 40;

/// The Elo of the weakest level above the reference player, or more if that leaves no room for
/// the others.
const LOWEST: f64 = -300.0;

/// The skills that are compared first: 0, a tenth, and so on.
const STEPS: u32 = 10;

/// Two computers that are farther apart are compared by others between them, because a
/// one-sided match tells little, down to this step of skill.
const FAR: f64 = 250.0;
const SHORTEST_STEP: f64 = 0.02;

/// The matches with the reference player; all but the first are against a computer about as
/// strong.
const REFERENCE_MATCHES: u32 = 4;

/// The matches of one game.
pub(crate) struct Calibration<'a> {
    pub(crate) start: &'a DynGame,
    /// Games of each match.
    pub(crate) games: u32,
    pub(crate) threads: NonZero<usize>,
    /// Counts games. It gets longer with each match.
    pub(crate) bar: &'a ProgressBar,
}

/// How strong the computer with each of some skills is, in Elo above the one without skill.
/// Skills and strengths ascend.
#[derive(Debug)]
struct Curve {
    points: Vec<(f64, f64)>,
}

impl Calibration<'_> {
    /// The skills of the levels, and the gap between them in Elo.
    ///
    /// The weakest level is some way below the reference player. It is weaker where the levels
    /// wouldn't fit between that and the strongest computer, and the gap is smaller where they
    /// don't fit above the computer without skill either, larger where there is more room.
    pub(crate) fn run(&self) -> Result<(LevelSkills, f64), SpecError> {
        let curve = self.curve()?;
        let reference = self.reference(&curve)?;
        let master = curve.top() + self.master_above()?;
        let lowest = (reference + LOWEST).min(master - 5.0 * GAP).max(0.0);
        let gap = (master - lowest) / 5.0;
        let skill = |level: u32| curve.skill(lowest + gap * f64::from(level));
        Ok(([0, 1, 2, 3, 4].map(skill), gap))
    }

    fn curve(&self) -> Result<Curve, SpecError> {
        let mut curve = Curve {
            points: vec![(0.0, 0.0)],
        };
        for step in 1..=STEPS {
            self.extend(&mut curve, f64::from(step) / f64::from(STEPS))?;
        }
        Ok(curve)
    }

    /// Adds the computer with a skill to the curve, and those between if it is far from the
    /// last one.
    fn extend(&self, curve: &mut Curve, skill: f64) -> Result<(), SpecError> {
        let (last, strength) = curve.points[curve.points.len() - 1];
        let difference = self.difference(&spec(skill), &spec(last))?;
        if difference > FAR && skill - last > SHORTEST_STEP {
            self.extend(curve, f64::midpoint(last, skill))?;
            return self.extend(curve, skill);
        }
        curve.points.push((skill, strength + difference.max(0.0)));
        Ok(())
    }

    /// The strength of the reference player on the curve.
    fn reference(&self, curve: &Curve) -> Result<f64, SpecError> {
        let mut strengths = vec![curve.top() / 2.0];
        for _ in 0..REFERENCE_MATCHES {
            let skill = curve.skill(strengths[strengths.len() - 1]);
            let difference = self.difference(BEGINNER, &spec(skill))?;
            strengths.push(curve.strength(skill) + difference);
        }
        let equal = &strengths[2..];
        Ok(equal.iter().sum::<f64>() / equal.len() as f64)
    }

    /// The Elo of the strongest computer above the one with all skill.
    fn master_above(&self) -> Result<f64, SpecError> {
        let master = self.start.strongest();
        let games = match master {
            "perfect" => self.games,
            _ => self.games.min(MASTER_GAMES),
        };
        let above = self.difference_after(games, master, &spec(1.0))?;
        Ok(above.max(0.0))
    }

    fn difference(&self, player: &str, other: &str) -> Result<f64, SpecError> {
        self.difference_after(self.games, player, other)
    }

    /// Tells what it finds, because the whole takes hours.
    fn difference_after(&self, games: u32, player: &str, other: &str) -> Result<f64, SpecError> {
        self.bar.inc_length(u64::from(games));
        let score = play(
            self.start,
            [player, other],
            MatchScore::default(),
            games,
            self.threads,
            &StopFlag::new(),
            |_| self.bar.inc(1),
        )?;
        let difference = difference(score);
        let tell = || eprintln!("{player} against {other}: {difference:+.0}");
        self.bar.suspend(tell);
        Ok(difference)
    }
}

impl Curve {
    /// The strength of the computer with all skill.
    fn top(&self) -> f64 {
        self.points[self.points.len() - 1].1
    }

    fn strength(&self, skill: f64) -> f64 {
        interpolated(&self.points, skill)
    }

    /// The skill that has a strength, in hundredths; the nearest if none has.
    fn skill(&self, strength: f64) -> f64 {
        let swapped: Vec<_> = self.points.iter().map(|&(x, y)| (y, x)).collect();
        (100.0 * interpolated(&swapped, strength)).round() / 100.0
    }
}

/// The ordinate at an abscissa, on straight lines between points in ascending order.
fn interpolated(points: &[(f64, f64)], x: f64) -> f64 {
    let next = points.partition_point(|point| point.0 < x);
    let (above, below) = (points.get(next), points.get(next.wrapping_sub(1)));
    match (below, above) {
        (Some(&(x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
        (Some(&(_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => f64::NAN,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_read_in_both_directions() {
        let curve = Curve {
            points: vec![(0.0, 0.0), (0.5, 100.0), (0.75, 100.0), (1.0, 500.0)],
        };
        let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9);
        near(curve.top(), 500.0);
        for (skill, strength) in [(0.0, 0.0), (0.25, 50.0), (0.9, 340.0), (1.0, 500.0)] {
            near(curve.strength(skill), strength);
            near(curve.skill(strength), skill);
        }
        near(curve.skill(100.0), 0.5);
        near(curve.skill(-20.0), 0.0);
        near(curve.skill(600.0), 1.0);
    }
}
