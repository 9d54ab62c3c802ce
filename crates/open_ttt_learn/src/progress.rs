//! Time left and speed of a run, from its metrics.

use crate::{Metrics, PhaseTimes};

/// How many of the latest iterations the time left is estimated from.
const RECENT: usize = 10;

/// Estimates the seconds left of a run, from the mean duration of its last ten
/// iterations. `None` without iterations or with invalid times.
///
/// ```
/// use open_ttt_learn::seconds_left;
///
/// assert_eq!(seconds_left(&[]), None);
/// ```
pub fn seconds_left(metrics: &[Metrics]) -> Option<f64> {
    let last = metrics.last()?;
    let since = metrics.len().checked_sub(RECENT + 1);
    let (iteration, seconds) = since.map_or((0, 0.0), |index| {
        (metrics[index].iteration, metrics[index].seconds)
    });
    let iterations = last.iteration.checked_sub(iteration)?;
    let mean = (last.seconds - seconds) / f64::from(iterations);
    let left = last.iterations.saturating_sub(last.iteration);
    (mean.is_finite() && mean >= 0.0).then(|| mean * f64::from(left))
}

/// The share of training in an iteration's time, from 0 to 1; self-play, which workers
/// can share, is the rest.
///
/// `previous` is the iteration before, `None` for the first. The result is `None` if the
/// iteration took no time or `previous` is another one.
pub fn training_share(metrics: &Metrics, previous: Option<&Metrics>) -> Option<f64> {
    let (iteration, times) = previous.map_or((0, PhaseTimes::default()), |previous| {
        (previous.iteration, previous.times)
    });
    let training = metrics.times.training - times.training;
    let whole = metrics.times.self_play - times.self_play + training;
    let share = training / whole;
    let follows = iteration.checked_add(1) == Some(metrics.iteration);
    (follows && whole > 0.0 && (0.0..=1.0).contains(&share)).then_some(share)
}

/// The speed of self-play in one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfPlaySpeed {
    /// Games per second.
    pub games: f64,
    /// Searched positions per second.
    pub positions: f64,
}

impl SelfPlaySpeed {
    /// The speed of an iteration. `previous` is the iteration before, `None` for the
    /// first.
    ///
    /// The result is `None` if self-play took no time or `previous` is another
    /// iteration.
    pub fn of(metrics: &Metrics, previous: Option<&Metrics>) -> Option<Self> {
        let (iteration, games, seconds) = previous.map_or((0, 0, 0.0), |previous| {
            (previous.iteration, previous.games, previous.times.self_play)
        });
        let seconds = metrics.times.self_play - seconds;
        let speed = Self {
            games: metrics.games.saturating_sub(games) as f64 / seconds,
            positions: metrics.positions as f64 / seconds,
        };
        let follows = iteration.checked_add(1) == Some(metrics.iteration);
        (follows && seconds > 0.0 && seconds.is_finite()).then_some(speed)
    }
}
