use open_ttt_lib::rules::{BoardCell, Layout, Picture, Place};

use super::canvas::{Canvas, CellTexts, Ink};
use super::{PROMPT_LINES, Size, width};

/// The most rows that are boxed even if the lines below scroll the board up.
const MAX_SMALL_ROWS: usize = 9;

/// Draws a flat board, boxed if that fits.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    columns: &[String],
    rows: &[String],
    block: Option<u8>,
    size: Size,
) -> Canvas {
    let draw = |style| Board::new(picture, columns, rows, block, style).draw_alone();
    let boxed = draw(GridStyle::Boxed);
    let fits_width = boxed.width() <= size.columns as usize;
    let is_small = rows.len() <= MAX_SMALL_ROWS;
    let prompt_lines = if is_small { 0 } else { PROMPT_LINES };
    let fits_height = boxed.height() + prompt_lines <= size.rows as usize;
    if fits_width && fits_height {
        boxed
    } else {
        draw(GridStyle::Compact)
    }
}

/// What separates the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GridStyle {
    /// Lines, thick ones between blocks:
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
    /// Spaces, and thin lines between blocks:
    ///
    /// ```text
    ///  2 X . | .
    ///    ----+--
    ///  1 . . | .
    ///    a b   c
    /// ```
    Compact,
}

/// A flat board, or the common shape of several layers.
pub(super) struct Board<'a, M> {
    picture: &'a Picture<M>,
    texts: CellTexts<'a>,
    columns: &'a [String],
    rows: &'a [String],
    /// The columns and rows of a block, not 0.
    block: Option<usize>,
    style: GridStyle,
    /// The width of the longest row label.
    row_label: usize,
    /// The width of the longest text of a cell or column label.
    content: usize,
    /// What is written on an empty cell.
    empty: &'static str,
}

impl<'a, M> Board<'a, M> {
    pub(super) fn new(
        picture: &'a Picture<M>,
        columns: &'a [String],
        rows: &'a [String],
        block: Option<u8>,
        style: GridStyle,
    ) -> Self {
        let labels = columns.iter().map(|label| width(label)).max();
        let texts = CellTexts::new(picture);
        let (boxed, has_holes) = (style == GridStyle::Boxed, has_holes(picture, columns, rows));
        let empty = if boxed && !has_holes { "" } else { "." };
        Self {
            picture,
            columns,
            rows,
            block: block.map(usize::from).filter(|&size| size > 0),
            style,
            row_label: rows.iter().map(|label| width(label)).max().unwrap_or(0),
            content: texts.width(empty).max(labels.unwrap_or(0)).max(1),
            texts,
            empty,
        }
    }

    /// Draws a single board with its row labels and points.
    fn draw_alone(&self) -> Canvas {
        let mut canvas = Canvas::default();
        let gutter = self.gutter();
        self.put_row_labels(&mut canvas, 0);
        self.put(&mut canvas, [gutter, 0], 0);
        let left = gutter + self.column_at(0);
        canvas.put_points(self.picture, [left; 2], self.height());
        canvas
    }

    /// Draws one layer without its row labels, with the upper left corner at
    /// `[column, line]`.
    pub(super) fn put(&self, canvas: &mut Canvas, [left, top]: [usize; 2], layer: usize) {
        match self.style {
            GridStyle::Boxed => self.put_boxes(canvas, left, top),
            GridStyle::Compact => self.put_block_lines(canvas, left, top),
        }
        for (cell, column, row) in self.cells(layer) {
            let (text, ink) = self.texts.text(cell, self.empty);
            let line = top + self.line_at(row);
            canvas.put(left + self.column_at(column), line, &text, ink);
        }
        let labels_line = top + self.height() - 1;
        for (column, label) in self.columns.iter().enumerate() {
            let column = left + self.column_at(column);
            canvas.put(column, labels_line, label, Ink::FRAME);
        }
    }

    /// Writes the row labels of a board with its top at this line, right-aligned
    /// at the left edge of the canvas.
    pub(super) fn put_row_labels(&self, canvas: &mut Canvas, top: usize) {
        for (row, label) in self.rows.iter().enumerate() {
            let column = 1 + self.row_label - width(label);
            let line = top + self.line_at(row);
            canvas.put(column, line, label, Ink::FRAME);
        }
    }

    /// The columns for the row labels with a space on each side; one space if
    /// there are no labels.
    pub(super) fn gutter(&self) -> usize {
        match self.row_label {
            0 => 1,
            label => label + 2,
        }
    }

