use anstyle::{Ansi256Color, Style};
use open_ttt_lib::rules::Color;

use super::{Role, Span};

/// Lines are bold and inverted, so they stand out without colours, too.
pub(super) fn of(span: &Span) -> Style {
    let color = span.color.and_then(ansi);
    let style = Style::new().fg_color(color.map(Into::into));
    match span.role {
        Role::Frame => Style::new(),
        Role::Piece(_) if span.color == Some(Color::White) => style.bold(),
        Role::Piece(_) | Role::Area(_) => style,
        Role::InLine(_) => style.bold().invert(),
    }
}

/// A colour that is visible on black and on white; `None` for that of the text.
fn ansi(color: Color) -> Option<Ansi256Color> {
    let index = match color {
        Color::Red => 160,
        Color::Orange => 166,
        Color::Yellow => 136,
        Color::Green => 28,
        Color::Teal => 30,
        Color::Blue => 33,
        Color::Purple => 134,
        Color::Pink => 198,
        Color::Brown => 94,
        Color::Gray | Color::Black => 244,
        Color::White => return None,
    };
    Some(Ansi256Color(index))
}
