use open_ttt_lib::rules::{Color, Picture, Place};
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::looks::put_centred;
use super::{Board, Looks, Scale};

/// Draws dots, the edges that have a piece, and what is in the boxes.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    looks: &Looks<'_>,
    scale: Scale,
    columns: &[String],
    rows: &[String],
) -> Board {
    let [width, height] = match scale {
        Scale::Boxed(width, height) => [width, height],
        Scale::Open => [3, 1],
        Scale::Compact => [1, 1],
    };
    let labels = rows.iter().map(|label| label.chars().count() as u16);
    let label_width = labels.max().unwrap_or(0);
    // Dots and edges alternate.
    let offset = |index: u16, length: u16| index / 2 * (length + 1) + index % 2;
    let extent = |index: u16, length: u16| if index.is_multiple_of(2) { 1 } else { length };
    let last = rows.len() as u16 - 1;
    let area_of = |place: Place| {
        let (x, y) = (u16::from(place.x), last - u16::from(place.y));
        let left = label_width + 1 + offset(x, width);
        Rect::new(left, offset(y, height), extent(x, width), extent(y, height))
    };
    let end = area_of(Place::flat(columns.len() as u8 - 1, 0));
    let mut board = Board::new(end.right(), end.bottom() + 1);
    let quiet = looks.theme.quiet();
    for x in (0..columns.len() as u8).step_by(2) {
        for y in (0..rows.len() as u8).step_by(2) {
            let at = area_of(Place::flat(x, y));
            board
                .buffer
                .set_string(at.x, at.y, looks.theme.choose("•", "+"), quiet);
        }
    }
    for cell in picture
        .cells
        .iter()
        .filter(|cell| picture.layout.contains(cell.place))
    {
        let (place, area) = (cell.place, area_of(cell.place));
        board.places.push((place, area));
        let is_edge = place.x % 2 != place.y % 2;
        if !is_edge {
            let empty = if place.x % 2 == 0 {
                looks.theme.choose("•", "+")
            } else {
                ""
            };
            looks.put(&mut board.buffer, area, cell, empty);
            continue;
        }
        let is_flat = place.y % 2 == 0;
        let stroke = match (cell.piece.is_some(), is_flat) {
            (true, true) => looks.theme.choose("━", "-"),
            (true, false) => looks.theme.choose("┃", "|"),
            (false, _) => " ",
        };
        let color = cell.piece.and_then(|piece| {
            let own = piece.side.map(|side| looks.side_color(side));
            piece.color.or(own)
        });
        let style = match color {
            Some(color) => looks.theme.text(color),
            None => looks.theme.text(Color::White),
        };
        let style = style.add_modifier(Modifier::BOLD);
        let style = looks
            .highlight(place)
            .map_or(style, |highlight| style.patch(highlight));
        for at in area.positions() {
            board.buffer.set_string(at.x, at.y, stroke, style);
        }
    }
    for (y, label) in (0..).zip(rows) {
        let area = area_of(Place::flat(0, y));
        let column = label_width - label.chars().count() as u16;
        board.buffer.set_string(column, area.y, label, quiet);
    }
    for (x, label) in (0..).zip(columns) {
        let area = area_of(Place::flat(x, 0));
        put_centred(&mut board.buffer, area, end.bottom(), label, quiet);
    }
    board
}
