//! A win by threats on a board of fifteen by fifteen.

use open_ttt_lib::games::Mnk;
use open_ttt_lib::rules::{Notation, Side, TwoPlayerGame, play_text};
use open_ttt_search::{Budget, StopFlag};

use super::svg::{Anchor, Svg, ink};

/// X is to move and has a win by fours and threes.
const MOVES: &str = "h7 k10 j5 h9 i7 f7 e8 h11 g9 i10 e9 f9";

const CELL: f64 = 24.0;
const EDGE: f64 = 40.0;

/// The line of a forced win: the attacker's threats, and the replies that hold longest.
pub(crate) fn forced_win() -> String {
    let mut game = Mnk::new(15, 15, 5).expect("a board of K in a row");
    play_text(&mut game, MOVES).expect("a legal game");
    let won = open_ttt_search::forced_win(&game, &Budget::nodes(1_000_000), &StopFlag::new());
    let line = won.line.expect("a forced win");
    let size = EDGE * 2.0 + CELL * 14.0;
    let mut svg = Svg::new(size as u32, size as u32 + 24);
    let plies = line.len();
    let heading = format!("X wins by threats within {plies} moves");
    svg.text((12.0, 22.0), Anchor::Start, 14, ink::TEXT, &heading);
    let at = |column: u32, row: u32| {
        let up = 14.0 - f64::from(row);
        (EDGE + f64::from(column) * CELL, EDGE + 8.0 + up * CELL)
    };
    for step in 0..15 {
        svg.line(at(step, 0), at(step, 14), ink::PALE, 1.0);
        svg.line(at(0, step), at(14, step), ink::PALE, 1.0);
        let letter = char::from(b'a' + step as u8);
        let (below, beside) = (at(step, 0), at(0, step));
        svg.text(
            (below.0, below.1 + 24.0),
            Anchor::Middle,
            11,
            ink::QUIET,
            letter,
        );
        svg.text(
            (beside.0 - 14.0, beside.1 + 4.0),
            Anchor::End,
            11,
            ink::QUIET,
            step + 1,
        );
    }
    let place = |text: &str| {
        let column = u32::from(text.as_bytes()[0] - b'a');
        let row: u32 = text[1..].parse().expect("a row");
        at(column, row - 1)
    };
    let color = |side| match side {
        Side::First => ink::FIRST,
        Side::Second => ink::SECOND,
    };
    let mut side = Side::First;
    for m in MOVES.split(' ') {
        svg.circle(place(m), 9.0, "white", color(side));
        side = !side;
    }
    let mut position = game;
    for (number, &m) in (1..).zip(&line) {
        let center = place(&position.move_text(m));
        let color = color(position.to_move());
        svg.circle(center, 9.5, color, color);
        svg.text(
            (center.0, center.1 + 4.0),
            Anchor::Middle,
            11,
            "white",
            number,
        );
        position.play(m).expect("a legal move");
    }
    svg.finish(&heading)
}
