//! The full screen: a match that fills the terminal.
//!
//! A state handles events and draws itself into a frame; neither needs a terminal. [`Screen`]
//! owns the terminal and runs them.

mod arena;
mod board;
mod coach;
mod coach_view;
mod command;
mod cursor;
mod entry;
mod game_view;
mod list;
mod match_input;
mod match_state;
mod match_view;
mod move_input;
mod pace;
mod page;
mod preferences;
mod puzzle_state;
mod puzzle_view;
mod remote;
mod scroll;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use open_ttt_coach::Puzzle;
use open_ttt_lib::rules::{Drawing, Notation, Picture, Place};
use ratatui::Frame;
use ratatui::layout::Constraint::Length;
use ratatui::style::Modifier;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::app::App;
use crate::console::SessionEnd;
pub use arena::{ArenaMatch, ArenaProgress};
use arena::{ArenaView, Watched};
use entry::{Entry, Typed};
pub use list::ListItem;
use list::{Chosen, List, wrapped};
use match_input::Handled;
use match_state::{MatchState, Player};
use pace::Pace;
use page::{Page, Turned};
use preferences::Listener;
pub use preferences::{Background, ColorUse, Preferences, Symbols};
pub use puzzle_state::PuzzleEnd;
use puzzle_state::{PuzzleState, Solved};
use remote::RemoteState;
pub use remote::{
    RemoteAction, RemoteClock, RemoteCommand, RemoteMatch, RemotePlayer, RemoteStatus, RemoteUpdate,
};
use scroll::Scroll;
pub use terminal::FullScreen;
use theme::Theme;

/// How a move is chosen, in the help.
const HOW_TO_CHOOSE: &str =
    "Choose a move with the arrow keys and Enter, with a click, or type it and press Enter.";

/// What the key does that turns the board.
const TURN_TEXT: &str = "turn the board";

/// The widest text of the help: longer lines are hard to read.
const MAX_HELP_WIDTH: u16 = 58;

/// A border of characters that every terminal has.
const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// How often the screen looks for updates of a match that is played elsewhere.
const UPDATE_POLL: Duration = Duration::from_millis(20);

/// How long a picture of a match between computers stays.
const ARENA_FRAME: Duration = Duration::from_millis(100);

/// Where to go from a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    /// To where it was opened from.
    Back,
    /// Out of the program.
    Quit,
}

/// The name of a key, pressed with Ctrl if its letter is part of moves.
fn key_name(key: char, is_part_of_moves: bool) -> String {
    match key {
        ' ' => "Space".to_owned(),
        _ if is_part_of_moves => format!("Ctrl-{}", key.to_uppercase()),
        _ => key.to_string(),
    }
}

/// The keys with what they do, as many as fit. Those in `last` come after the others and are
/// always there.
fn keys_line(
    mut keys: Vec<(String, &str)>,
    last: Vec<(String, &str)>,
    width: usize,
    theme: Theme,
) -> Line<'static> {
    let length = |(key, text): &(String, &str)| key.chars().count() + text.len() + 3;
    let mut left = width.saturating_sub(last.iter().map(length).sum());
    keys.retain(|key| {
        let fits = length(key) <= left;
        left = if fits { left - length(key) } else { 0 };
        fits
    });
    let mut line = Line::default();
    for (key, text) in keys.into_iter().chain(last) {
        line.push_span(Span::styled(key, Modifier::BOLD));
        line.push_span(Span::styled(format!(" {text}  "), theme.quiet()));
    }
    line
}

/// The places of a move of the pictured position.
fn path_of<M: PartialEq + Copy>(picture: &Picture<M>, m: M) -> Vec<Place> {
    let choice = picture.choices.iter().find(|choice| choice.m == m);
    choice.map_or_else(Vec::new, |choice| choice.path.clone())
}

