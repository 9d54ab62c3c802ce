use open_ttt_lib::rules::Picture;
use ratatui::layout::{Rect, Size};

use super::grid::Grid;
use super::looks::put_centred;
use super::{Board, Looks, Scale};

/// The columns between two layers.
const GAP: u16 = 2;

/// Draws layers side by side, in as few rows as fit.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    looks: &Looks<'_>,
    scale: Scale,
    titles: &[String],
    columns: &[String],
    rows: &[String],
    available: Size,
) -> Board {
    let grid = Grid::new(picture, looks, scale, columns, rows, None);
    let title_width = titles.iter().map(|title| title.chars().count() as u16);
    let width = title_width.fold(grid.width(), u16::max);
    let size = |per_row: u16| {
        let lines = (titles.len() as u16).div_ceil(per_row);
        let height = lines * (grid.height() + 2) - 1;
        [grid.gutter() + per_row * (width + GAP) - GAP, height]
    };
    let counts = (1..=titles.len()).map(|lines| titles.len().div_ceil(lines) as u16);
    let fits = |&per_row: &u16| {
        let [width, height] = size(per_row);
        width <= available.width && height <= available.height
    };
    let mut narrow = counts
        .clone()
        .filter(|&per_row| size(per_row)[0] <= available.width);
    let per_row = counts
        .clone()
        .find(fits)
        .or_else(|| narrow.next())
        .unwrap_or(1);
    let [board_width, board_height] = size(per_row);
    let mut board = Board::new(board_width, board_height);
    for (layer, title) in (0..).zip(titles) {
        let (row, index) = (u16::from(layer) / per_row, u16::from(layer) % per_row);
        let top = row * (grid.height() + 2);
        let left = grid.gutter() + index * (width + GAP);
        let title_area = Rect::new(left, top, grid.width(), 1);
        put_centred(
            &mut board.buffer,
            title_area,
            top,
            title,
            looks.theme.quiet(),
        );
        if index == 0 {
            grid.put_row_labels(&mut board.buffer, top + 1);
        }
        grid.put(&mut board, [left, top + 1], layer);
    }
    board
}
