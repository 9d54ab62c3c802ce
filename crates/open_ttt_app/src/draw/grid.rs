use open_ttt_lib::rules::{BoardCell, Picture, Place};

use super::canvas::{Canvas, Pieces};
use super::{PROMPT_LINES, Role, Size, width};

/// A board of up to so many rows is drawn boxed even where its prompts scroll it.
const SMALL: usize = 9;

/// Draws a flat board, boxed if that fits.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    columns: &[String],
    rows: &[String],
    block: Option<u8>,
    size: Size,
) -> Canvas {
    let board = Board::of(picture, columns, rows).in_blocks(block);
    let boxed = board.whole(Form::Boxed);
    let fits_width = boxed.width() <= size.columns as usize;
    let prompt_lines = if rows.len() <= SMALL { 0 } else { PROMPT_LINES };
    let fits_height = boxed.height() + prompt_lines <= size.rows as usize;
    if fits_width && fits_height {
        boxed
    } else {
        board.whole(Form::Compact)
    }
}

/// What stands between the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Walls, thick ones between blocks:
    ///
    /// ```text
    ///    +---+---#---+
    ///  2 | X |   #   |
    ///    +===+===#===+
    ///  1 |   |   #   |
    ///    +---+---#---+
    ///      a   b   c
    /// ```
    Boxed,
    /// Spaces, and thin walls between blocks:
    ///
    /// ```text
    ///  2 X . | .
    ///    ----+--
    ///  1 . . | .
    ///    a b   c
    /// ```
    Compact,
}

/// A flat board, or one of several layers that look alike.
pub(super) struct Board<'a, M> {
    picture: &'a Picture<M>,
    pieces: Pieces<'a>,
    columns: &'a [String],
    rows: &'a [String],
    /// How many columns and rows make a block.
    block: Option<usize>,
    /// The longest row label.
    row_label: usize,
    /// The longest of all that stands in a column.
    content: usize,
}

impl<'a, M> Board<'a, M> {
    pub(super) fn of(picture: &'a Picture<M>, columns: &'a [String], rows: &'a [String]) -> Self {
        let marks = picture.marks.iter().map(|mark| width(mark));
        let labels = columns.iter().map(|label| width(label));
        Self {
            picture,
            pieces: Pieces::of(picture),
            columns,
            rows,
            block: None,
            row_label: rows.iter().map(|label| width(label)).max().unwrap_or(0),
            content: marks.chain(labels).max().unwrap_or(0).max(1),
        }
    }

    /// The same board with blocks of this size; none has no rows or columns.
    fn in_blocks(self, block: Option<u8>) -> Self {
        let block = block.map(usize::from).filter(|&size| size > 0);
        Self { block, ..self }
    }

    /// The board by itself, with its row labels and points.
    fn whole(&self, form: Form) -> Canvas {
        let mut canvas = Canvas::default();
        let gutter = self.gutter();
        self.put_row_labels(&mut canvas, 0, form);
        self.put(&mut canvas, [gutter, 0], 0, form);
        let left = gutter + self.column_at(0, form);
        canvas.put_points(self.picture, [left; 2], self.height(form));
        canvas
    }

    /// Draws one layer without its row labels, the upper left corner at
    /// `[column, line]`.
    pub(super) fn put(
        &self,
        canvas: &mut Canvas,
        [left, top]: [usize; 2],
        layer: usize,
        form: Form,
    ) {
        match form {
            Form::Boxed => self.put_boxes(canvas, left, top),
            Form::Compact => self.put_block_walls(canvas, left, top),
        }
        let empty = match form {
            Form::Boxed => "",
            Form::Compact => ".",
        };
        for (cell, column, row) in self.cells(layer) {
            let (mark, role) = self.pieces.on(cell, empty);
            let line = top + self.line_of(row, form);
            canvas.put(left + self.column_at(column, form), line, mark, role);
        }
        let foot = top + self.height(form) - 1;
        for (column, label) in self.columns.iter().enumerate() {
            canvas.put(
                left + self.column_at(column, form),
                foot,
                label,
                Role::Frame,
            );
        }
    }

    /// Writes the row labels of a board whose top is at this line, from the
    /// left edge on.
    pub(super) fn put_row_labels(&self, canvas: &mut Canvas, top: usize, form: Form) {
        for (row, label) in self.rows.iter().enumerate() {
            let column = 1 + self.row_label - width(label);
            let line = top + self.line_of(row, form);
            canvas.put(column, line, label, Role::Frame);
        }
    }

