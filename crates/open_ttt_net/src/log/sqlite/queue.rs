use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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
        let is_awaited = state.sleepers > 0;
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

    /// Takes nothing more. What is in it can still be taken out.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
