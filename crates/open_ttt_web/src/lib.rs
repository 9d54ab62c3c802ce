//! The functions of [`open_ttt_c`] as a WebAssembly module, one that gives a game its book, and
//! one for the page of a match server. `npm/open_ttt.js` calls them.
#![expect(
    unsafe_code,
    reason = "what JavaScript calls takes pointers and has names that aren't mangled"
)]

use core::ffi::c_char;

pub use open_ttt_c::*;

/// Answers a request about a game or a match against a computer as a match server does, JSON
/// with JSON: see [`open_ttt_net::answers`]. The caller frees the text.
///
/// # Safety
///
/// `request` is a text.
#[cfg(feature = "answers")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_answer(request: *const c_char) -> *mut c_char {
    use open_ttt_catalog::Catalog;
    use open_ttt_net::answers::{Host, answer};

    // SAFETY: the caller's promise.
    unsafe {
        answer_text(request, |request, clock, seed| {
            answer(&Catalog::bundled(), request, &Host { clock, seed })
        })
    }
}

/// The keys of the games that play from a book and haven't been given it, separated by spaces. The
/// caller frees the text.
#[cfg(open_ttt_small)]
#[unsafe(no_mangle)]
pub extern "C" fn open_ttt_missing_books() -> *mut c_char {
    let missing: Vec<_> = open_ttt_lib::games::missing_books().collect();
    given_away(&missing.join(" "))
}

/// Gives the game with this key its book. Returns false on an error.
///
/// # Safety
///
/// `key` is a text, and `bytes` points to `length` bytes.
#[cfg(open_ttt_small)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_book_add(
    key: *const c_char,
    bytes: *const u8,
    length: usize,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        take_bytes(key, bytes, length, |key, bytes| {
            let is_read = open_ttt_lib::games::add_book(key, bytes);
            let refused = || Failure::new(format_args!("this is no book of {key:?}"));
            is_read.then_some(()).ok_or_else(refused)
        })
    }
}
