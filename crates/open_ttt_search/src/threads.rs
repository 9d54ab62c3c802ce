use std::panic::resume_unwind;
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Runs `own` on this thread and each of `others` on one of its own, and waits for all.
/// Returns the results, the own one first; a thread that cannot be started is left out.
///
/// # Panics
///
/// If any of them panics.
pub(crate) fn run_together<T: Send, W: FnOnce() -> T + Send>(
    own: impl FnOnce() -> T,
    others: impl IntoIterator<Item = W>,
) -> Vec<T> {
    let mut others = others.into_iter().peekable();
    if others.peek().is_none() {
        return vec![own()];
    }
    scope(|scope| {
        let spawn = |work| Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = others.filter_map(spawn).collect();
        let own = own();
        let join = |other: ScopedJoinHandle<'_, T>| {
            other
                .join()
                .unwrap_or_else(|payload| resume_unwind(payload))
        };
        core::iter::once(own)
            .chain(others.into_iter().map(join))
            .collect()
    })
}
