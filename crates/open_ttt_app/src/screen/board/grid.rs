use open_ttt_lib::rules::{Picture, Place, Tint};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::looks::put_centred;
use super::{Board, Looks, Scale};

/// Draws a flat board: boxes, or cells with spaces between.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    looks: &Looks<'_>,
    scale: Scale,
    columns: &[String],
    rows: &[String],
    block: Option<u8>,
) -> Board {
    let grid = Grid::new(picture, looks, scale, columns, rows, block);
    let gutter = grid.gutter();
    let mut board = Board::new(gutter + grid.width(), grid.height());
    board.label_columns = gutter;
    board.label_rows = u16::from(grid.has_column_labels());
    grid.put(&mut board, [gutter, 0], 0);
    grid.put_row_labels(&mut board.buffer, 0);
    board
}

/// A flat board, or the common shape of several layers.
pub(super) struct Grid<'a, M> {
    picture: &'a Picture<M>,
    looks: &'a Looks<'a>,
    columns: &'a [String],
    rows: &'a [String],
    /// The columns and rows of a block, not 0.
    block: Option<u16>,
    /// The size of a cell.
    cell: [u16; 2],
    /// Whether lines are between the cells.
    has_lines: bool,
    /// The distance from one cell to the next.
    step: [u16; 2],
}

impl<'a, M> Grid<'a, M> {
    pub(super) fn new(
        picture: &'a Picture<M>,
        looks: &'a Looks<'a>,
        scale: Scale,
        columns: &'a [String],
        rows: &'a [String],
        block: Option<u8>,
    ) -> Self {
        let is_chequered = picture
            .cells
            .iter()
            .any(|cell| cell.tint == Some(Tint::Dark));
        let widest = widest_text(picture, columns);
        let (cell, has_lines) = match scale {
            // Two rows have no middle for the pieces.
            Scale::Boxed(5, 2) if !is_chequered => ([widest.max(3), 1], true),
            Scale::Boxed(width, height) => ([width.max(widest), height], !is_chequered),
            Scale::Open => ([widest.max(3), 1], false),
            Scale::Compact => ([widest, 1], false),
        };
        // Cells without lines between them are told apart by their ground, or by a space.
        let gap = match scale {
            Scale::Compact => 1,
            _ if is_chequered => 0,
            _ => 1,
        };
        Self {
            picture,
            looks,
            columns,
            rows,
            block: block.map(u16::from).filter(|&size| size > 0),
            cell,
            has_lines,
            step: [cell[0] + gap, cell[1] + u16::from(has_lines)],
        }
    }

    /// The columns for the row labels with a space on each side.
    pub(super) fn gutter(&self) -> u16 {
        self.label_width() + 1
    }

    fn label_width(&self) -> u16 {
        let widths = self.rows.iter().map(|label| label.chars().count() as u16);
        widths.max().unwrap_or(0)
    }

    /// The width without the row labels.
    pub(super) fn width(&self) -> u16 {
        let columns = self.columns.len() as u16;
        self.column_at(columns.saturating_sub(1)) + self.cell[0] + u16::from(self.has_lines)
    }

    /// The height with the column labels, if there are any.
    pub(super) fn height(&self) -> u16 {
        let lines = self.line_at(0) + self.cell[1] + u16::from(self.has_lines);
        lines + u16::from(self.has_column_labels())
    }

    fn has_column_labels(&self) -> bool {
        self.columns.iter().any(|label| !label.is_empty())
    }

    /// The left edge of a cell.
    fn column_at(&self, column: u16) -> u16 {
        let blocks = self.blocks_before(column) * 2;
        u16::from(self.has_lines) + self.step[0] * column + if self.has_lines { 0 } else { blocks }
    }

    /// The upper edge of a cell.
    fn line_at(&self, row: u16) -> u16 {
        let last = self.rows.len() as u16 - 1;
        let blocks = self.blocks_before(last) - self.blocks_before(row);
        let lines = self.step[1] * (last - row) + u16::from(self.has_lines);
        lines + if self.has_lines { 0 } else { blocks }
    }

    fn blocks_before(&self, index: u16) -> u16 {
        self.block.map_or(0, |block| index / block)
    }

    fn area_of(&self, [left, top]: [u16; 2], place: Place) -> Rect {
        let [width, height] = self.cell;
        let x = self.column_at(self.looks.turned(place.x, self.columns.len()));
        let y = self.line_at(self.looks.turned(place.y, self.rows.len()));
        Rect::new(left + x, top + y, width, height)
    }

    /// Draws one layer without its row labels, with its upper left corner there.
    pub(super) fn put(&self, board: &mut Board, corner: [u16; 2], layer: u8) {
        let [left, top] = corner;
        if self.has_lines {
            let area = Rect::new(left, top, self.width(), self.line_at(0) + self.cell[1] + 1);
            board.buffer.set_style(area, self.looks.ground());
            self.put_lines(&mut board.buffer, left, top);
        } else {
            self.put_block_lines(&mut board.buffer, left, top);
        }
        let empty = if self.has_lines {
            ""
        } else {
            self.looks.theme.choose("·", ".")
        };
        let on_board = |place: Place| self.picture.layout.contains(place) && place.z == layer;
        for cell in self
            .picture
            .cells
            .iter()
            .filter(|cell| on_board(cell.place))
        {
            let area = self.area_of(corner, cell.place);
            if !self.has_lines {
                board.buffer.set_style(area, self.looks.ground());
            }
            self.looks.put(&mut board.buffer, area, cell, empty);
            board.places.push((cell.place, area));
        }
        let line = top + self.line_at(0) + self.cell[1] + u16::from(self.has_lines);
        for (x, label) in (0_u16..).zip(self.columns) {
            let x = self.column_at(self.looks.turned(x, self.columns.len()));
            let area = Rect::new(left + x, line, self.cell[0], 1);
            if !label.is_empty() {
                put_centred(
                    &mut board.buffer,
                    area,
                    line,
                    label,
                    self.looks.theme.quiet(),
                );
            }
        }
    }