/// Draws what the keys do over everything else, below an introduction, and notes how far it
/// can be scrolled.
fn draw_keys(
    frame: &mut Frame<'_>,
    scroll: &mut Scroll,
    introduction: &str,
    keys: &[(String, &str)],
    theme: Theme,
) {
    let screen = frame.area();
    let room = usize::from(screen.width.saturating_sub(4).min(MAX_HELP_WIDTH));
    let names = keys.iter().map(|(key, _)| key.chars().count());
    let column = names.max().unwrap_or(0) + 1;
    let mut lines = wrapped(introduction, room);
    if !lines.is_empty() {
        lines.push(String::new());
    }
    for (key, text) in keys {
        let mut key = key.as_str();
        for text in wrapped(text, room.saturating_sub(column)) {
            lines.push(format!("{key:column$}{text}"));
            key = "";
        }
    }
    let widths = lines.iter().map(|line| line.chars().count());
    let width = widths.max().unwrap_or(0) as u16 + 4;
    let area = screen.centered(Length(width), Length(lines.len() as u16 + 2));
    let first = scroll.fit(lines.len(), area.height.saturating_sub(2));
    frame.render_widget(Clear, area);
    let mut block = Block::bordered().title(" Keys ");
    if scroll.is_needed() {
        block = block.title_bottom(theme.choose(" ↑↓ scroll ", " Up Down scroll "));
    }
    if !theme.unicode {
        block = block.border_set(ASCII_BORDER);
    }
    let lines = lines.into_iter().skip(first);
    let text: Vec<_> = lines.map(|line| Line::raw(format!(" {line}"))).collect();
    frame.render_widget(Paragraph::new(text).block(block), area);
}

/// The terminal in full-screen mode.
///
/// Dropping it leaves the terminal as it was. So do a panic of the thread that opened it and,
/// on Unix, the signals that end a program: it handles SIGHUP, SIGINT, SIGQUIT and SIGTERM
/// from the first time on, and they still end the program.
#[derive(Debug)]
pub struct Screen {
    terminal: FullScreen,
    theme: Theme,
    preferences: Preferences,
    listener: Option<Listener>,
}

impl Screen {
    /// Whether standard input and output are a terminal on which a screen can be opened.
    pub fn is_available() -> bool {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
    }

    /// Takes over the terminal.
    ///
    /// # Errors
    ///
    /// If the terminal doesn't allow it. It is then as it was.
    pub fn open() -> io::Result<Self> {
        Self::open_with(Preferences::default())
    }

    /// As [`open`](Self::open), as a person prefers it.
    ///
    /// # Errors
    ///
    /// If the terminal doesn't allow it. It is then as it was.
    pub fn open_with(preferences: Preferences) -> io::Result<Self> {
        Ok(Self {
            terminal: FullScreen::open()?.with_mouse()?.of_this_thread(),
            theme: Theme::new(&preferences),
            preferences,
            listener: None,
        })
    }

    /// Sets what is called with the preferences at once when the person has changed them.
    #[must_use]
    pub fn on_change(self, listener: impl Fn(&Preferences) + 'static) -> Self {
        Self {
            listener: Some(Listener(Box::new(listener))),
            ..self
        }
    }

    /// Notes the theme and the pace that a person has chosen.
    fn note(&mut self, theme: Theme, pace: Option<Pace>) {
        let mut preferences = self.preferences.clone();
        if theme != self.theme {
            self.theme = theme;
            preferences.background = theme.background();
        }
        if let Some(pace) = pace {
            preferences.pace = Some(pace.interval());
        }
        self.set_preferences(preferences);
    }

    /// Notes the computer opponent that a person has chosen.
    pub(crate) fn note_opponent(&mut self, name: &str) {
        self.set_preferences(Preferences {
            opponent: Some(name.to_owned()),
            ..self.preferences.clone()
        });
    }

    /// The name of the computer opponent that was chosen last.
    pub(crate) fn opponent(&self) -> Option<&str> {
        self.preferences.opponent.as_deref()
    }

    fn set_preferences(&mut self, preferences: Preferences) {
        if preferences != self.preferences {
            self.preferences = preferences;
            if let Some(listener) = &self.listener {
                (listener.0)(&self.preferences);
            }
        }
    }

