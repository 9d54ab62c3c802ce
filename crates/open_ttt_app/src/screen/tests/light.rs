//! What the coach shows in the light theme, with its colours.

use core::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use open_ttt_lib::rules::{Drawing, Notation};
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::KeyCode;
use ratatui::style::{Color as Ink, Modifier};

use super::super::match_state::MatchState;
use super::coach::{ByNumber, settle, tic_tac_toe};
use super::{DARK, LIGHT, drawn, game, people, press, text, write};
use crate::App;
use crate::contrast::{contrast, luminance};

const SIZES: [[u16; 2]; 3] = [[80, 24], [40, 15], [120, 40]];

/// The least contrast of what is drawn.
const LEAST: f64 = 3.0;

type Style = (Ink, Ink, Modifier);

const fn style(cell: &Cell) -> Style {
    (cell.fg, cell.bg, cell.modifier)
}

/// The luminances of a cell's colours on a white screen with black text, what is drawn and
/// what is below it.
fn luminances(cell: &Cell) -> [f64; 2] {
    let of = |ink, default| match ink {
        Ink::Indexed(index) => luminance(index),
        Ink::Reset => default,
        other => panic!("{other:?} differs from terminal to terminal"),
    };
    let mut both = [of(cell.fg, 0.0), of(cell.bg, 1.0)];
    if cell.modifier.contains(Modifier::REVERSED) {
        both.reverse();
    }
    both
}

/// The text of a buffer, then a letter for the style of each cell, and what the letters mean.
fn with_styles(buffer: &Buffer) -> String {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let usual = style(&Cell::EMPTY);
    let mut styles: Vec<Style> = Vec::new();
    let mut screen = text(buffer);
    screen.push_str("-- styles\n");
    for row in buffer.area.rows() {
        let letters = row.positions().map(|at| {
            let cell = style(&buffer[at]);
            if cell == usual {
                return ' ';
            }
            let known = styles.iter().position(|&style| style == cell);
            let index = known.unwrap_or_else(|| {
                styles.push(cell);
                styles.len() - 1
            });
            LETTERS.chars().nth(index).expect("few styles")
        });
        let line: String = letters.collect();
        let _ = writeln!(screen, "{}", line.trim_end());
    }
    for (letter, (text, ground, modifier)) in LETTERS.chars().zip(styles) {
        let name = |ink| match ink {
            Ink::Indexed(index) => index.to_string(),
            _ => "usual".to_owned(),
        };
        let _ = write!(screen, "{letter}: {} on {}", name(text), name(ground));
        for (name, _) in modifier.iter_names() {
            let _ = write!(screen, ", {}", name.to_lowercase());
        }
        screen.push('\n');
    }
    screen
}

/// Compares the screens in all sizes, with their colours, with a file, which the environment
/// variable `UPDATE_SCREENS` has written. They show the same text as in the dark theme, in
/// colours that are legible on white.
#[track_caller]
fn check_light_after<G>(name: &str, app: &App<G>, moves: &str, act: impl Fn(&mut MatchState<'_, G>))
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let mut screens = String::new();
    for size in SIZES {
        let [light, dark] = [LIGHT, DARK].map(|theme| {
            let mut state = people(app, moves, theme);
            act(&mut state);
            drawn(&mut state, size)
        });
        assert_eq!(text(&light), text(&dark), "{name} {size:?}");
        assert_ne!(light, dark, "{name} {size:?}: the colours differ");
        // The rim of a disc may be pale: its mark isn't.
        let is_rim = |cell: &Cell| "▄▀█".contains(cell.symbol());
        let drawn = light.content.iter().filter(|cell| cell.symbol() != " ");
        for cell in drawn.filter(|cell| !is_rim(cell)) {
            let [ink, ground] = luminances(cell);
            assert!(contrast(ink, ground) >= LEAST, "{name} {size:?}: {cell:?}");
        }
        screens += &with_styles(&light);
        screens += &"=".repeat(size[0].into());
        screens.push('\n');
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/screen/tests/screens");
    let path = folder.join(format!("{name}_light.txt"));
    if env::var_os("UPDATE_SCREENS").is_some() {
        fs::write(&path, &screens).expect("the file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        screens == expected,
        "{name}:\n{screens}-- is not --\n{expected}"
    );
}

#[test]
fn values_in_the_light_theme() {
    let app = App::new(game("connect4")).judge(|| Box::new(ByNumber));
    check_light_after("coach_values", &app, "4 4 3 5 2 1", |state| {
        write(state, "v");
        settle(state);
    });
    let app = App::new(game("draughts")).judge(|| Box::new(ByNumber));
    check_light_after("coach_values_from", &app, "11-15 22-18", |state| {
        write(state, "v");
        settle(state);
    });
}

#[test]
fn a_hint_in_the_light_theme() {
    let app = tic_tac_toe();
    check_light_after("coach_hint", &app, "a1 b2 a2", |state| {
        write(state, "hh");
        settle(state);
    });
}

#[test]
fn a_review_in_the_light_theme() {
    let app = tic_tac_toe();
    check_light_after("coach_review", &app, "a1 b1 b2 c3 a3 c1 a2", |state| {
        write(state, "r");
        settle(state);
        for _ in 0..5 {
            press(state, KeyCode::Left);
        }
    });
}
