use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Work for threads of one's own, bounded and in order.
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
    /// How many wait for something.
    sleepers: usize,
    /// They need not be woken for less.
    enough: usize,
}

/// Why nothing more is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Full,
    Closed,
}

impl<T> Queue<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                closed: false,
                items: VecDeque::new(),
                sleepers: 0,
                enough: 0,
            }),
            changed: Condvar::new(),
            capacity,
        }
    }

    /// Puts something at the end.
    pub(super) fn push(&self, item: T) -> Result<(), Refusal> {
        let mut state = self.state();
        if state.closed {
            return Err(Refusal::Closed);
        }
        if state.items.len() >= self.capacity {
            return Err(Refusal::Full);
        }
        state.items.push_back(item);
        // Under load nobody sleeps, and a call to the system is saved.
        let is_awaited = state.sleepers > 0 && state.items.len() >= state.enough;
        drop(state);
        if is_awaited {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Waits for something and takes what has come in the meantime with it, at
    /// most `limit` items; none once it is closed and empty.
    pub(super) fn take(&self, limit: usize) -> Vec<T> {
        let waiting = |state: &mut State<T>| state.items.is_empty() && !state.closed;
        let mut state = self.state();
        if waiting(&mut state) {
            state.sleepers += 1;
            state = self
                .changed
                .wait_while(state, waiting)
                .unwrap_or_else(PoisonError::into_inner);
            state.sleepers -= 1;
        }
        let some = state.items.len().min(limit);
        state.items.drain(..some).collect()
    }

    /// Waits until there are so many items, but not longer than `patience`. For
    /// one who is the only one to take them.
    pub(super) fn gather(&self, enough: usize, patience: Duration) {
        let waiting = |state: &mut State<T>| state.items.len() < enough && !state.closed;
        let mut state = self.state();
        if waiting(&mut state) {
            state.sleepers += 1;
            state.enough = enough;
            let (mut state, _) = self
                .changed
                .wait_timeout_while(state, patience, waiting)
                .unwrap_or_else(PoisonError::into_inner);
            state.enough = 0;
            state.sleepers -= 1;
        }
    }

    /// Takes nothing more. What is in it can still be taken out.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]
mod tests {
    use std::thread;

    use super::*;

    const FOREVER: Duration = Duration::MAX;

    fn wait_for_sleeper<T>(queue: &Queue<T>) {
        while queue.state().sleepers == 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn who_gathers_is_woken_by_enough() {
        let queue = Queue::new(10);
        thread::scope(|scope| {
            let gathered = scope.spawn(|| {
                queue.gather(3, FOREVER);
                queue.take(10)
            });
            wait_for_sleeper(&queue);
            for item in 0..3 {
                queue.push(item).unwrap();
            }
            assert_eq!(gathered.join().unwrap(), [0, 1, 2]);
            // From then on, by anything again.
            let taken = scope.spawn(|| queue.take(10));
            wait_for_sleeper(&queue);
            queue.push(3).unwrap();
            assert_eq!(taken.join().unwrap(), [3]);
        });
    }

    #[test]
    fn who_gathers_waits_no_longer_than_they_will() {
        let queue = Queue::new(10);
        queue.push(0).unwrap();
        queue.gather(2, Duration::from_millis(1));
        assert_eq!(queue.take(10), [0]);
    }

    #[test]
    fn who_gathers_is_sent_home_when_it_is_closed() {
        let queue = Queue::new(10);
        queue.push(0).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| queue.gather(2, FOREVER));
            wait_for_sleeper(&queue);
            queue.close();
        });
        assert_eq!(queue.take(10), [0]);
        assert!(queue.take(10).is_empty());
    }
}