    /// Writes the row labels of a board with its top at this line, at the left edge.
    pub(super) fn put_row_labels(&self, buffer: &mut Buffer, top: u16) {
        for (row, label) in (0_u16..).zip(self.rows) {
            let column = self.label_width() - label.chars().count() as u16;
            let row = self.looks.turned(row, self.rows.len());
            let line = top + self.line_at(row) + (self.cell[1] - 1) / 2;
            buffer.set_string(column, line, label, self.looks.theme.quiet());
        }
    }

    /// Draws the lines around all cells, thick ones between blocks.
    fn put_lines(&self, buffer: &mut Buffer, left: u16, top: u16) {
        let (columns, rows) = (self.columns.len() as u16, self.rows.len() as u16);
        let [across, down] = self.step;
        let style = self.looks.theme.quiet().patch(self.looks.ground());
        let thick = style.add_modifier(Modifier::BOLD);
        let theme = self.looks.theme;
        let starts_block = |index: u16, count: u16| {
            index > 0
                && index < count
                && self.block.is_some_and(|block| index.is_multiple_of(block))
        };
        for row in 0..=rows {
            let is_thick_row = starts_block(rows - row, rows);
            let y = top + down * row;
            for x in 0..across * columns {
                let (line, style) = if is_thick_row {
                    (theme.choose("━", "="), thick)
                } else {
                    (theme.choose("─", "-"), style)
                };
                buffer.set_string(left + x, y, line, style);
            }
        }
        for column in 0..=columns {
            let is_thick = starts_block(column, columns);
            let x = left + across * column;
            for y in 0..down * rows {
                let (line, style) = if is_thick {
                    (theme.choose("┃", "#"), thick)
                } else {
                    (theme.choose("│", "|"), style)
                };
                buffer.set_string(x, top + y, line, style);
            }
            for row in 0..=rows {
                let is_thick_row = starts_block(rows - row, rows);
                let is_edge = [column == 0, column == columns, row == 0, row == rows];
                let corner = match is_edge {
                    [true, _, true, _] => "┌",
                    [_, true, true, _] => "┐",
                    [true, _, _, true] => "└",
                    [_, true, _, true] => "┘",
                    [_, _, true, _] => {
                        if is_thick {
                            "┰"
                        } else {
                            "┬"
                        }
                    }
                    [_, _, _, true] => {
                        if is_thick {
                            "┸"
                        } else {
                            "┴"
                        }
                    }
                    [true, ..] => {
                        if is_thick_row {
                            "┝"
                        } else {
                            "├"
                        }
                    }
                    [_, true, ..] => {
                        if is_thick_row {
                            "┥"
                        } else {
                            "┤"
                        }
                    }
                    _ => match (is_thick, is_thick_row) {
                        (false, false) => "┼",
                        (true, false) => "╂",
                        (false, true) => "┿",
                        (true, true) => "╋",
                    },
                };
                let ascii = if is_thick { "#" } else { "+" };
                buffer.set_string(x, top + down * row, theme.choose(corner, ascii), style);
            }
        }
    }

    fn put_block_lines(&self, buffer: &mut Buffer, left: u16, top: u16) {
        let Some(block) = self.block else {
            return;
        };
        let (columns, rows) = (self.columns.len() as u16, self.rows.len() as u16);
        let style = self.looks.theme.quiet();
        let theme = self.looks.theme;
        let bottom = self.line_at(0);
        for column in (block..columns).step_by(block.into()) {
            let x = left + self.column_at(column) - 2;
            for y in 0..=bottom {
                buffer.set_string(x, top + y, theme.choose("│", "|"), style);
            }
        }
        for row in (block..rows).step_by(block.into()) {
            let y = top + self.line_at(row) + 1;
            for x in 0..self.width() {
                let is_crossing = (block..columns)
                    .step_by(block.into())
                    .any(|column| self.column_at(column) - 2 == x);
                let line = if is_crossing {
                    theme.choose("┼", "+")
                } else {
                    theme.choose("─", "-")
                };
                buffer.set_string(left + x, y, line, style);
            }
        }
    }
}

/// The width of the longest text of a piece, a cell or a column.
fn widest_text<M>(picture: &Picture<M>, columns: &[String]) -> u16 {
    let pieces = picture.cells.iter().filter_map(|cell| cell.piece);
    let marks = pieces.chain(picture.sides).map(|piece| piece.mark);
    let labels = picture
        .cells
        .iter()
        .filter_map(|cell| cell.label.as_deref());
    let texts = marks
        .chain(labels)
        .chain(columns.iter().map(String::as_str));
    let widths = texts.map(|text| text.chars().count() as u16);
    widths.max().unwrap_or(1).max(1)
}