    /// The room on the left for the row labels, with a space on each side. A
    /// board without such labels stands one space from the edge.
    pub(super) fn gutter(&self) -> usize {
        match self.row_label {
            0 => 1,
            label => label + 2,
        }
    }

    /// How many columns of characters the board takes without its row labels.
    pub(super) fn width(&self, form: Form) -> usize {
        match (form, self.columns.len()) {
            (Form::Boxed, columns) => self.step(form) * columns + 1,
            (Form::Compact, 0) => 0,
            (Form::Compact, columns) => self.column_at(columns - 1, form) + self.content,
        }
    }

    /// How many lines the board takes with its column labels.
    pub(super) fn height(&self, form: Form) -> usize {
        match (form, self.rows.len()) {
            (Form::Boxed, rows) => 2 * rows + 2,
            (Form::Compact, 0) => 1,
            (Form::Compact, _) => self.line_of(0, form) + 2,
        }
    }

    /// Columns of characters from one cell to the next.
    fn step(&self, form: Form) -> usize {
        match form {
            Form::Boxed => self.content + 3,
            Form::Compact => self.content + 1,
        }
    }

    /// Where a column of cells stands, from the left side of the board.
    fn column_at(&self, column: usize, form: Form) -> usize {
        match form {
            Form::Boxed => self.step(form) * column + 2,
            Form::Compact => self.step(form) * column + 2 * self.walls_before(column),
        }
    }

    /// Where a row of cells stands, from the top of the board.
    fn line_of(&self, row: usize, form: Form) -> usize {
        let above = self.rows.len() - 1 - row;
        match form {
            Form::Boxed => 2 * above + 1,
            Form::Compact => {
                above + self.walls_before(self.rows.len() - 1) - self.walls_before(row)
            }
        }
    }

    /// How many walls between blocks there are before a column or row.
    fn walls_before(&self, index: usize) -> usize {
        self.block.map_or(0, |block| index / block)
    }

    /// Whether a block begins with this column or row, other than the first.
    fn is_wall(&self, index: usize, count: usize) -> bool {
        index > 0 && index < count && self.block.is_some_and(|block| index.is_multiple_of(block))
    }

    fn put_boxes(&self, canvas: &mut Canvas, left: usize, top: usize) {
        let (columns, rows) = (self.columns.len(), self.rows.len());
        let step = self.step(Form::Boxed);
        let thick = |column| self.is_wall(column, columns);
        for row in 0..=rows {
            // The edge below this many rows, counted from the top.
            let line = top + 2 * row;
            let between = if self.is_wall(rows - row, rows) {
                "="
            } else {
                "-"
            };
            canvas.put(left, line, &between.repeat(step * columns), Role::Frame);
            for column in 0..=columns {
                let corner = if thick(column) { "#" } else { "+" };
                canvas.put(left + step * column, line, corner, Role::Frame);
                if row < rows {
                    let wall = if thick(column) { "#" } else { "|" };
                    canvas.put(left + step * column, line + 1, wall, Role::Frame);
                }
            }
        }
    }

    fn put_block_walls(&self, canvas: &mut Canvas, left: usize, top: usize) {
        let (columns, rows) = (self.columns.len(), self.rows.len());
        let upright: Vec<_> = (0..columns)
            .filter(|&column| self.is_wall(column, columns))
            .map(|column| left + self.column_at(column, Form::Compact) - 2)
            .collect();
        for row in 0..rows {
            let line = top + self.line_of(row, Form::Compact);
            for &column in &upright {
                canvas.put(column, line, "|", Role::Frame);
            }
            if self.is_wall(row, rows) {
                let wall = "-".repeat(self.width(Form::Compact));
                canvas.put(left, line + 1, &wall, Role::Frame);
                for &column in &upright {
                    canvas.put(column, line + 1, "+", Role::Frame);
                }
            }
        }
    }

    /// The cells of a layer that are on the board, with their column and row.
    fn cells(&self, layer: usize) -> impl Iterator<Item = (&BoardCell<M>, usize, usize)> {
        self.picture.cells.iter().filter_map(move |cell| {
            let Place { x, y, z } = cell.place;
            let (column, row) = (x as usize, y as usize);
            (column < self.columns.len() && row < self.rows.len() && z as usize == layer)
                .then_some((cell, column, row))
        })
    }
}
