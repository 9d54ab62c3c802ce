use std::env;

use super::board::Favor;
use super::preferences::{Background, ColorUse, Preferences, Symbols};
use anstream::{AutoStream, ColorChoice};
use open_ttt_lib::rules::{Color, Piece, Shape, Side};
use ratatui::style::{Color as Ink, Modifier, Style};

/// How the screen uses colours and characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) colors: Colors,
    /// Whether the terminal shows box-drawing characters and blocks.
    pub(super) unicode: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colors {
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// None: bold, underlined and inverted text instead.
    Without,
}

/// The ground of a board with black and white pieces. Both have a contrast of at least 4 on it.
const FELT: Ink = Ink::Indexed(65);
const BLACK: Ink = Ink::Indexed(16);
const WHITE: Ink = Ink::Indexed(231);

impl Theme {
    /// What a person prefers, and what the environment says about the terminal: `NO_COLOR` and
    /// `TERM`, `COLORFGBG` and the locale.
    pub(super) fn new(preferences: &Preferences) -> Self {
        let has_colors = match preferences.colors {
            Some(wanted) => wanted == ColorUse::Always,
            None => AutoStream::choice(&std::io::stdout()) != ColorChoice::Never,
        };
        let background = preferences
            .background
            .unwrap_or_else(environment_background);
        let symbols = preferences.symbols.unwrap_or_else(environment_symbols);
        Self {
            colors: match (has_colors, background) {
                (false, _) => Colors::Without,
                (true, Background::Light) => Colors::Light,
                (true, Background::Dark) => Colors::Dark,
            },
            unicode: symbols == Symbols::Unicode,
        }
    }

    /// The background, if there are colours.
    pub(super) const fn background(self) -> Option<Background> {
        match self.colors {
            Colors::Dark => Some(Background::Dark),
            Colors::Light => Some(Background::Light),
            Colors::Without => None,
        }
    }

    /// The theme for the other background.
    pub(super) const fn toggled(self) -> Self {
        let colors = match self.colors {
            Colors::Dark => Colors::Light,
            Colors::Light => Colors::Dark,
            Colors::Without => Colors::Without,
        };
        Self { colors, ..self }
    }

    /// One of two texts: with characters beyond ASCII, or in ASCII.
    pub(super) const fn choose<T: Copy>(self, unicode: T, ascii: T) -> T {
        if self.unicode { unicode } else { ascii }
    }

    /// A text in characters that the terminal shows.
    pub(super) fn in_characters(self, text: &str) -> String {
        if self.unicode {
            return text.to_owned();
        }
        let replaced = [
            ("…", "..."),
            ("±", "+-"),
            ("█", "#"),
            ("░", "-"),
            ("∞", "inf"),
        ];
        let replace = |text: String, (from, to): (&str, &str)| text.replace(from, to);
        let text = replaced.into_iter().fold(text.to_owned(), replace);
        let shown = |letter: char| if letter.is_ascii() { letter } else { '?' };
        text.chars().map(shown).collect()
    }

    /// The mark of a piece. In ASCII other characters tell the shape of a figure, or the
    /// side.
    pub(super) fn mark(self, piece: Piece) -> String {
        let ascii = match (piece.shape, piece.side) {
            (Shape::Figure { square, hollow, .. }, _) => match (square, hollow) {
                (true, false) => '#',
                (true, true) => '=',
                (false, false) => '@',
                (false, true) => 'o',
            },
            (_, Some(Side::First)) => 'X',
            (_, Some(Side::Second)) => 'O',
            (_, None) => '*',
        };
        let shown = |letter: char| {
            if self.unicode || letter.is_ascii() {
                letter
            } else {
                ascii
            }
        };
        piece.mark.chars().map(shown).collect()
    }

    /// Text in a colour of the game.
    pub(super) fn text(self, color: Color) -> Style {
        let [dark, light] = match color {
            Color::Red => [203, 160],
            Color::Orange => [208, 166],
            Color::Yellow => [220, 136],
            Color::Green => [77, 28],
            Color::Teal => [43, 30],
            Color::Blue => [75, 26],
            Color::Purple => [141, 134],
            Color::Pink => [211, 198],
            Color::Brown => [173, 94],
            Color::Gray => [247, 243],
            Color::Black => [245, 16],
            Color::White => [231, 240],
        };
        self.colored(|style| style.fg(Ink::Indexed(if self.is_dark() { dark } else { light })))
    }

