//! A [`Picture`] as text, plain or coloured.
//!
//! [`draw`] is a pure function: what it returns can be printed, compared in a
//! test, or taken apart into [`Span`]s by a program with colours of its own.

mod canvas;
mod grid;
mod layers;
mod stacks;

use core::fmt;

use anstyle::{AnsiColor, Style};
use open_ttt_lib::rules::{Layout, Picture, Side};

use canvas::Canvas;

/// Draws a picture for a terminal of this size.
///
/// A flat board is drawn with a box around each cell where that fits, and
/// otherwise with nothing between the cells but a space. Layers stand side by
/// side, boxed if that fits and in several rows if one is too wide. Where
/// nothing fits the width, a sentence before the board says how wide it is.
///
/// ```
/// use open_ttt_app::draw::{Size, draw};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{Drawing, play_text};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "b2 c1 b1 b3")?;
/// let board = draw(&game.picture(), Size::default());
/// assert_eq!(
///     board.to_string(),
///     "   +---+---+---+
///  3 |   | O |   |
///    +---+---+---+
///  2 |   | X |   |
///    +---+---+---+
///  1 |   | X | O |
///    +---+---+---+
///      a   b   c
/// ",
/// );
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn draw<M>(picture: &Picture<M>, size: Size) -> Drawn {
    let canvas = match &picture.layout {
        Layout::Grid {
            columns,
            rows,
            block,
        } => grid::draw(picture, columns, rows, *block, size),
        Layout::Layers {
            layers,
            columns,
            rows,
        } => layers::draw(picture, layers, columns, rows, size),
        Layout::Stacks { stacks, height } => stacks::draw(picture, stacks, *height),
        // A layout that is younger than this crate.
        _ => Canvas::default(),
    };
    let width = canvas.width();
    let mut drawn = canvas.into_drawn();
    if width > size.columns as usize {
        let warning = format!(
            "This board is {width} columns wide, more than the {} of the terminal",
            size.columns
        );
        let span = Span {
            text: warning,
            role: Role::Frame,
        };
        drawn.lines.insert(0, vec![span]);
    }
    drawn
}

/// How many lines a program writes below a board: a gap, whose turn it is,
/// the moves, the question and the answer.
const PROMPT_LINES: usize = 5;

/// How much room there is, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters in a line.
    pub columns: u16,
    /// Lines on the screen.
    pub rows: u16,
}

impl Default for Size {
    /// The 80 by 24 of an old terminal, which every newer one has too.
    fn default() -> Self {
        Self {
            columns: 80,
            rows: 24,
        }
    }
}

/// A board as text. `to_string` gives it without colours, each line ended and
/// without spaces at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The lines from the top, each in pieces from the left.
    pub lines: Vec<Vec<Span>>,
}

/// Some text of one line, all of it with the same meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// What it is.
    pub role: Role,
}

/// What a piece of a drawn board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The board itself: frame, labels and empty cells.
    Frame,
    /// A piece of this side, or its points.
    Piece(Side),
    /// A piece of this side that stands in a line that won or scored.
    InLine(Side),
}

impl Drawn {
    /// The same text with the escape codes of an ANSI terminal.
    ///
    /// ```
    /// use open_ttt_app::draw::{Size, draw};
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_lib::rules::{Drawing, play_text};
    ///
    /// let mut game = TicTacToe::new();
    /// play_text(&mut game, "b2")?;
    /// let board = draw(&game.picture(), Size::default());
    /// assert!(board.coloured().to_string().contains("\u{1b}[91mX\u{1b}[0m"));
    /// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
    /// ```
    pub fn coloured(&self) -> impl fmt::Display {
        fmt::from_fn(|f| {
            self.write(f, |span, f| {
                let style = style(span.role);
                write!(f, "{style}{}{style:#}", span.text)
            })
        })
    }

    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        write_span: impl Fn(&Span, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        for line in &self.lines {
            for span in line {
                write_span(span, f)?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |span, f| f.write_str(&span.text))
    }
}

/// The sides differ in colour; a line stands out without one, by being bold
/// and inverted.
fn style(role: Role) -> Style {
    let of = |side: Side| {
        let colour = [AnsiColor::BrightRed, AnsiColor::BrightYellow][side.index()];
        Style::new().fg_color(Some(colour.into()))
    };
    match role {
        Role::Frame => Style::new(),
        Role::Piece(side) => of(side),
        Role::InLine(side) => of(side).bold().invert(),
    }
}

/// How many columns a text takes: one for each character.
fn width(text: &str) -> usize {
    text.chars().count()
}
