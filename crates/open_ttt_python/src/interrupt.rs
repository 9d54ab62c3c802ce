//! Long work: without Python's lock, and interruptible with Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use open_ttt_search::StopFlag;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python is asked for signals.
const TICK: Duration = Duration::from_millis(50);

/// Works on a thread of its own while this one looks for signals.
///
/// A signal whose handler raises an exception, as Ctrl-C does, raises the flag, and the
/// exception is returned once the work has ended. A panic becomes a `RuntimeError`.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is not general enough in its lifetime"
)]
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (ended, end) = channel();
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                let result = work();
                // The receiver lives as long as the scope.
                let _ = ended.send(());
                result
            });
            let worker = worker.map_err(|error| {
                PyRuntimeError::new_err(format!("can't start a thread: {error}"))
            })?;
            let mut interrupted = None;
            // A panic drops the sender, which ends the wait as well.
            while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_none()
                    && let Err(exception) = Python::attach(|py| py.check_signals())
                {
                    interrupted = Some(exception);
                    stop.raise();
                }
            }
            match (worker.join(), interrupted) {
                (_, Some(exception)) => Err(exception),
                (Ok(result), None) => Ok(result),
                (Err(_), None) => Err(PyRuntimeError::new_err(
                    "the search failed by a bug in open_ttt; standard error says where",
                )),
            }
        })
    })
}
