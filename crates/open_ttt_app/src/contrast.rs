//! How well colours can be told apart, as WCAG 2.2 defines it.

/// The relative luminance of a colour in the 6x6x6 cube or the greys of a terminal with 256
/// colours.
pub(crate) fn luminance(index: u8) -> f64 {
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

/// The contrast of two luminances, at least 1.
pub(crate) fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

mod tests {
    use super::*;
    use crate::draw::{BoardText, Role, Span};
    use open_ttt_lib::rules::Color;

    /// The index of the colour with which a board is written for a terminal.
    fn written(color: Color) -> u8 {
        let span = Span {
            text: "#".to_owned(),
            role: Role::Piece(None),
            color: Some(color),
        };
        let board = BoardText {
            lines: vec![vec![span]],
        };
        let text = board.coloured().to_string();
        let (_, code) = text.split_once("38;5;").expect("a colour");
        let (index, _) = code.split_once('m').expect("its end");
        index.parse().expect("a number")
    }

    #[test]
    fn every_colour_of_a_board_is_visible_on_black_and_on_white() {
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
            let luminance = luminance(written(color));
            let [on_black, on_white] = [0.0, 1.0].map(|ground| contrast(luminance, ground));
            assert!(
                on_black >= 3.0 && on_white >= 3.0,
                "{color:?}: {on_black:.2} on black, {on_white:.2} on white"
            );
        }
    }
}
