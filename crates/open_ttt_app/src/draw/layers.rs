use open_ttt_lib::rules::Picture;

use super::canvas::Canvas;
use super::grid::{Board, Form};
use super::{PROMPT_LINES, Role, Size, width};

/// Columns between two layers.
const GAP: usize = 2;

/// Draws layers side by side, boxed if that fits and otherwise compact. Where
/// all of them in one row are too wide, they stand in several:
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
    let board = &Board::of(picture, columns, rows);
    let arranged = |form| {
        (1..=titles.len())
            .map(move |shelves| arrange(board, titles, titles.len().div_ceil(shelves), form))
    };
    let fits_width = |canvas: &Canvas| canvas.width() <= size.columns as usize;
    let fits_height = |canvas: &Canvas| canvas.height() + PROMPT_LINES <= size.rows as usize;
    let mut canvas = arranged(Form::Boxed)
        .chain(arranged(Form::Compact))
        .find(|canvas| fits_width(canvas) && fits_height(canvas))
        .or_else(|| arranged(Form::Compact).find(fits_width))
        .unwrap_or_else(|| arrange(board, titles, 1, Form::Compact));
    let line = canvas.height();
    canvas.put_points(picture, [board.gutter(); 2], line);
    canvas
}

/// Draws the layers on shelves of so many, each with the row labels on its
/// left.
fn arrange<M>(board: &Board<'_, M>, titles: &[String], on_shelf: usize, form: Form) -> Canvas {
    let mut canvas = Canvas::default();
    let title_widths = titles.iter().map(|title| width(title));
    let widest = title_widths.fold(board.width(form), usize::max);
    let mut top = 0;
    for (shelf, titles) in titles.chunks(on_shelf).enumerate() {
        board.put_row_labels(&mut canvas, top + 1, form);
        for (place, title) in titles.iter().enumerate() {
            let layer = shelf * on_shelf + place;
            let left = board.gutter() + place * (widest + GAP);
            let middle = board.width(form).saturating_sub(width(title)) / 2;
            canvas.put(left + middle, top, title, Role::Frame);
            board.put(&mut canvas, [left, top + 1], layer, form);
        }
        // A title above and an empty line below.
        top += board.height(form) + 2;
    }
    canvas
}
