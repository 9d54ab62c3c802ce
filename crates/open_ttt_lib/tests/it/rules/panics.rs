//! Panics as values: what they say and where.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// A panic.
#[derive(Debug)]
pub(crate) struct Panic {
    pub(crate) text: String,
    /// The file of its location.
    pub(crate) file: String,
}

thread_local! {
    /// Whether this thread expects a panic.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
    /// The last expected panic of this thread.
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// The panic of a check, if it panics. It isn't printed.
pub(crate) fn panic_of(check: impl FnOnce()) -> Option<Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            if !EXPECTED.get() {
                return print(info);
            }
            let file = info.location().map(Location::file);
            LAST.set(Some(Panic {
                text: info.payload_as_str().unwrap_or_default().to_owned(),
                file: file.unwrap_or_default().to_owned(),
            }));
        }));
    });
    EXPECTED.set(true);
    let result = catch_unwind(AssertUnwindSafe(check));
    EXPECTED.set(false);
    result.err().and_then(|_| LAST.take())
}
