use std::collections::HashSet;

use open_ttt_lib::rules::{BoardCell, Picture, Place, Side};

use super::{BoardText, Role, Span, width};

/// A grid of characters that grows as needed.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    lines: Vec<Vec<(char, Role)>>,
}

impl Canvas {
    const EMPTY: (char, Role) = (' ', Role::Frame);

    /// Writes text, over any text already there.
    pub(super) fn put(&mut self, column: usize, line: usize, text: &str, role: Role) {
        if self.lines.len() <= line {
            self.lines.resize_with(line + 1, Vec::new);
        }
        let line = &mut self.lines[line];
        let end = column + width(text);
        if line.len() < end {
            line.resize(end, Self::EMPTY);
        }
        for (cell, letter) in line[column..].iter_mut().zip(text.chars()) {
            *cell = (letter, role);
        }
    }

    /// Writes the points of the first and the second side at these columns; a
    /// long first text moves the second one to the right.
    pub(super) fn put_points<M>(&mut self, picture: &Picture<M>, columns: [usize; 2], line: usize) {
        const GAP: usize = 3;
        let Some(points) = picture.points else {
            return;
        };
        let mut free = 0;
        for side in Side::BOTH {
            let index = side.index();
            let column = columns[index].max(free);
            let mark = picture.sides[index].mark;
            let count = format!(": {}", points[index]);
            self.put(column, line, mark, Role::Piece(side));
            self.put(column + width(mark), line, &count, Role::Frame);
            free = column + width(mark) + width(&count) + GAP;
        }
    }

    pub(super) fn width(&self) -> usize {
        let widths = self.lines.iter().map(|line| trimmed(line).len());
        widths.max().unwrap_or(0)
    }

    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn into_text(self) -> BoardText {
        let spans = |line: &Vec<(char, Role)>| {
            trimmed(line)
                .chunk_by(|one, next| one.1 == next.1)
                .map(|chunk| Span {
                    text: chunk.iter().map(|&(letter, _)| letter).collect(),
                    role: chunk[0].1,
                })
                .collect()
        };
        BoardText {
            lines: self.lines.iter().map(spans).collect(),
        }
    }
}

/// A line without trailing spaces.
fn trimmed(line: &[(char, Role)]) -> &[(char, Role)] {
    let length = line.iter().rposition(|&cell| cell != Canvas::EMPTY);
    &line[..length.map_or(0, |last| last + 1)]
}

/// What to write on each cell.
pub(super) struct PieceMarks {
    in_line: HashSet<Place>,
}

impl PieceMarks {
    pub(super) fn new<M>(picture: &Picture<M>) -> Self {
        let in_line = picture.lines.iter().flat_map(|line| &line.places);
        Self {
            in_line: in_line.copied().collect(),
        }
    }

    /// The mark of the piece on a cell, or `empty`, and its role.
    pub(super) fn mark<'a>(&self, cell: &BoardCell, empty: &'a str) -> (&'a str, Role) {
        let Some(piece) = cell.piece else {
            return (empty, Role::Frame);
        };
        let role = match piece.side {
            None => Role::Frame,
            Some(side) if self.in_line.contains(&cell.place) => Role::InLine(side),
            Some(side) => Role::Piece(side),
        };
        (piece.mark, role)
    }
}
