use open_ttt_lib::rules::{Picture, Place};

use super::canvas::{Canvas, CellTexts, Ink};
use super::width;

/// Draws dots, the edges that have a piece, and what is in the boxes:
///
/// ```text
///  3 +---+---+
///    | X |   |
///  2 +---+   +
///        |
///  1 +   +---+
///    a   b   c
/// ```
pub(super) fn draw<M>(picture: &Picture<M>, columns: &[String], rows: &[String]) -> Canvas {
    let texts = CellTexts::new(picture);
    let content = texts.width("").max(1);
    let row_label = rows.iter().map(|label| width(label)).max().unwrap_or(0);
    let left = row_label + 2;
    // From a dot to the middle of an edge.
    let half = content.div_ceil(2) + 1;
    let column_at = |x: usize| left + half * x;
    let line_at = |y: usize| rows.len() - 1 - y;

    let mut canvas = Canvas::default();
    for x in (0..columns.len()).step_by(2) {
        for y in (0..rows.len()).step_by(2) {
            canvas.put(column_at(x), line_at(y), "+", Ink::FRAME);
        }
    }
    for cell in &picture.cells {
        if !picture.layout.contains(cell.place) {
            continue;
        }
        let Place { x, y, .. } = cell.place;
        let (x, y) = (usize::from(x), usize::from(y));
        let is_edge = x % 2 != y % 2;
        let (mut text, ink) = texts.text(cell, if x % 2 + y % 2 == 0 { "+" } else { "" });
        let mut column = column_at(x);
        match cell.piece {
            Some(_) if is_edge && y % 2 == 0 => {
                text = "-".repeat(2 * half - 1);
                column = column_at(x - 1) + 1;
            }
            Some(_) if is_edge => "|".clone_into(&mut text),
            _ => column -= (width(&text).saturating_sub(1) / 2).min(column),
        }
        canvas.put(column, line_at(y), &text, ink);
    }
    for (y, label) in rows.iter().enumerate() {
        canvas.put(1 + row_label - width(label), line_at(y), label, Ink::FRAME);
    }
    for (x, label) in columns.iter().enumerate() {
        let before = width(label).saturating_sub(1) / 2;
        let column = column_at(x).saturating_sub(before);
        canvas.put(column, rows.len(), label, Ink::FRAME);
    }
    let line = canvas.height();
    canvas.put_points(picture, [left; 2], line);
    canvas
}
