//! The functions of [`open_ttt_c`] as a WebAssembly module, and one for the page of a match
//! server. `npm/open_ttt.js` calls them.
#![expect(
    unsafe_code,
    reason = "what JavaScript calls takes pointers and has names that aren't mangled"
)]

use core::ffi::c_char;

use open_ttt_catalog::Catalog;
use open_ttt_net::answers::{Host, answer};

pub use open_ttt_c::*;

/// Answers a request about a game or a match against a computer as a match server does, JSON
/// with JSON: see [`open_ttt_net::answers`]. The caller frees the text.
///
/// # Safety
///
/// `request` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_answer(request: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    unsafe {
        answer_text(request, |request, clock, seed| {
            answer(&Catalog::bundled(), request, &Host { clock, seed })
        })
    }
}