    /// Shows a list until an item is chosen; returns its index, or `None` to go back.
    /// `selected` is the item that is selected first.
    ///
    /// # Errors
    ///
    /// If the player quits the program, or reading or writing fails.
    pub fn choose(
        &mut self,
        title: &str,
        items: &[ListItem],
        selected: usize,
    ) -> Result<Option<usize>, SessionEnd> {
        let mut list = List::new(title, items, selected, self.theme);
        let mut is_changed = true;
        loop {
            if is_changed {
                self.terminal.draw(|frame| list.draw(frame))?;
            }
            let chosen = list.handle(&self.terminal.next_event()?);
            self.note(list.theme, None);
            is_changed = match chosen {
                Chosen::Nothing => false,
                Chosen::Changed => true,
                Chosen::Item(index) => return Ok(Some(index)),
                Chosen::Leave(Leave::Back) => return Ok(None),
                Chosen::Leave(Leave::Quit) => return Err(SessionEnd::Quit),
            };
        }
    }

    /// Shows a text until the player leaves it.
    ///
    /// # Errors
    ///
    /// If the player quits the program, or reading or writing fails.
    pub fn show(&mut self, title: &str, text: &str) -> Result<(), SessionEnd> {
        let mut page = Page::new(title, text, self.theme);
        let mut is_changed = true;
        loop {
            if is_changed {
                self.terminal.draw(|frame| page.draw(frame))?;
            }
            is_changed = match page.handle(&self.terminal.next_event()?) {
                Turned::Nothing => false,
                Turned::Changed => true,
                Turned::Leave(Leave::Back) => return Ok(()),
                Turned::Leave(Leave::Quit) => return Err(SessionEnd::Quit),
            };
        }
    }

