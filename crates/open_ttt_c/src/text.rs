use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::slice::from_raw_parts;

use open_ttt_search::Clock;

use crate::call::call;
use crate::error::Failure;
use crate::host::{clock, seed};

/// Text for C. A zero within it, which no text of ours has, would end it.
pub(crate) fn c_string(text: &str) -> CString {
    let bytes = text.bytes().filter(|&byte| byte != 0).collect::<Vec<_>>();
    CString::new(bytes).unwrap_or_default()
}

/// Text that the caller frees with [`open_ttt_text_free`].
#[doc(hidden)]
pub fn given_away(text: &str) -> *mut c_char {
    c_string(text).into_raw()
}

/// The caller's text; `what` is its name in the error.
///
/// # Safety
///
/// `text` is null, or it ends with a zero and doesn't change during the call.
pub(crate) unsafe fn taken<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::new(format_args!("{what} is NULL")));
    }
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str();
    text.map_err(|_| Failure::new(format_args!("{what} isn't UTF-8")))
}

/// The answer to a text, given a clock and a seed, for modules that add functions to these. The
/// caller frees it; `NULL` is an error.
///
/// # Safety
///
/// `text` is a text.
#[doc(hidden)]
pub unsafe fn answer_text(
    text: *const c_char,
    answer: impl FnOnce(&str, Clock, u64) -> String,
) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let text = unsafe { taken(text, "the text") }?;
        Ok(given_away(&answer(text, clock(), seed())))
    })
}

/// Takes bytes under a name, for functions that are given files. Returns false on an error.
///
/// # Safety
///
/// `name` is a text, and `bytes` points to `length` bytes.
#[doc(hidden)]
pub unsafe fn take_bytes(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
    take: impl FnOnce(&str, &[u8]) -> Result<(), Failure>,
) -> bool {
    call(false, || {
        if bytes.is_null() {
            return Err(Failure::new("the bytes are NULL"));
        }
        if isize::try_from(length).is_err() {
            return Err(Failure::new("there can't be so many bytes"));
        }
        // SAFETY: the caller's promise.
        let (name, bytes) = unsafe { (taken(name, "the name")?, from_raw_parts(bytes, length)) };
        take(name, bytes)?;
        Ok(true)
    })
}

/// A text of this many bytes, none of them zero, for callers that can't make one themselves,
/// like JavaScript. It may be filled with other bytes that aren't zero. The caller frees it;
/// `NULL` is an error: there is no memory for it.
#[unsafe(no_mangle)]
pub extern "C" fn open_ttt_text_new(bytes: usize) -> *mut c_char {
    call(ptr::null_mut(), || {
        let mut text = Vec::new();
        let reserved = text.try_reserve_exact(bytes.saturating_add(1));
        reserved.map_err(|_| Failure::new("there is no memory for the text"))?;
        text.resize(bytes, b' ');
        let text = CString::new(text).map_err(Failure::new)?;
        Ok(text.into_raw())
    })
}

/// Frees a text that a function has returned. `NULL` is allowed. A text that is to be freed must
/// not be changed; only one of `open_ttt_text_new` may, as is said there.
///
/// # Safety
///
/// `text` was returned by a function whose result is to be freed, and not freed yet; the first
/// zero in it is where it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it comes from `given_away`.
        drop(unsafe { CString::from_raw(text) });
    }
}
