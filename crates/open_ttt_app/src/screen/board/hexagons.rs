use open_ttt_lib::rules::{Picture, Place, Side};
use ratatui::layout::Rect;

use super::looks::put_centred;
use super::{Board, Looks, Scale};

/// Draws a rhombus of hexagons, each row shifted to the left against the one below. The
/// edges have the colours and small letters of the sides that own them.
///
/// ```text
///   / \ / \ / \
///  | X |   |   |
///   \ / \ / \ / \
///    |   | O |   |
///     \ / \ / \ /
/// ```
pub(super) fn draw<M>(
    picture: &Picture<M>,
    looks: &Looks<'_>,
    scale: Scale,
    columns: &[String],
    rows: &[String],
    bottom_and_top: Option<Side>,
) -> Board {
    let labels = rows.iter().map(|label| label.chars().count() as u16);
    let has_lines = matches!(scale, Scale::Boxed(..));
    let rhombus = Rhombus {
        size: [columns.len() as u16, rows.len() as u16],
        label_width: labels.max().unwrap_or(0),
        has_lines,
    };
    let mut board = rhombus.blank();
    let on_board = |place: Place| picture.layout.contains(place);
    if has_lines {
        for cell in picture.cells.iter().filter(|cell| on_board(cell.place)) {
            rhombus.put_outline(&mut board, cell.place, looks, bottom_and_top);
        }
    } else if let Some(side) = bottom_and_top {
        rhombus.put_owners(&mut board, looks, side);
    }
    let empty = if has_lines {
        ""
    } else {
        looks.theme.choose("·", ".")
    };
    for cell in picture.cells.iter().filter(|cell| on_board(cell.place)) {
        let area = rhombus.area_of(cell.place);
        looks.put(&mut board.buffer, area, cell, empty);
        board.places.push((cell.place, area));
    }
    rhombus.put_labels(&mut board, looks, columns, rows);
    board
}

/// The arrangement of the hexagons on characters.
struct Rhombus {
    /// The numbers of columns and rows.
    size: [u16; 2],
    label_width: u16,
    /// Whether the hexagons have outlines. Larger ones would need diagonals of several
    /// characters.
    has_lines: bool,
}

impl Rhombus {
    /// From one hexagon to the next, and to the next row.
    const fn steps(&self) -> [u16; 2] {
        if self.has_lines { [4, 2] } else { [2, 1] }
    }

    const fn cell_width(&self) -> u16 {
        if self.has_lines { 3 } else { 1 }
    }

    /// The left edge of a cell in this column and this row from the top.
    const fn column_at(&self, x: u16, above: u16) -> u16 {
        let [step, _] = self.steps();
        self.label_width + 1 + step + step * x + step / 2 * above
    }

    const fn line_at(&self, above: u16) -> u16 {
        let [_, step] = self.steps();
        1 + step * above
    }

    /// The line below the last row.
    const fn bottom(&self) -> u16 {
        self.line_at(self.size[1].saturating_sub(1)) + 1
    }

    fn above(&self, y: u8) -> u16 {
        self.size[1] - 1 - u16::from(y)
    }

    fn area_of(&self, place: Place) -> Rect {
        let above = self.above(place.y);
        let column = self.column_at(place.x.into(), above);
        Rect::new(column, self.line_at(above), self.cell_width(), 1)
    }

    fn blank(&self) -> Board {
        let [width, height] = self.size;
        let [step, _] = self.steps();
        let right = self.column_at(width, height) + self.cell_width() + step;
        Board::new(right, self.bottom() + 2)
    }

    /// Draws the outline of a hexagon; edges of the board have their owners' colours.
    fn put_outline(
        &self,
        board: &mut Board,
        place: Place,
        looks: &Looks<'_>,
        bottom_and_top: Option<Side>,
    ) {
        let quiet = looks.theme.quiet();
        let [upright, rising, falling] = [("│", "|"), ("╱", "/"), ("╲", "\\")]
            .map(|(unicode, ascii)| looks.theme.choose(unicode, ascii));
        let edge = |is_edge: bool, side: Option<Side>| match side {
            Some(side) if is_edge => looks.theme.text(looks.side_color(side)),
            _ => quiet,
        };
        let left_and_right = bottom_and_top.map(Side::other);
        let left = edge(place.x == 0, left_and_right);
        let right = edge(u16::from(place.x) + 1 == self.size[0], left_and_right);
        let top = edge(self.above(place.y) == 0, bottom_and_top);
        let bottom = edge(place.y == 0, bottom_and_top);
        let area = self.area_of(place);
        let (first, last) = (area.x, area.right() - 1);
        for (column, line, stroke, style) in [
            (first - 1, area.y, upright, left),
            (last + 1, area.y, upright, right),
            (first, area.y - 1, rising, top),
            (last, area.y - 1, falling, top),
            (first, area.y + 1, falling, bottom),
            (last, area.y + 1, rising, bottom),
        ] {
            let at = &mut board.buffer[(column, line)];
            // The colour of an edge stays.
            if at.symbol() == " " || style != quiet {
                at.set_symbol(stroke).set_style(style);
            }
        }
    }

    /// Writes the marks of the sides along their edges.
    fn put_owners(&self, board: &mut Board, looks: &Looks<'_>, bottom_and_top: Side) {
        let [width, height] = self.size;
        let [step, _] = self.steps();
        let mut put = |column, line, side| {
            let style = looks.theme.text(looks.side_color(side));
            let mark = looks.area_mark(side);
            board.buffer.set_string(column, line, mark, style);
        };
        for above in 0..height {
            let line = self.line_at(above);
            put(self.column_at(0, above) - step, line, !bottom_and_top);
            put(self.column_at(width, above), line, !bottom_and_top);
        }
        for x in 0..=width {
            put(self.column_at(x, 0) - step / 2, 0, bottom_and_top);
            let column = self.column_at(x, height) - step;
            put(column, self.bottom(), bottom_and_top);
        }
    }

    /// Writes the labels of the rows, and those of the columns, which slant.
    fn put_labels(
        &self,
        board: &mut Board,
        looks: &Looks<'_>,
        columns: &[String],
        rows: &[String],
    ) {
        let quiet = looks.theme.quiet();
        let [step, _] = self.steps();
        for (above, label) in (0..).zip(rows.iter().rev()) {
            let column = self.column_at(0, above) - step - 1 - label.chars().count() as u16;
            board
                .buffer
                .set_string(column, self.line_at(above), label, quiet);
        }
        let line = self.bottom() + 1;
        for (x, label) in (0..).zip(columns) {
            let area = Rect::new(self.column_at(x, self.size[1]), line, self.cell_width(), 1);
            put_centred(&mut board.buffer, area, line, label, quiet);
        }
    }
}
