use open_ttt_lib::rules::{Picture, Side};

use super::canvas::{Canvas, CellTexts, Ink};
use super::width;

/// Draws a rhombus of hexagons, each row shifted to the left against the one below, with
/// the sides' marks in small letters along the edges that they own:
///
/// ```text
///     x x x x
///  3 o . . . o
///   2 o . X . o
///    1 o . . O o
///       x x x x
///          a b c
/// ```
pub(super) fn draw<M>(
    picture: &Picture<M>,
    columns: &[String],
    rows: &[String],
    bottom_and_top: Option<Side>,
) -> Canvas {
    let texts = CellTexts::new(picture);
    let labels = columns.iter().map(|label| width(label)).max();
    let content = texts.width("").max(labels.unwrap_or(0)).max(1);
    // Half a step is a whole number of characters.
    let half = content.div_ceil(2).max(1);
    let step = 2 * half;
    let border = if bottom_and_top.is_some() { step } else { 0 };
    let row_label = rows.iter().map(|label| width(label)).max().unwrap_or(0);
    let left = row_label + 2 + border;
    let top = usize::from(bottom_and_top.is_some());
    let height = rows.len();
    // The column of a cell's text, and the line of a row from the top.
    let column_at = |x: usize, above: usize| left + step * x + half * above;

    let mut canvas = Canvas::default();
    for (y, label) in rows.iter().enumerate() {
        let above = height - 1 - y;
        let column = half * above + 1 + row_label - width(label);
        canvas.put(column, top + above, label, Ink::FRAME);
    }
    if let Some(side) = bottom_and_top {
        for above in 0..height {
            let (text, ink) = texts.area(!side);
            canvas.put(column_at(0, above) - step, top + above, &text, ink);
            canvas.put(column_at(columns.len(), above), top + above, &text, ink);
        }
        for x in 0..=columns.len() {
            let (text, ink) = texts.area(side);
            let column = column_at(x, 0) - half;
            canvas.put(column, 0, &text, ink);
            let column = column + half * height.saturating_sub(1);
            canvas.put(column, top + height, &text, ink);
        }
    }
    for cell in &picture.cells {
        let (x, y) = (usize::from(cell.place.x), usize::from(cell.place.y));
        if picture.layout.contains(cell.place) {
            let (text, ink) = texts.text(cell, ".");
            let above = height - 1 - y;
            canvas.put(column_at(x, above), top + above, &text, ink);
        }
    }
    // The labels continue their slanting columns.
    let line = height + 2 * top;
    for (x, label) in columns.iter().enumerate() {
        canvas.put(column_at(x, line - top), line, label, Ink::FRAME);
    }
    let line = canvas.height();
    canvas.put_points(picture, [left; 2], line);
    canvas
}
