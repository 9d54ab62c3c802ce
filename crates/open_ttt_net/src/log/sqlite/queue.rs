use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::lock::lock;
use crate::log::LogError;

/// A bounded FIFO queue between async tasks, which push, and threads, which
/// take.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug)]
struct State<T> {
    closed: bool,
    items: VecDeque<T>,
    /// Number of threads that wait on the queue.
    waiters: usize,
    /// A push wakes a waiter only from this length on.
    wake_length: usize,
}

impl<T> Queue<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                closed: false,
                items: VecDeque::new(),
                waiters: 0,
                wake_length: 0,
            }),
            changed: Condvar::new(),
            capacity,
        }
    }

    pub(super) fn push(&self, item: T) -> Result<(), LogError> {
        let mut state = lock(&self.state);
        if state.closed {
            return Err(LogError::closed());
        }
        if state.items.len() >= self.capacity {
            return Err(LogError::new(
                "too many operations are waiting for the disk",
            ));
        }
        state.items.push_back(item);
        // Under load no thread waits, and this saves a system call.
        let must_wake = state.waiters > 0 && state.items.len() >= state.wake_length;
        drop(state);
        if must_wake {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Waits for an item, then takes at most `limit` items. Empty once the
    /// queue is closed and drained.
    pub(super) fn take(&self, limit: usize) -> Vec<T> {
        let mut state = self.wait(1, Duration::MAX);
        let count = state.items.len().min(limit);
        state.items.drain(..count).collect()
    }

    /// Waits until the queue has `length` items, at most for `timeout`. Only
    /// for a queue with a single taking thread.
    pub(super) fn wait_for_length(&self, length: usize, timeout: Duration) {
        drop(self.wait(length, timeout));
    }

    fn wait(&self, length: usize, timeout: Duration) -> MutexGuard<'_, State<T>> {
        let must_wait = |state: &mut State<T>| state.items.len() < length && !state.closed;
        let mut state = lock(&self.state);
        if must_wait(&mut state) {
            state.waiters += 1;
            state.wake_length = length;
            let waited = self.changed.wait_timeout_while(state, timeout, must_wait);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            state.wake_length = 0;
            state.waiters -= 1;
        }
        state
    }

    /// Refuses further pushes. Queued items can still be taken.
    pub(super) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const FOREVER: Duration = Duration::MAX;

    fn wait_for_waiter<T>(queue: &Queue<T>) {
        while lock(&queue.state).waiters == 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn the_awaited_length_wakes_the_waiter() {
        let queue = Queue::new(10);
        thread::scope(|scope| {
            let batch = scope.spawn(|| {
                queue.wait_for_length(3, FOREVER);
                queue.take(10)
            });
            wait_for_waiter(&queue);
            for item in 0..3 {
                queue.push(item).expect("open");
            }
            assert_eq!(batch.join().expect("no panic"), [0, 1, 2]);
            // From then on, one item is enough again.
            let batch = scope.spawn(|| queue.take(10));
            wait_for_waiter(&queue);
            queue.push(3).expect("open");
            assert_eq!(batch.join().expect("no panic"), [3]);
        });
    }

    #[test]
    fn waiting_for_a_length_times_out() {
        let queue = Queue::new(10);
        queue.push(0).expect("open");
        queue.wait_for_length(2, Duration::from_millis(1));
        assert_eq!(queue.take(10), [0]);
    }

    #[test]
    fn closing_wakes_the_waiter() {
        let queue = Queue::new(10);
        queue.push(0).expect("open");
        thread::scope(|scope| {
            scope.spawn(|| queue.wait_for_length(2, FOREVER));
            wait_for_waiter(&queue);
            queue.close();
        });
        assert_eq!(queue.take(10), [0]);
        assert!(queue.take(10).is_empty());
    }
}
