use open_ttt_lib::rules::{BoardCell, Picture, Tray};

use super::canvas::{Canvas, CellTexts, Ink};
use super::width;

/// The columns between two cells of a tray.
const GAP: usize = 2;

/// Writes the trays and the status below a board, each on lines of its own, in at most so
/// many columns if possible:
///
/// ```text
///  X Captured: 2o
///  Pool: 1 ls  2 -  3 lr
///  Give a piece
/// ```
pub(super) fn put<M>(canvas: &mut Canvas, picture: &Picture<M>, columns: usize) {
    let texts = CellTexts::new(picture);
    for tray in &picture.trays {
        put_tray(canvas, &texts, tray, columns);
    }
    if let Some(status) = &picture.status {
        canvas.put(1, canvas.height(), status, Ink::FRAME);
    }
}

fn put_tray(canvas: &mut Canvas, texts: &CellTexts, tray: &Tray, columns: usize) {
    let mut line = canvas.height();
    let mut column = 1;
    if let Some(side) = tray.side {
        let (mark, ink) = texts.side(side);
        canvas.put(column, line, mark, ink);
        column += width(mark) + 1;
    }
    let title = format!("{}:", tray.title);
    canvas.put(column, line, &title, Ink::FRAME);
    let indent = column + width(&title) + 1;
    column = indent;
    for cell in &tray.cells {
        let label = cell.label.as_ref().map(|label| format!("{label} "));
        let label = label.unwrap_or_default();
        let unlabelled = BoardCell {
            label: None,
            ..cell.clone()
        };
        let (text, ink) = texts.text(&unlabelled, "-");
        if column > indent && column + width(&label) + width(&text) > columns {
            line += 1;
            column = indent;
        }
        canvas.put(column, line, &label, Ink::FRAME);
        column += width(&label);
        canvas.put(column, line, &text, ink);
        column += width(&text) + GAP;
    }
}
