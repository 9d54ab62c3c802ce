use open_ttt_lib::rules::{Picture, Place};

use super::canvas::{Canvas, CellTexts, Ink};
use super::{PROMPT_LINES, Size, width};

/// Draws points and the lines between them:
///
/// ```text
///  3 +---+---+
///    | \ | / |
///  2 +---X---+
///    | / | \ |
///  1 +---+---O
///    a   b   c
/// ```
///
/// If that is too high, the rows are drawn without lines in between.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    columns: &[String],
    rows: &[String],
    links: &[[Place; 2]],
    size: Size,
) -> Canvas {
    let draw = |lines_per_row| Plane::new(picture, columns, rows, lines_per_row).draw(links);
    let spaced = draw(2);
    let fits_height = spaced.height() + PROMPT_LINES <= size.rows as usize;
    if fits_height && spaced.width() <= size.columns as usize {
        spaced
    } else {
        draw(1)
    }
}

/// A plane with whole coordinates, on characters.
struct Plane<'a, M> {
    picture: &'a Picture<M>,
    columns: &'a [String],
    rows: &'a [String],
    /// The width of the longest row label.
    row_label: usize,
    /// The distance between two columns, in characters.
    step: usize,
    lines_per_row: usize,
}

impl<'a, M> Plane<'a, M> {
    fn new(
        picture: &'a Picture<M>,
        columns: &'a [String],
        rows: &'a [String],
        lines_per_row: usize,
    ) -> Self {
        let labels = columns.iter().map(|label| width(label)).max();
        let content = CellTexts::new(picture).width("").max(labels.unwrap_or(0));
        // Twice the lines, so that diagonals are regular.
        let step = (2 * lines_per_row).max(content + 1).next_multiple_of(2);
        Self {
            picture,
            columns,
            rows,
            row_label: rows.iter().map(|label| width(label)).max().unwrap_or(0),
            step,
            lines_per_row,
        }
    }

    /// The column and the line of a point.
    fn position(&self, place: Place) -> [usize; 2] {
        let above = self.rows.len() - 1 - usize::from(place.y);
        [
            self.row_label + 2 + self.step * usize::from(place.x),
            self.lines_per_row * above,
        ]
    }

    fn draw(&self, links: &[[Place; 2]]) -> Canvas {
        let Self { picture, .. } = self;
        let mut canvas = Canvas::default();
        for &[from, to] in links {
            if picture.layout.contains(from) && picture.layout.contains(to) {
                put_line(&mut canvas, self.position(from), self.position(to));
            }
        }
        let texts = CellTexts::new(picture);
        for cell in &picture.cells {
            if picture.layout.contains(cell.place) {
                let [column, line] = self.position(cell.place);
                let (text, ink) = texts.text(cell, "+");
                canvas.put(column, line, &text, ink);
            }
        }
        for (y, label) in rows_from(self.rows) {
            let [_, line] = self.position(Place::flat(0, y));
            canvas.put(1 + self.row_label - width(label), line, label, Ink::FRAME);
        }
        let bottom = canvas.height();
        for (x, label) in self.columns.iter().enumerate() {
            let column = self.row_label + 2 + self.step * x;
            canvas.put(column, bottom, label, Ink::FRAME);
        }
        let line = canvas.height();
        canvas.put_points(picture, [self.row_label + 2; 2], line);
        canvas
    }
}

fn rows_from(rows: &[String]) -> impl Iterator<Item = (u8, &String)> {
    (0..=u8::MAX).zip(rows)
}

/// Draws a straight line, without its ends.
fn put_line(canvas: &mut Canvas, from: [usize; 2], to: [usize; 2]) {
    let [[left, start], [right, end]] = if from[0] <= to[0] {
        [from, to]
    } else {
        [to, from]
    };
    if start == end {
        for column in left + 1..right {
            canvas.put(column, start, "-", Ink::FRAME);
        }
        return;
    }
    let mark = match (left == right, start < end) {
        (true, _) => "|",
        (false, true) => "\\",
        (false, false) => "/",
    };
    let lines = start.abs_diff(end);
    for distance in 1..lines {
        let column = left + ((right - left) * distance + lines / 2) / lines;
        let line = if start < end {
            start + distance
        } else {
            start - distance
        };
        canvas.put(column, line, mark, Ink::FRAME);
    }
}
