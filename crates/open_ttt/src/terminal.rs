use open_ttt_app::draw::Size;
use terminal_size::{Height, Width};

/// How large the terminal is; without one, that of an old terminal.
pub(crate) fn size() -> Size {
    match terminal_size::terminal_size() {
        Some((Width(columns), Height(rows))) => Size { columns, rows },
        None => Size::default(),
    }
}