    /// A surface in a colour of the game, and legible text on it. On felt, black is black
    /// and white is white; on the terminal's own ground they are greys where they would
    /// vanish.
    pub(super) fn surface(self, color: Color, on_felt: bool) -> [Ink; 2] {
        let index = match color {
            Color::Red => 160,
            Color::Orange => 208,
            Color::Yellow => 220,
            Color::Green => 28,
            Color::Teal => 37,
            Color::Blue => 26,
            Color::Purple => 91,
            Color::Pink => 205,
            Color::Brown => 94,
            Color::Gray => 245,
            Color::Black if on_felt || !self.is_dark() => 16,
            Color::Black => 239,
            Color::White if on_felt || self.is_dark() => 231,
            Color::White => 250,
        };
        let is_bright = matches!(
            color,
            Color::Orange | Color::Yellow | Color::Teal | Color::Pink | Color::Gray | Color::White
        );
        [Ink::Indexed(index), if is_bright { BLACK } else { WHITE }]
    }

    /// The ground of a board with sides of these colours.
    pub(super) fn ground(self, sides: [Color; 2]) -> Style {
        let is_felt = Self::is_felt(sides);
        self.colored(|style| {
            if is_felt {
                style.bg(FELT).fg(BLACK)
            } else {
                style
            }
        })
    }

    /// Whether a board of these colours lies on felt: black and white pieces have no
    /// background in common otherwise.
    pub(super) fn is_felt(sides: [Color; 2]) -> bool {
        let is_gray = |color: &Color| matches!(color, Color::Black | Color::White);
        sides.iter().all(is_gray)
    }

    /// Frames, labels and hints.
    pub(super) fn quiet(self) -> Style {
        let index = if self.is_dark() { 244 } else { 242 };
        self.colored(|style| style.fg(Ink::Indexed(index)))
    }

    /// What is chosen in a list or has the cursor on the board.
    pub(super) fn cursor(self) -> Style {
        let colors = if self.is_dark() { (220, 16) } else { (26, 231) };
        self.highlight(colors)
    }

    /// A place already chosen for a move.
    pub(super) fn chosen(self) -> Style {
        let colors = if self.is_dark() { (31, 231) } else { (153, 16) };
        self.highlight(colors)
    }

    /// The ground of the last move.
    pub(super) fn last_move(self) -> Style {
        match self.colors {
            Colors::Dark => Style::new().bg(Ink::Indexed(238)),
            Colors::Light => Style::new().bg(Ink::Indexed(253)),
            Colors::Without => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    /// The ground of a line that won or scored.
    pub(super) fn line(self) -> Style {
        let colors = if self.is_dark() { (94, 231) } else { (222, 16) };
        self.highlight(colors)
    }

    /// The places of a hint.
    pub(super) fn hint(self) -> Style {
        let colors = if self.is_dark() { (28, 231) } else { (114, 16) };
        self.highlight(colors)
    }

    /// What a move is worth, on the terminal's own ground.
    pub(super) fn value(self, favor: Favor) -> Style {
        let color = match favor {
            Favor::Good => Color::Green,
            Favor::Even => Color::Yellow,
            Favor::Bad => Color::Red,
        };
        self.text(color).add_modifier(Modifier::BOLD)
    }

    /// An error.
    pub(super) fn error(self) -> Style {
        self.text(Color::Orange).add_modifier(Modifier::BOLD)
    }

    const fn is_dark(self) -> bool {
        matches!(self.colors, Colors::Dark)
    }

    fn colored(self, set: impl Fn(Style) -> Style) -> Style {
        match self.colors {
            Colors::Without => Style::new(),
            Colors::Dark | Colors::Light => set(Style::new()),
        }
    }

    fn highlight(self, (ground, text): (u8, u8)) -> Style {
        match self.colors {
            Colors::Without => Style::new().add_modifier(Modifier::REVERSED),
            Colors::Dark | Colors::Light => {
                Style::new().bg(Ink::Indexed(ground)).fg(Ink::Indexed(text))
            }
        }
    }
}

fn environment_background() -> Background {
    let ground = env::var("COLORFGBG").unwrap_or_default();
    match ground.rsplit(';').next() {
        Some("7" | "15") => Background::Light,
        _ => Background::Dark,
    }
}

fn environment_symbols() -> Symbols {
    // The first that is set decides, as POSIX has it.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| env::var(name).unwrap_or_default());
    let locale = locale.into_iter().find(|value| !value.is_empty());
    let is_utf8 = |locale: String| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    };
    if cfg!(windows) || locale.is_some_and(is_utf8) {
        Symbols::Unicode
    } else {
        Symbols::Ascii
    }
}
