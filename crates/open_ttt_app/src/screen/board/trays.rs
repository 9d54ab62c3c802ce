use open_ttt_lib::rules::{BoardCell, Picture};
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::{Board, Looks};

/// The columns between two cells.
const GAP: u16 = 1;

/// Draws the trays, each on lines of its own, in at most so many columns if possible; `None`
/// if there are none.
pub(super) fn draw<M>(picture: &Picture<M>, looks: &Looks<'_>, columns: u16) -> Option<Board> {
    let titles: Vec<_> = picture
        .trays
        .iter()
        .map(|tray| format!("{}:", tray.title))
        .collect();
    let marks = |tray: &open_ttt_lib::rules::Tray| match tray.side {
        Some(side) => picture.sides[side.index()].mark.chars().count() as u16 + 1,
        None => 0,
    };
    let indents = picture
        .trays
        .iter()
        .zip(&titles)
        .map(|(tray, title)| marks(tray) + title.chars().count() as u16 + 1);
    let indent = indents.max()?;
    let mut places = Vec::new();
    let (mut line, mut right) = (0, indent);
    for tray in &picture.trays {
        let mut column = indent;
        for cell in &tray.cells {
            let width = width(cell);
            if column > indent && column + width > columns {
                line += 1;
                column = indent;
            }
            places.push((cell, Rect::new(column, line, width, 1)));
            column += width + GAP;
            right = right.max(column);
        }
        line += 1;
    }
    let mut board = Board::new(right, line);
    let mut first_lines = picture.trays.iter().map(|tray| {
        let first = tray.cells.first();
        let at = first.and_then(|first| places.iter().find(|(cell, _)| cell.place == first.place));
        at.map_or(0, |(_, area)| area.y)
    });
    for (tray, title) in picture.trays.iter().zip(&titles) {
        let line = first_lines.next().unwrap_or(0);
        let mut column = 0;
        if let Some(side) = tray.side {
            let mark = looks.theme.mark(picture.sides[side.index()]);
            let style = looks.theme.text(looks.side_color(side));
            board
                .buffer
                .set_string(0, line, mark, style.add_modifier(Modifier::BOLD));
            column = marks(tray);
        }
        board
            .buffer
            .set_string(column, line, title, looks.theme.quiet());
    }
    for (cell, area) in places {
        let unlabelled = BoardCell {
            label: None,
            ..cell.clone()
        };
        looks.put(
            &mut board.buffer,
            area,
            &unlabelled,
            looks.theme.choose("·", "-"),
        );
        board.places.push((cell.place, area));
    }
    Some(board)
}

/// The columns of a cell: room for its piece with a margin.
fn width(cell: &BoardCell) -> u16 {
    let Some(piece) = cell.piece else {
        return 3;
    };
    let digits = match piece.count {
        1 => 0,
        count => count.to_string().len() as u16,
    };
    digits + piece.mark.chars().count() as u16 + 2
}
