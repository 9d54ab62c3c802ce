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

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour in the 6x6x6 cube or the greys of a terminal
    /// with 256 colours, as WCAG 2.2 defines it.
    fn luminance(Ansi256Color(index): Ansi256Color) -> f64 {
        let rgb = match index {
            16..=231 => {
                let levels = [0, 95, 135, 175, 215, 255];
                [36, 6, 1].map(|place| levels[usize::from((index - 16) / place % 6)])
            }
            232.. => [8 + 10 * (u16::from(index) - 232); 3],
            _ => panic!("the terminal chooses the first 16 colours"),
        };
        let linear = rgb.map(|value| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn every_colour_is_visible_on_black_and_on_white() {
        let colors = [
            Color::Red,
            Color::Orange,
            Color::Yellow,
            Color::Green,
            Color::Teal,
            Color::Blue,
            Color::Purple,
            Color::Pink,
            Color::Brown,
            Color::Gray,
            Color::Black,
        ];
        for color in colors {
            let luminance = luminance(ansi(color).expect("it has a value of its own"));
            let (on_black, on_white) = ((luminance + 0.05) / 0.05, 1.05 / (luminance + 0.05));
            assert!(
                on_black >= 3.0 && on_white >= 3.0,
                "{color:?}: {on_black:.2} on black, {on_white:.2} on white"
            );
        }
    }
}
