#![doc = include_str!("../README.md")]

mod canvas;
mod dots;
mod grid;
mod hexagons;
mod layers;
mod points;
mod stacks;
mod style;
mod trays;

use core::fmt;

use open_ttt_lib::rules::{Color, Layout, Picture, Side};

use canvas::Canvas;

/// Draws a picture for a terminal of this size.
///
/// A flat board has a box around each cell if that fits, and otherwise a space
/// between the cells. Layers are drawn side by side, in several rows if one is
/// too wide. If nothing fits the width, a line above the board says so. The points, the
/// trays and the status are below the board.
///
/// A cell shows its piece's mark, after their number if there are several; without a
/// piece its label, or the small letter of the side that it belongs to.
///
/// ```
/// use open_ttt_draw::{Size, draw};
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
pub fn draw<M>(picture: &Picture<M>, size: Size) -> BoardText {
    let mut below = Canvas::default();
    trays::put(&mut below, picture, size.columns.into());
    let size = Size {
        rows: size.rows.saturating_sub(below.height() as u16),
        ..size
    };
    let mut canvas = match &picture.layout {
        Layout::Grid {
            columns,
            rows,
            block,
        } => grid::draw(picture, columns, rows, *block, size),
        Layout::Hexagons {
            columns,
            rows,
            bottom_and_top,
        } => hexagons::draw(picture, columns, rows, *bottom_and_top),
        Layout::Points {
            columns,
            rows,
            links,
        } => points::draw(picture, columns, rows, links, size),
        Layout::Dots { columns, rows } => dots::draw(picture, columns, rows),
        Layout::Layers {
            layers,
            columns,
            rows,
        } => layers::draw(picture, layers, columns, rows, size),
        Layout::Stacks { stacks, height } => stacks::draw(picture, stacks, *height),
        // `Layout` is non-exhaustive.
        _ => Canvas::default(),
    };
    let width = canvas.width();
    trays::put(&mut canvas, picture, size.columns.into());
    let mut text = canvas.into_text();
    if width > size.columns as usize {
        let available = size.columns;
        let warning = Span {
            text: format!("This board needs {width} columns; your terminal has {available}."),
            role: Role::Frame,
            color: None,
        };
        text.lines.insert(0, vec![warning]);
    }
    text
}

/// The lines a program prints below a board: an empty one, the side to move, the
/// moves, the question and the prompt.
const PROMPT_LINES: usize = 5;

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The characters in a line.
    pub columns: u16,
    /// The lines on the screen.
    pub rows: u16,
}

impl Default for Size {
    /// The classic 80 by 24.
    fn default() -> Self {
        Self {
            columns: 80,
            rows: 24,
        }
    }
}

/// A board as text. `to_string` returns it without colours; each line ends with
/// a line feed and has no trailing spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardText {
    /// The lines from the top, each as spans from the left.
    pub lines: Vec<Vec<Span>>,
}

/// A part of a line with a single role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// The role of the text.
    pub role: Role,
    /// The colour of a piece or of an area.
    pub color: Option<Color>,
}

/// The role of a part of a board's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The frame, labels and empty cells.
    Frame,
    /// A piece of this side or of neither, or the mark of this side.
    Piece(Option<Side>),
    /// A piece of this side, or of neither, in a line that won or scored.
    InLine(Option<Side>),
    /// An empty cell or an edge that belongs to this side.
    Area(Side),
}

impl BoardText {
    /// The same text with the escape codes of an ANSI terminal.
    ///
    /// Each colour has a contrast of at least 3 on black and on white.
    ///
    /// ```
    /// use open_ttt_draw::{Size, draw};
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_lib::rules::{Drawing, play_text};
    ///
    /// let mut game = TicTacToe::new();
    /// play_text(&mut game, "b2")?;
    /// let board = draw(&game.picture(), Size::default());
    /// assert!(board.coloured().to_string().contains("\u{1b}[38;5;160mX\u{1b}[0m"));
    /// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
    /// ```
    pub fn coloured(&self) -> impl fmt::Display {
        fmt::from_fn(|f| {
            self.write(f, |span, f| {
                let style = style::of(span);
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

impl fmt::Display for BoardText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |span, f| f.write_str(&span.text))
    }
}

/// The columns of a text: one per character.
fn width(text: &str) -> usize {
    text.chars().count()
}
