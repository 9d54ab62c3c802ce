//! How a run gets on, as its lines of metrics tell.

use crate::{Metrics, Parts};

/// So many iterations tell how long those to come will take.
const RECENT: usize = 10;

/// How many seconds are left of a run, from the last of its lines: as if each
/// iteration to come took as long as the last ten did on average. None before the
/// first line, and where the lines are no times.
///
/// ```
/// use open_ttt_learn::seconds_left;
///
/// assert_eq!(seconds_left(&[]), None);
/// ```
pub fn seconds_left(metrics: &[Metrics]) -> Option<f64> {
    let last = metrics.last()?;
    let since = metrics
        .len()
        .checked_sub(RECENT + 1)
        .map(|index| &metrics[index]);
    let (iteration, seconds) = since.map_or((0, 0.0), |since| (since.iteration, since.seconds));
    let iterations = last
        .iteration
        .checked_sub(iteration)
        .filter(|&count| count > 0)?;
    let each = (last.seconds - seconds) / f64::from(iterations);
    let left = last.iterations.saturating_sub(last.iteration);
    (each.is_finite() && each >= 0.0).then(|| each * f64::from(left))
}

/// How much of an iteration's time was learning, from 0 to 1, from its line and the
/// one before it, which the first has not. The rest is playing, which can be shared
/// with other machines; this cannot. None where the iteration took no time, and
/// where the lines do not follow each other.
pub fn learning_share(metrics: &Metrics, before: Option<&Metrics>) -> Option<f64> {
    let (iteration, parts) = before.map_or((0, Parts::default()), |before| {
        (before.iteration, before.parts)
    });
    let learning = metrics.parts.learning - parts.learning;
    let whole = metrics.parts.playing - parts.playing + learning;
    let share = learning / whole;
    let follows = iteration.checked_add(1) == Some(metrics.iteration);
    (follows && whole > 0.0 && (0.0..=1.0).contains(&share)).then_some(share)
}

/// How fast a network plays against itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Games for each second of playing.
    pub games: f64,
    /// Positions for each second of playing, without those drawn by chance.
    pub positions: f64,
}

impl Speed {
    /// How fast an iteration was, from its line and the one before it, which the
    /// first has not. None where it took no time, and where the lines do not
    /// follow each other.
    pub fn of(metrics: &Metrics, before: Option<&Metrics>) -> Option<Self> {
        let (iteration, games, seconds) = before.map_or((0, 0, 0.0), |before| {
            (before.iteration, before.games, before.parts.playing)
        });
        let seconds = metrics.parts.playing - seconds;
        let follows = iteration.checked_add(1) == Some(metrics.iteration);
        let speed = Self {
            games: metrics.games.saturating_sub(games) as f64 / seconds,
            positions: metrics.positions as f64 / seconds,
        };
        (follows && seconds > 0.0 && seconds.is_finite()).then_some(speed)
    }
}
