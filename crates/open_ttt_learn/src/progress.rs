//! Time left and speed of a run, from its metrics.

use crate::Metrics;

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
    let none = Metrics::default();
    let since = metrics.iter().rev().nth(RECENT).unwrap_or(&none);
    let iterations = last.iteration.checked_sub(since.iteration)?;
    let mean = (last.seconds - since.seconds) / f64::from(iterations);
    let left = last.iterations.saturating_sub(last.iteration);
    (mean.is_finite() && mean >= 0.0).then(|| mean * f64::from(left))
}

/// The share of training in an iteration's time, from 0 to 1; self-play, which workers
/// can share, is the rest.
///
/// `previous` is the iteration before, `None` for the first. The result is `None` if the
/// iteration took no time or `previous` is another one.
pub fn training_share(metrics: &Metrics, previous: Option<&Metrics>) -> Option<f64> {
    let none = Metrics::default();
    let previous = previous.unwrap_or(&none);
    let training = metrics.times.training - previous.times.training;
    let whole = metrics.times.self_play - previous.times.self_play + training;
    let share = training / whole;
    let follows = previous.iteration.checked_add(1) == Some(metrics.iteration);
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
    /// The speed of an iteration, with the same `previous` as [`training_share`]; `None` if
    /// self-play took no time or `previous` is another iteration.
    pub fn of(metrics: &Metrics, previous: Option<&Metrics>) -> Option<Self> {
        let none = Metrics::default();
        let previous = previous.unwrap_or(&none);
        let seconds = metrics.times.self_play - previous.times.self_play;
        let speed = Self {
            games: metrics.games.saturating_sub(previous.games) as f64 / seconds,
            positions: metrics.positions as f64 / seconds,
        };
        let follows = previous.iteration.checked_add(1) == Some(metrics.iteration);
        (follows && seconds > 0.0 && seconds.is_finite()).then_some(speed)
    }
}
