use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::ptr;

use crate::text::c_string;

/// What went wrong, in one sentence.
#[derive(Debug)]
pub struct Failure(CString);

impl Failure {
    /// An error with this message.
    pub fn new(message: impl Display) -> Self {
        Self(c_string(&message.to_string()))
    }
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

pub(crate) fn remember(failure: Option<Failure>) {
    LAST.set(failure);
}

/// What went wrong in this thread's last call that can fail, in one sentence, or `NULL` if it
/// succeeded.
///
/// The text is valid until the thread's next call of any function but this one.
#[unsafe(no_mangle)]
pub extern "C" fn open_ttt_last_error() -> *const c_char {
    LAST.with_borrow(|last| {
        last.as_ref()
            .map_or(ptr::null(), |failure| failure.0.as_ptr())
    })
}
