use open_ttt_lib::rules::{Cell, Picture, Place};

use super::canvas::{Canvas, Pieces};
use super::{Role, Size, width};

/// How many lines a program writes below a board: a gap, whose turn it is,
/// the moves, the question and the answer.
const PROMPT_LINES: usize = 5;

/// A board of so many rows is drawn boxed even where its prompts scroll it.
const ALWAYS_BOXED: usize = 9;

/// Draws a flat board, boxed if that fits.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    columns: &[String],
    rows: &[String],
    size: Size,
) -> Canvas {
    let board = Board::of(picture, columns, rows);
    let boxed = board.boxed();
    let fits_width = boxed.width() <= size.columns as usize;
    let fits_height =
        rows.len() <= ALWAYS_BOXED || boxed.height() + PROMPT_LINES <= size.rows as usize;
    if fits_width && fits_height {
        boxed
    } else {
        board.compact()
    }
}

struct Board<'a, M> {
    picture: &'a Picture<M>,
    columns: &'a [String],
    rows: &'a [String],
    /// The longest row label.
    row_label: usize,
    /// The longest of all that stands in a column.
    content: usize,
}

impl<'a, M> Board<'a, M> {
    fn of(picture: &'a Picture<M>, columns: &'a [String], rows: &'a [String]) -> Self {
        let marks = picture.marks.iter().map(|mark| width(mark));
        let labels = columns.iter().map(|label| width(label));
        Self {
            picture,
            columns,
            rows,
            row_label: rows.iter().map(|label| width(label)).max().unwrap_or(0),
            content: marks.chain(labels).max().unwrap_or(0).max(1),
        }
    }

    /// ```text
    ///    +---+---+
    ///  1 | X |   |
    ///    +---+---+
    ///      a   b
    /// ```
    fn boxed(&self) -> Canvas {
        let mut canvas = Canvas::default();
        let gutter = self.gutter();
        let step = self.content + 3;
        let edge = format!("+{}", "-".repeat(step - 1));
        let edge = format!("{}+", edge.repeat(self.columns.len()));
        canvas.put(gutter, 0, &edge, Role::Frame);
        for (row, label) in self.rows.iter().enumerate() {
            let line = 2 * self.line_of(row) + 1;
            self.put_row_label(&mut canvas, line, label);
            for wall in 0..=self.columns.len() {
                canvas.put(gutter + step * wall, line, "|", Role::Frame);
            }
            canvas.put(gutter, line + 1, &edge, Role::Frame);
        }
        let pieces = Pieces::of(self.picture);
        for (cell, column, row) in self.cells() {
            let (mark, role) = pieces.on(cell, "");
            let line = 2 * self.line_of(row) + 1;
            canvas.put(gutter + step * column + 2, line, mark, role);
        }
        self.put_foot(&mut canvas, 2 * self.rows.len() + 1, gutter + 2, step);
        canvas
    }

    /// ```text
    ///  1 X .
    ///    a b
    /// ```
    fn compact(&self) -> Canvas {
        let mut canvas = Canvas::default();
        let gutter = self.gutter();
        let step = self.content + 1;
        for (row, label) in self.rows.iter().enumerate() {
            self.put_row_label(&mut canvas, self.line_of(row), label);
        }
        let pieces = Pieces::of(self.picture);
        for (cell, column, row) in self.cells() {
            let (mark, role) = pieces.on(cell, ".");
            canvas.put(gutter + step * column, self.line_of(row), mark, role);
        }
        self.put_foot(&mut canvas, self.rows.len(), gutter, step);
        canvas
    }

    /// The room on the left for the row labels, with a space on each side. A
    /// board without such labels stands one space from the edge.
    fn gutter(&self) -> usize {
        match self.row_label {
            0 => 1,
            label => label + 2,
        }
    }

    /// Which row from the top it is.
    fn line_of(&self, row: usize) -> usize {
        self.rows.len() - 1 - row
    }

    /// The cells that are on the board, with their column and row.
    fn cells(&self) -> impl Iterator<Item = (&Cell<M>, usize, usize)> {
        self.picture.cells.iter().filter_map(|cell| {
            let Place { x, y, .. } = cell.place;
            let (column, row) = (x as usize, y as usize);
            (column < self.columns.len() && row < self.rows.len()).then_some((cell, column, row))
        })
    }

    fn put_row_label(&self, canvas: &mut Canvas, line: usize, label: &str) {
        let column = 1 + self.row_label - width(label);
        canvas.put(column, line, label, Role::Frame);
    }

    /// The column labels and, in games that count them, the points.
    fn put_foot(&self, canvas: &mut Canvas, line: usize, left: usize, step: usize) {
        for (column, label) in self.columns.iter().enumerate() {
            canvas.put(left + step * column, line, label, Role::Frame);
        }
        canvas.put_points(self.picture, [left; 2], line + 1);
    }
}
