use std::ffi::{CStr, c_char};
use std::ptr;

use open_ttt_catalog::Catalog;

use crate::call::call;
use crate::error::Failure;
use crate::text::{given_away, taken};

/// The keys of the games, separated by spaces: `"ttt pegs connect4 .."`. The caller frees the
/// text.
#[unsafe(no_mangle)]
pub extern "C" fn open_ttt_games() -> *mut c_char {
    call(ptr::null_mut(), || {
        let keys: Vec<_> = Catalog::bundled().keys().collect();
        Ok(given_away(&keys.join(" ")))
    })
}

/// The rules of the game with this key, in a few lines. The caller frees the text; `NULL` is
/// an error.
///
/// # Safety
///
/// `key` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_rules(key: *const c_char) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let key = unsafe { taken(key, "the key") }?;
        let game = Catalog::bundled().game(key).map_err(Failure::new)?;
        Ok(given_away(game.entry().rules))
    })
}

/// The version of the library, as in `"0.3.0"`. It isn't freed.
#[unsafe(no_mangle)]
pub extern "C" fn open_ttt_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    CStr::from_bytes_with_nul(VERSION.as_bytes()).map_or(ptr::null(), CStr::as_ptr)
}