    /// The width of the board without its row labels.
    pub(super) fn width(&self) -> usize {
        match (self.style, self.columns.len()) {
            (GridStyle::Boxed, columns) => self.step() * columns + 1,
            (GridStyle::Compact, 0) => 0,
            (GridStyle::Compact, columns) => self.column_at(columns - 1) + self.content,
        }
    }

    /// The height of the board with its column labels.
    pub(super) fn height(&self) -> usize {
        match (self.style, self.rows.len()) {
            (GridStyle::Boxed, rows) => 2 * rows + 2,
            (GridStyle::Compact, 0) => 1,
            (GridStyle::Compact, _) => self.line_at(0) + 2,
        }
    }

    /// The distance from one cell to the next, in characters.
    fn step(&self) -> usize {
        let boxed = self.style == GridStyle::Boxed;
        self.content + if boxed { 3 } else { 1 }
    }

    /// The position of a column of cells, from the left side of the board.
    fn column_at(&self, column: usize) -> usize {
        match self.style {
            GridStyle::Boxed => self.step() * column + 2,
            GridStyle::Compact => self.step() * column + 2 * self.block_lines_before(column),
        }
    }

    /// The position of a row of cells, from the top of the board.
    fn line_at(&self, row: usize) -> usize {
        let above = self.rows.len() - 1 - row;
        match self.style {
            GridStyle::Boxed => 2 * above + 1,
            GridStyle::Compact => {
                above + self.block_lines_before(self.rows.len() - 1) - self.block_lines_before(row)
            }
        }
    }

    /// The number of lines between blocks before a column or row.
    fn block_lines_before(&self, index: usize) -> usize {
        self.block.map_or(0, |block| index / block)
    }

    /// Whether a block other than the first begins with this column or row.
    fn starts_block(&self, index: usize, count: usize) -> bool {
        index > 0 && index < count && self.block.is_some_and(|block| index.is_multiple_of(block))
    }

    fn put_boxes(&self, canvas: &mut Canvas, left: usize, top: usize) {
        let (columns, rows) = (self.columns.len(), self.rows.len());
        for row in 0..=rows {
            let is_thick = self.starts_block(rows - row, rows);
            let edge = if is_thick { "=" } else { "-" }.repeat(self.width());
            canvas.put(left, top + 2 * row, &edge, Ink::FRAME);
        }
        for column in 0..=columns {
            let is_thick = self.starts_block(column, columns);
            let [corner, edge] = if is_thick { ["#", "#"] } else { ["+", "|"] };
            let left = left + self.step() * column;
            for line in 0..=2 * rows {
                let mark = if line % 2 == 0 { corner } else { edge };
                canvas.put(left, top + line, mark, Ink::FRAME);
            }
        }
    }

    fn put_block_lines(&self, canvas: &mut Canvas, left: usize, top: usize) {
        let (columns, rows) = (self.columns.len(), self.rows.len());
        let edge = "-".repeat(self.width());
        for row in 0..rows {
            let line = top + self.line_at(row);
            let ends_block = self.starts_block(row, rows);
            if ends_block {
                canvas.put(left, line + 1, &edge, Ink::FRAME);
            }
            for column in (0..columns).filter(|&column| self.starts_block(column, columns)) {
                let column = left + self.column_at(column) - 2;
                canvas.put(column, line, "|", Ink::FRAME);
                if ends_block {
                    canvas.put(column, line + 1, "+", Ink::FRAME);
                }
            }
        }
    }

    /// The cells of a layer with their columns and rows; cells outside the board
    /// are left out.
    fn cells(&self, layer: usize) -> impl Iterator<Item = (&BoardCell, usize, usize)> {
        self.picture.cells.iter().filter_map(move |cell| {
            let Place { x, y, z } = cell.place;
            let (column, row) = (x as usize, y as usize);
            (column < self.columns.len() && row < self.rows.len() && z as usize == layer)
                .then_some((cell, column, row))
        })
    }
}

/// Whether the layout has room for more cells than there are.
fn has_holes<M>(picture: &Picture<M>, columns: &[String], rows: &[String]) -> bool {
    let layers = match &picture.layout {
        Layout::Layers { layers, .. } => layers.len(),
        _ => 1,
    };
    let fits = |cell: &&BoardCell| picture.layout.contains(cell.place);
    picture.cells.iter().filter(fits).count() < columns.len() * rows.len() * layers
}
