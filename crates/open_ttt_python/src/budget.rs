use core::num::NonZero;
use core::time::Duration;
use std::sync::LazyLock;
use std::time::Instant;

use open_ttt_catalog::DynGame;
use open_ttt_search::{Budget, Clock};
use pyo3::prelude::*;

use crate::errors::value_error;

/// How long a position is searched whose values nobody can prove in reasonable time.
const UNPROVABLE: f64 = 1.0;

/// The longest time limit, in seconds: a year.
const MAX_SECONDS: f64 = 365.0 * 86_400.0;

/// The operating system's monotonic clock.
pub(crate) fn clock() -> Clock {
    Clock::new(|| {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    })
}

/// The budget with these limits. Without any, a game that can be proved is searched until it
/// is, and another for a second.
pub(crate) fn budget(game: &DynGame, seconds: Option<f64>, nodes: Option<u64>) -> PyResult<Budget> {
    let seconds = match (seconds, nodes) {
        (None, None) if !game.can_be_proved() => Some(UNPROVABLE),
        _ => seconds,
    };
    let mut budget = match seconds {
        None => Budget::UNLIMITED,
        Some(seconds) if seconds > 0.0 => {
            let limit = Duration::from_secs_f64(seconds.min(MAX_SECONDS));
            Budget::time(limit, clock())
        }
        Some(seconds) => {
            return Err(value_error(format_args!(
                "seconds is {seconds}; expected more than 0"
            )));
        }
    };
    if nodes == Some(0) {
        return Err(value_error("nodes is 0; expected 1 or more"));
    }
    budget.nodes = nodes;
    Ok(budget)
}

/// The number of threads; by default all cores.
pub(crate) fn threads(threads: Option<usize>) -> PyResult<NonZero<usize>> {
    /// More don't help, and a system may refuse them.
    const MAX: usize = 1_024;
    match threads {
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)),
        Some(threads) => NonZero::new(threads)
            .filter(|threads| threads.get() <= MAX)
            .ok_or_else(|| value_error(format_args!("threads is {threads}; expected 1 to {MAX}"))),
    }
}
