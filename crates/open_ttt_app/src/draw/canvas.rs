use std::collections::HashSet;

use open_ttt_lib::rules::{BoardCell, Picture, Place, Side};

use super::{Drawn, Role, Span, width};

/// Lines of characters to write anywhere on; they grow as needed.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    lines: Vec<Vec<(char, Role)>>,
}

impl Canvas {
    const EMPTY: (char, Role) = (' ', Role::Frame);

    /// Writes text over what is there.
    pub(super) fn put(&mut self, column: usize, line: usize, text: &str, role: Role) {
        if self.lines.len() <= line {
            self.lines.resize_with(line + 1, Vec::new);
        }
        let line = &mut self.lines[line];
        let end = column + width(text);
        if line.len() < end {
            line.resize(end, Self::EMPTY);
        }
        for (place, letter) in line[column..].iter_mut().zip(text.chars()) {
            *place = (letter, role);
        }
    }

    /// Writes the points of both sides, first and second, at these columns;
    /// the second gives way where the first is long.
    pub(super) fn put_points<M>(&mut self, picture: &Picture<M>, columns: [usize; 2], line: usize) {
        const GAP: usize = 3;
        let Some(points) = picture.points else {
            return;
        };
        let mut free = 0;
        for side in Side::BOTH {
            let index = side.index();
            let column = columns[index].max(free);
            let mark = picture.marks[index];
            let count = format!(": {}", points[index]);
            self.put(column, line, mark, Role::Piece(side));
            self.put(column + width(mark), line, &count, Role::Frame);
            free = column + width(mark) + width(&count) + GAP;
        }
    }

    pub(super) fn width(&self) -> usize {
        self.lines
            .iter()
            .map(|line| trimmed(line).len())
            .max()
            .unwrap_or(0)
    }

    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn into_drawn(self) -> Drawn {
        let spans = |line: &Vec<(char, Role)>| {
            trimmed(line)
                .chunk_by(|one, next| one.1 == next.1)
                .map(|chunk| Span {
                    text: chunk.iter().map(|&(letter, _)| letter).collect(),
                    role: chunk[0].1,
                })
                .collect()
        };
        Drawn {
            lines: self.lines.iter().map(spans).collect(),
        }
    }
}

/// A line without the spaces at its end.
fn trimmed(line: &[(char, Role)]) -> &[(char, Role)] {
    let length = line.iter().rposition(|&place| place != Canvas::EMPTY);
    &line[..length.map_or(0, |last| last + 1)]
}

/// Tells of each cell what is written there.
pub(super) struct Pieces<'a> {
    marks: [&'a str; 2],
    in_line: HashSet<Place>,
}

impl<'a> Pieces<'a> {
    pub(super) fn of<M>(picture: &'a Picture<M>) -> Self {
        Self {
            marks: picture.marks,
            in_line: picture
                .lines
                .iter()
                .flat_map(|line| line.places.iter().copied())
                .collect(),
        }
    }

    /// The mark on a cell and what it is, or `empty`.
    pub(super) fn on<M>(&self, cell: &BoardCell<M>, empty: &'a str) -> (&'a str, Role) {
        match cell.owner {
            None => (empty, Role::Frame),
            Some(side) if self.in_line.contains(&cell.place) => {
                (self.marks[side.index()], Role::InLine(side))
            }
            Some(side) => (self.marks[side.index()], Role::Piece(side)),
        }
    }
}