    /// Asks for a line of text until `parse` accepts it, and shows its errors as they are.
    /// Returns `None` to go back.
    ///
    /// # Errors
    ///
    /// If the player quits the program, or reading or writing fails.
    pub fn ask<T>(
        &mut self,
        title: &str,
        help: &str,
        mut parse: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SessionEnd> {
        let mut entry = Entry::new(title, help, self.theme);
        let mut is_changed = true;
        loop {
            if is_changed {
                self.terminal.draw(|frame| entry.draw(frame))?;
            }
            is_changed = true;
            match entry.handle(&self.terminal.next_event()?) {
                Typed::Nothing => is_changed = false,
                Typed::Changed => {}
                Typed::Text => match parse(entry.text.trim()) {
                    Ok(answer) => return Ok(Some(answer)),
                    Err(error) => entry.error = error,
                },
                Typed::Leave(Leave::Back) => return Ok(None),
                Typed::Leave(Leave::Quit) => return Err(SessionEnd::Quit),
            }
        }
    }

    /// Shows a puzzle of the app's game until the player goes on to the next or back.
    ///
    /// # Errors
    ///
    /// If the player quits the program, or reading or writing fails.
    pub fn solve<G>(
        &mut self,
        app: &App<G>,
        title: &str,
        puzzle: &Puzzle<G::Move>,
    ) -> Result<PuzzleEnd, SessionEnd>
    where
        G: Notation + Drawing + Send + 'static,
        G::Move: Send,
    {
        let mut state = PuzzleState::new(app, puzzle, title, self.theme);
        let mut is_changed = true;
        loop {
            if is_changed {
                self.terminal.draw(|frame| state.draw(frame))?;
            }
            is_changed = false;
            if self.terminal.has_event(state.patience(Instant::now()))? {
                let solved = state.handle(&self.terminal.next_event()?, Instant::now());
                self.note(state.theme, None);
                match solved {
                    Solved::Nothing => {}
                    Solved::Changed => is_changed = true,
                    Solved::Next => break Ok(PuzzleEnd::Next),
                    Solved::Leave(Leave::Back) => break Ok(PuzzleEnd::Back),
                    Solved::Leave(Leave::Quit) => break Err(SessionEnd::Quit),
                }
            }
            is_changed |= state.tick(Instant::now());
        }
    }

    /// Shows a match that is played elsewhere until the person leaves, or until nobody sends
    /// updates any more. What the person does in it is handed to `send`.
    ///
    /// # Errors
    ///
    /// If the player quits the program, or reading or writing fails.
    pub fn follow<G: Notation + Drawing>(
        &mut self,
        updates: &Receiver<RemoteUpdate<G>>,
        mut send: impl FnMut(RemoteCommand),
    ) -> Result<(), SessionEnd> {
        let mut state = RemoteState::new(self.theme);
        let mut is_changed = true;
        loop {
            match updates.try_recv() {
                Ok(update) => {
                    state.update(update);
                    is_changed = true;
                    continue;
                }
                Err(TryRecvError::Disconnected) => break Ok(()),
                Err(TryRecvError::Empty) => {}
            }
            let now = Instant::now();
            if is_changed || state.tick(now) {
                self.terminal.draw(|frame| state.draw(frame, now))?;
            }
            is_changed = false;
            if self.terminal.has_event(Some(UPDATE_POLL))? {
                let handled = state.handle(&self.terminal.next_event()?);
                self.note(state.theme, None);
                match handled {
                    remote::Handled::Nothing => {}
                    remote::Handled::Changed => is_changed = true,
                    remote::Handled::Command(command) => {
                        is_changed = true;
                        send(command);
                    }
                    remote::Handled::Leave(Leave::Back) => break Ok(()),
                    remote::Handled::Leave(Leave::Quit) => break Err(SessionEnd::Quit),
                }
            }
        }
    }

    /// Shows a match between two computers until it is over. `stop` is called when the person
    /// wants to stop it.
    ///
    /// # Errors
    ///
    /// If the person wants to stop it a second time with Ctrl-C, or reading or writing fails.
    pub fn watch_arena<G: Drawing>(
        &mut self,
        progress: &ArenaProgress<G>,
        stop: impl Fn(),
    ) -> Result<(), SessionEnd> {
        let mut view = ArenaView::new(progress, self.theme);
        loop {
            if view.is_over() {
                break Ok(());
            }
            self.terminal
                .draw(|frame| view.draw(frame, Instant::now()))?;
            if !self.terminal.has_event(Some(ARENA_FRAME))? {
                continue;
            }
            let watched = view.handle(&self.terminal.next_event()?);
            self.note(view.theme, None);
            match watched {
                Watched::Nothing => {}
                Watched::Stop => stop(),
                Watched::Quit => break Err(SessionEnd::Quit),
            }
        }
    }

    /// Plays a series of games between these players until the person leaves.
    pub(crate) fn play<G>(
        &mut self,
        app: &App<G>,
        players: [Player<'_, G>; 2],
    ) -> Result<(), SessionEnd>
    where
        G: Notation + Drawing + Send + 'static,
        G::Move: Send,
    {
        let mut state = MatchState::new(app, players, self.theme);
        if let Some(interval) = self.preferences.pace {
            state.pace = Pace::with_interval(interval);
        }
        let mut pace = state.pace.interval();
        let mut is_changed = true;
        let leave = loop {
            if is_changed {
                self.terminal.draw(|frame| state.draw(frame))?;
            }
            is_changed = false;
            if self.terminal.has_event(state.patience(Instant::now()))? {
                let handled = state.handle(&self.terminal.next_event()?);
                let is_new = core::mem::replace(&mut pace, state.pace.interval()) != pace;
                self.note(state.theme, is_new.then_some(state.pace));
                match handled {
                    Handled::Nothing => {}
                    Handled::Changed => is_changed = true,
                    Handled::Leave(leave) => break leave,
                }
            }
            is_changed |= state.tick(Instant::now());
        };
        match leave {
            Leave::Back => Ok(()),
            Leave::Quit => Err(SessionEnd::Quit),
        }
    }
}
