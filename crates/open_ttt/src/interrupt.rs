use std::sync::OnceLock;

use open_ttt_app::FullScreen;
use open_ttt_search::StopFlag;

/// The flag that Ctrl-C raises, for commands that report partial results.
///
/// Before the first call Ctrl-C ends the program at once. A second Ctrl-C always
/// does.
pub(crate) fn flag() -> StopFlag {
    static FLAG: OnceLock<StopFlag> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = StopFlag::new();
        let raised = flag.clone();
        // Without a handler Ctrl-C still ends the program.
        let _ = ctrlc::set_handler(move || {
            if raised.is_raised() {
                FullScreen::restore();
                std::process::exit(130);
            }
            raised.raise();
        });
        flag
    })
    .clone()
}
