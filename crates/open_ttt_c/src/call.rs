use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Failure, remember};

/// Runs what a function of C does. An error or a panic is remembered for
/// [`open_ttt_last_error`](crate::open_ttt_last_error), and `failed` is returned.
pub(crate) fn call<T>(failed: T, body: impl FnOnce() -> Result<T, Failure>) -> T {
    // After a panic the caller can only free what it has: nothing broken is looked at.
    let result = catch_unwind(AssertUnwindSafe(body));
    let result =
        result.unwrap_or_else(|_| Err(Failure::new("an internal error; please report it")));
    match result {
        Ok(result) => {
            remember(None);
            result
        }
        Err(failure) => {
            remember(Some(failure));
            failed
        }
    }
}
