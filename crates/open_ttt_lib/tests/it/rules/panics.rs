//! Panics as values: what they say and where.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// A panic.
#[derive(Debug)]
pub(crate) struct Panic {
    pub(crate) text: String,
    /// The file of its location.
    pub(crate) file: String,
}

thread_local! {
    /// The last panic of the thread, while one is expected.
    static EXPECTED: RefCell<Option<Option<Panic>>> = const { RefCell::new(None) };
}

/// The panic of a check, if it panics. It isn't printed.
pub(crate) fn panic_of(check: impl FnOnce()) -> Option<Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            let file = info.location().map(|location| location.file());
            let panic = Panic {
                text: info.payload_as_str().unwrap_or_default().to_owned(),
                file: file.unwrap_or_default().to_owned(),
            };
            let expected = EXPECTED.with_borrow_mut(|expected| {
                let is_expected = expected.is_some();
                if let Some(last) = expected {
                    *last = Some(panic);
                }
                is_expected
            });
            if !expected {
                print(info);
            }
        }));
    });
    EXPECTED.set(Some(None));
    let result = catch_unwind(AssertUnwindSafe(check));
    let panic = EXPECTED.take().flatten();
    result.err().and(panic)
}
