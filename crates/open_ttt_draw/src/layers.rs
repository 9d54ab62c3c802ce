use open_ttt_lib::rules::Picture;

use super::canvas::{Canvas, Ink};
use super::grid::{Board, GridStyle};
use super::{PROMPT_LINES, Size, width};

/// The columns between two layers.
const GAP: usize = 2;

/// Draws layers side by side, boxed if that fits and compact otherwise. If one
/// row of layers is too wide, there are several:
///
/// ```text
///    Layer 1  Layer 2
///  2 . .      X .
///  1 . O      . .
///    a b      a b
///
///    Layer 3  Layer 4
///  ...
/// ```
pub(super) fn draw<M>(
    picture: &Picture<M>,
    titles: &[String],
    columns: &[String],
    rows: &[String],
    size: Size,
) -> Canvas {
    let [boxed, compact] = [GridStyle::Boxed, GridStyle::Compact]
        .map(|style| Board::new(picture, columns, rows, None, style));
    let arranged = |board| {
        let counts = (1..=titles.len()).map(|rows| titles.len().div_ceil(rows));
        counts.map(move |per_row| arrange(board, titles, per_row))
    };
    let fits_width = |canvas: &Canvas| canvas.width() <= size.columns as usize;
    let fits_height = |canvas: &Canvas| canvas.height() + PROMPT_LINES <= size.rows as usize;
    let mut canvas = arranged(&boxed)
        .chain(arranged(&compact))
        .find(|canvas| fits_width(canvas) && fits_height(canvas))
        .or_else(|| arranged(&compact).find(fits_width))
        .unwrap_or_else(|| arrange(&compact, titles, 1));
    let line = canvas.height();
    canvas.put_points(picture, [compact.gutter(); 2], line);
    canvas
}

/// Draws the layers with `per_row` side by side, and row labels on the left of
/// each row of layers.
fn arrange<M>(board: &Board<'_, M>, titles: &[String], per_row: usize) -> Canvas {
    let mut canvas = Canvas::default();
    let title_widths = titles.iter().map(|title| width(title));
    let widest = title_widths.fold(board.width(), usize::max);
    let mut top = 0;
    for (row, titles) in titles.chunks(per_row).enumerate() {
        board.put_row_labels(&mut canvas, top + 1);
        for (index, title) in titles.iter().enumerate() {
            let layer = row * per_row + index;
            let left = board.gutter() + index * (widest + GAP);
            let middle = board.width().saturating_sub(width(title)) / 2;
            canvas.put(left + middle, top, title, Ink::FRAME);
            board.put(&mut canvas, [left, top + 1], layer);
        }
        // The title above the board and an empty line below.
        top += board.height() + 2;
    }
    canvas
}
