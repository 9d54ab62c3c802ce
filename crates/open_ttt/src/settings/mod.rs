//! What a person prefers in the full screen, in a file where the platform keeps settings.
//!
//! Lines of text and scripts don't depend on it.
//!
//! ```toml
//! theme = "light"      # the background of the terminal: "dark" or "light"
//! symbols = "ascii"    # "unicode" or "ascii"
//! colors = "never"     # "always" or "never"
//! pace = 500           # milliseconds between the moves of computers
//! level = "medium"     # the opponent that is selected first
//! game = "connect4"    # the game that is selected first
//! ```

mod args;
mod file;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::io;
use std::mem;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use open_ttt_app::{Background, ColorUse, Preferences, Screen, SessionEnd, Symbols};
use serde::Deserialize;

pub(crate) use args::DisplayArgs;
use file::SettingsFile;

use crate::failure::{Failure, path_text};
use crate::folders::config_folder;

/// The name of the file.
const FILE: &str = "settings.toml";

/// The contents of the file. What is left out is as the terminal or the program has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    theme: Option<Theme>,
    symbols: Option<SymbolSet>,
    colors: Option<Colors>,
    /// In milliseconds.
    pace: Option<u64>,
    level: Option<String>,
    game: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Theme {
    Dark,
    Light,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum SymbolSet {
    Unicode,
    Ascii,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Colors {
    Always,
    Never,
}

/// The settings of the person at the terminal: those of the file, which follows what the
/// person changes, and above them those of the command line.
#[derive(Clone, Debug)]
pub(crate) struct UserSettings(Rc<RefCell<State>>);

#[derive(Debug)]
struct State {
    /// `None` if there is no folder for it, or if it can't be read: it is not overwritten
    /// then.
    file: Option<SettingsFile>,
    preferences: Preferences,
    game: Option<String>,
    /// Why the file can't be read.
    problem: Option<String>,
    /// Why the file can't be written.
    write_error: Option<String>,
}

impl UserSettings {
    /// Reads the file.
    pub(crate) fn load(args: &DisplayArgs) -> Self {
        Self::of_file(config_folder().map(|folder| folder.join(FILE)), args)
    }

    fn of_file(path: Option<PathBuf>, args: &DisplayArgs) -> Self {
        let mut file = path.map(SettingsFile::new);
        let read = file
            .as_ref()
            .map_or(Ok(Settings::default()), SettingsFile::read);
        let mut problem = None;
        let settings = read.unwrap_or_else(|error| {
            let path = file.take().map(|file| path_text(file.path()));
            let path = path.unwrap_or_default();
            problem = Some(format!(
                "your settings in {path} can't be read, so the defaults apply and nothing is \
                 written there: {error}"
            ));
            Settings::default()
        });
        Self(Rc::new(RefCell::new(State {
            file,
            preferences: args.over(&settings),
            game: settings.game,
            problem,
            write_error: None,
        })))
    }

    /// The same with the time between the moves of computers that the command line has, if it
    /// has one.
    pub(crate) fn with_pace(self, pace: Option<Duration>) -> Self {
        if pace.is_some() {
            self.0.borrow_mut().preferences.pace = pace;
        }
        self
    }

    /// Opens the screen as the person prefers it, and keeps what is changed there. If the file
    /// can't be read, the screen says so first.
    ///
    /// # Errors
    ///
    /// If the person quits, or the terminal fails.
    pub(crate) fn open_screen(&self) -> Result<Screen, SessionEnd> {
        let mut screen = self.open_silently()?;
        if let Some(problem) = self.take_problem() {
            screen.show("Settings", &problem)?;
        }
        Ok(screen)
    }

    /// As [`open_screen`](Self::open_screen), but says nothing.
    ///
    /// # Errors
    ///
    /// If the terminal fails.
    pub(crate) fn open_silently(&self) -> io::Result<Screen> {
        let preferences = self.0.borrow().preferences.clone();
        let settings = self.clone();
        let screen = Screen::open_with(preferences)?;
        Ok(screen.on_change(move |now| settings.follow(now)))
    }

    /// Why the file can't be read, as a sentence, once.
    pub(crate) fn take_problem(&self) -> Option<String> {
        let problem = self.0.borrow_mut().problem.take();
        problem.map(open_ttt_app::sentence)
    }

    /// The key of the game that is selected first.
    pub(crate) fn game(&self) -> Option<String> {
        self.0.borrow().game.clone()
    }

    /// Keeps the game that was chosen last.
    pub(crate) fn set_game(&self, key: &str) {
        let mut state = self.0.borrow_mut();
        if state.game.as_deref() != Some(key) {
            state.game = Some(key.to_owned());
            state.write(&[("game", quoted(key))]);
        }
    }

    /// Writes what has changed.
    fn follow(&self, now: &Preferences) {
        let mut state = self.0.borrow_mut();
        let before = mem::replace(&mut state.preferences, now.clone());
        let mut changes = Vec::new();
        if let (true, Some(background)) = (before.background != now.background, now.background) {
            let theme = match background {
                Background::Dark => "dark",
                Background::Light => "light",
            };
            changes.push(("theme", quoted(theme)));
        }
        if let (true, Some(pace)) = (before.pace != now.pace, now.pace) {
            changes.push(("pace", pace.as_millis().to_string()));
        }
        if let (true, Some(level)) = (before.opponent != now.opponent, &now.opponent) {
            changes.push(("level", quoted(level)));
        }
        state.write(&changes);
    }

    /// Tells on standard error that the settings couldn't be written, if so: when the screen
    /// has been left.
    pub(crate) fn report(&self) {
        if let Some(error) = self.0.borrow_mut().write_error.take() {
            Failure::failed(format_args!("your settings aren't saved: {error}")).print();
        }
    }
}

impl State {
    fn write(&mut self, changes: &[(&str, String)]) {
        let Some(file) = self.file.as_ref().filter(|_| !changes.is_empty()) else {
            return;
        };
        if let Err(error) = file.change(changes) {
            self.write_error = Some(error);
        }
    }
}

/// A text as a value in the file.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

impl Settings {
    fn preferences(&self) -> Preferences {
        Preferences {
            background: self.theme.map(Theme::background),
            symbols: self.symbols.map(SymbolSet::symbols),
            colors: self.colors.map(Colors::color_use),
            pace: self.pace.map(Duration::from_millis),
            opponent: self.level.clone(),
        }
    }
}

impl Theme {
    const fn background(self) -> Background {
        match self {
            Self::Dark => Background::Dark,
            Self::Light => Background::Light,
        }
    }
}

impl SymbolSet {
    const fn symbols(self) -> Symbols {
        match self {
            Self::Unicode => Symbols::Unicode,
            Self::Ascii => Symbols::Ascii,
        }
    }
}

impl Colors {
    const fn color_use(self) -> ColorUse {
        match self {
            Self::Always => ColorUse::Always,
            Self::Never => ColorUse::Never,
        }
    }
}
