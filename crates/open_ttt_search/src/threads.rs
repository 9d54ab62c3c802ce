//! Work on several threads, where there are threads.

use alloc::vec::Vec;
use core::num::NonZero;

#[cfg(all(feature = "std", not(target_family = "wasm")))]
use self::with_threads as system;
#[cfg(any(not(feature = "std"), target_family = "wasm"))]
use self::without_threads as system;

pub(crate) use self::system::{Shared, run_together};

/// The most threads that work together, more than help any search.
const MAX_THREADS: NonZero<usize> = NonZero::<usize>::MIN.saturating_add(1_023);

/// As many threads as are wanted, but at most 1,024.
pub(crate) fn bounded(threads: NonZero<usize>) -> NonZero<usize> {
    threads.min(MAX_THREADS)
}

/// Whether work on so many threads is done by the calling one alone. Where no thread can be
/// started the compiler knows it, and leaves out what would be done on several.
pub(crate) const fn is_alone(threads: usize) -> bool {
    !system::CAN_START || threads == 1
}

#[cfg(all(feature = "std", not(target_family = "wasm")))]
mod with_threads {
    use std::panic::resume_unwind;
    use std::sync::{Mutex, MutexGuard};
    use std::thread::{Builder, ScopedJoinHandle, scope};

    use super::Vec;

    pub(super) const CAN_START: bool = true;

    /// Runs `own` on this thread and each of `others` on one of its own, and waits for all.
    /// Returns the results, the own one first; a thread that cannot be started is left out, and
    /// so are those after it.
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
            let others: Vec<_> = others.map_while(spawn).collect();
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

    /// What the threads share.
    pub(crate) struct Shared<T>(Mutex<T>);

    impl<T> Shared<T> {
        pub(crate) fn new(shared: T) -> Self {
            Self(Mutex::new(shared))
        }

        /// Exclusive access; `None` if another thread has panicked with it.
        pub(crate) fn lock(&self) -> Option<MutexGuard<'_, T>> {
            self.0.lock().ok()
        }
    }
}

/// The same where no thread can be started.
#[cfg(any(not(feature = "std"), target_family = "wasm"))]
mod without_threads {
    use core::cell::{RefCell, RefMut};

    use super::Vec;

    pub(super) const CAN_START: bool = false;

    pub(crate) fn run_together<T, W: FnOnce() -> T>(
        own: impl FnOnce() -> T,
        _others: impl IntoIterator<Item = W>,
    ) -> Vec<T> {
        Vec::from([own()])
    }

    pub(crate) struct Shared<T>(RefCell<T>);

    impl<T> Shared<T> {
        pub(crate) fn new(shared: T) -> Self {
            Self(RefCell::new(shared))
        }

        pub(crate) fn lock(&self) -> Option<RefMut<'_, T>> {
            self.0.try_borrow_mut().ok()
        }
    }
}
