use open_ttt_lib::rules::{Picture, Place};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::super::theme::Theme;
use super::looks::put_centred;
use super::{Board, Looks, Scale};

/// Draws points and the straight lines between them.
pub(super) fn draw<M>(
    picture: &Picture<M>,
    looks: &Looks<'_>,
    scale: Scale,
    columns: &[String],
    rows: &[String],
    links: &[[Place; 2]],
) -> Board {
    // Twice as wide as high, so that diagonals are regular.
    let ([step, line_step], [width, height]) = match scale {
        Scale::Boxed(15, _) => ([14, 7], [7, 3]),
        Scale::Boxed(11, _) => ([10, 5], [7, 3]),
        Scale::Boxed(7 | 5, _) => ([6, 3], [3, 1]),
        Scale::Boxed(..) | Scale::Open => ([4, 2], [3, 1]),
        Scale::Compact => ([2, 1], [1, 1]),
    };
    let labels = rows.iter().map(|label| label.chars().count() as u16);
    let label_width = labels.max().unwrap_or(0);
    let [left, top] = [label_width + 1 + width / 2, height / 2];
    let last = rows.len() as u16 - 1;
    let middle_of = |place: Place| {
        let x = looks.turned(place.x, columns.len());
        let y = looks.turned(place.y, rows.len());
        [left + step * x, top + line_step * (last - y)]
    };
    let bottom = top + line_step * last + height.div_ceil(2);
    let right = left + step * (columns.len() as u16 - 1) + width.div_ceil(2);
    let mut board = Board::new(right, bottom + 1);
    let quiet = looks.theme.quiet();
    let on_board = |place: &Place| picture.layout.contains(*place);
    for link in links.iter().filter(|link| link.iter().all(on_board)) {
        put_line(&mut board.buffer, link.map(middle_of), looks.theme, quiet);
    }
    for cell in picture.cells.iter().filter(|cell| on_board(&cell.place)) {
        let [x, y] = middle_of(cell.place);
        let area = Rect::new(x - width / 2, y - height / 2, width, height);
        // A point is one character, but as large as a piece for the mouse.
        let is_plain = cell.piece.is_none() && looks.highlight(cell.place).is_none();
        let drawn = if is_plain {
            Rect::new(x, y, 1, 1)
        } else {
            area
        };
        if !is_plain {
            for at in area.positions() {
                board.buffer[at].reset();
            }
        }
        looks.put(&mut board.buffer, drawn, cell, looks.theme.choose("●", "o"));
        board.places.push((cell.place, area));
    }
    for (y, label) in (0..).zip(rows) {
        let [_, line] = middle_of(Place::flat(0, y));
        let column = label_width - label.chars().count() as u16;
        board.buffer.set_string(column, line, label, quiet);
    }
    for (x, label) in (0..).zip(columns) {
        let [column, _] = middle_of(Place::flat(x, 0));
        let area = Rect::new(column - width / 2, bottom, width, 1);
        put_centred(&mut board.buffer, area, bottom, label, quiet);
    }
    board
}

/// Draws a straight line without its ends.
fn put_line(buffer: &mut Buffer, [from, to]: [[u16; 2]; 2], theme: Theme, style: Style) {
    let [[left, start], [right, end]] = if from[0] <= to[0] {
        [from, to]
    } else {
        [to, from]
    };
    let steps = (right - left).max(start.abs_diff(end));
    let stroke = match (start == end, left == right, start < end) {
        (true, ..) => theme.choose("─", "-"),
        (_, true, _) => theme.choose("│", "|"),
        (.., true) => theme.choose("╲", "\\"),
        (.., false) => theme.choose("╱", "/"),
    };
    for step in 1..steps {
        let part = |length: u16| (length * step + steps / 2) / steps;
        let lines = part(start.abs_diff(end));
        let line = if start < end {
            start + lines
        } else {
            start - lines
        };
        let column = left + part(right - left);
        let is_blank = buffer[(column, line)].symbol() == " ";
        // One stroke a line is enough for a diagonal.
        let is_repeated = start != end && left != right && step % 2 == 1;
        if is_blank && !is_repeated {
            buffer.set_string(column, line, stroke, style);
        }
    }
}
