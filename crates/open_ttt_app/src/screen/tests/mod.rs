//! Views drawn into buffers, and states that handle events, without a terminal.

mod arena;
mod coach;
mod following;
mod light;
mod playing;
mod solving;
mod turning;
mod views;

use core::fmt::Write as _;

use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::rules::{Drawing, Notation};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::match_input::Handled;
use super::match_state::MatchState;
use super::theme::{Colors, Theme};
use crate::App;

const DARK: Theme = Theme {
    colors: Colors::Dark,
    unicode: true,
};
const LIGHT: Theme = Theme {
    colors: Colors::Light,
    unicode: true,
};
const PLAIN: Theme = Theme {
    colors: Colors::Without,
    unicode: false,
};

/// The smallest screen that shows everything.
const SMALL: [u16; 2] = [40, 15];

/// The start of a game by its name in the catalog.
fn game(name: &str) -> DynGame {
    let start = Catalog::bundled().game(name);
    start.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What the help shows before and after it is scrolled on a small screen, if a person plays.
#[track_caller]
fn check_help(top: &str, bottom: &str) {
    for part in [
        "│ Choose a move with the arrow keys ",
        "│ and Enter, with a click, or type it ",
        "│ and press Enter. ",
        " ↑↓ scroll ",
    ] {
        assert!(top.contains(part), "{part:?} is missing in\n{top}");
    }
    assert!(!top.contains("Ctrl-C"), "{top}");
    assert!(bottom.contains("│ Ctrl-C "), "{bottom}");
}

/// A game of two people after some moves.
fn people<'a, G>(app: &'a App<G>, moves: &str, theme: Theme) -> MatchState<'a, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let mut state = MatchState::new(app, [None, None], theme);
    for text in moves.split_whitespace() {
        let m = state.game.position().parse_move(text).expect("a move");
        state.play(m);
    }
    state
}

/// What the screen shows.
fn drawn<G>(state: &mut MatchState<'_, G>, [width, height]: [u16; 2]) -> Buffer
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a buffer");
    let frame = terminal.draw(|frame| state.draw(frame)).expect("a buffer");
    frame.buffer.clone()
}

/// The text of a buffer, without spaces at the ends of lines.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.rows() {
        let line: String = y.positions().map(|at| buffer[at].symbol()).collect();
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn press<G>(state: &mut MatchState<'_, G>, code: KeyCode) -> Handled
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    state.handle(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

/// Presses a key for each character.
fn write<G>(state: &mut MatchState<'_, G>, text: &str)
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    for letter in text.chars() {
        press(state, KeyCode::Char(letter));
    }
}

/// A letter pressed with Ctrl.
fn control(letter: char) -> Event {
    Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
}

fn click<G>(state: &mut MatchState<'_, G>, [column, row]: [u16; 2]) -> Handled
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    state.handle(&Event::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row,
        modifiers: KeyModifiers::NONE,
    }))
}
