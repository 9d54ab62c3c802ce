use core::num::NonZero;
use core::time::Duration;
use std::sync::LazyLock;
use std::time::Instant;

use open_ttt_catalog::DynGame;
use open_ttt_search::{Budget, Clock};
use pyo3::prelude::*;

use crate::errors::value_error;
use crate::integer::Integer;

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
pub(crate) fn budget(
    game: &DynGame,
    seconds: Option<f64>,
    nodes: Option<Integer>,
) -> PyResult<Budget> {
    let nodes = nodes.map(|nodes| nodes.within("nodes", 1..=u64::MAX));
    let nodes = nodes.transpose()?;
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
    budget.nodes = nodes;
    Ok(budget)
}

/// The number of threads; by default all cores.
pub(crate) fn threads(threads: Option<Integer>) -> PyResult<NonZero<usize>> {
    /// More don't help, and a system may refuse them.
    const MAX: u64 = 1_024;
    let threads = match threads {
        None => return Ok(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)),
        Some(threads) => threads.within("threads", 1..=MAX)?,
    };
    Ok(NonZero::new(threads as usize).unwrap_or(NonZero::<usize>::MIN))
}
