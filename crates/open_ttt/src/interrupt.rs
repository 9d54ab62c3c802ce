use std::sync::OnceLock;

use open_ttt_search::StopFlag;

/// The flag that Ctrl-C raises, for work that can report what it has so far.
///
/// Before the first call, and in commands that never ask for the flag, Ctrl-C
/// ends the program at once.
pub(crate) fn flag() -> StopFlag {
    static FLAG: OnceLock<StopFlag> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = StopFlag::new();
        let raised = flag.clone();
        // Without a handler Ctrl-C ends the program: nothing worse.
        let _ = ctrlc::set_handler(move || {
            if raised.is_raised() {
                // Who asks twice will not wait.
                std::process::exit(130);
            }
            raised.raise();
        });
        flag
    })
    .clone()
}
