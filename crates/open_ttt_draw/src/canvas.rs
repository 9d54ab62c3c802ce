use std::collections::HashSet;

use open_ttt_lib::rules::{BoardCell, Color, Picture, Piece, Place, Side, Tint};

use super::{BoardText, Role, Span, width};

/// The looks of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ink {
    role: Role,
    color: Option<Color>,
}

impl Ink {
    pub(super) const FRAME: Self = Self {
        role: Role::Frame,
        color: None,
    };
}

/// A grid of characters that grows as needed.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    lines: Vec<Vec<(char, Ink)>>,
}

impl Canvas {
    const EMPTY: (char, Ink) = (' ', Ink::FRAME);

    /// Writes text, over any text already there.
    pub(super) fn put(&mut self, column: usize, line: usize, text: &str, ink: Ink) {
        if self.lines.len() <= line {
            self.lines.resize_with(line + 1, Vec::new);
        }
        let line = &mut self.lines[line];
        let end = column + width(text);
        if line.len() < end {
            line.resize(end, Self::EMPTY);
        }
        for (cell, letter) in line[column..].iter_mut().zip(text.chars()) {
            *cell = (letter, ink);
        }
    }

    /// Writes the points of the first and the second side at these columns; a
    /// long first text moves the second one to the right.
    pub(super) fn put_points<M>(&mut self, picture: &Picture<M>, columns: [usize; 2], line: usize) {
        const GAP: usize = 3;
        let Some(points) = picture.points else {
            return;
        };
        let texts = CellTexts::new(picture);
        let mut free = 0;
        for side in Side::BOTH {
            let index = side.index();
            let column = columns[index].max(free);
            let (mark, ink) = texts.side(side);
            let count = format!(": {}", points[index]);
            self.put(column, line, mark, ink);
            self.put(column + width(mark), line, &count, Ink::FRAME);
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
        let spans = |line: &Vec<(char, Ink)>| {
            trimmed(line)
                .chunk_by(|one, next| one.1 == next.1)
                .map(|chunk| Span {
                    text: chunk.iter().map(|&(letter, _)| letter).collect(),
                    role: chunk[0].1.role,
                    color: chunk[0].1.color,
                })
                .collect()
        };
        BoardText {
            lines: self.lines.iter().map(spans).collect(),
        }
    }
}

/// A line without trailing spaces.
fn trimmed(line: &[(char, Ink)]) -> &[(char, Ink)] {
    let length = line.iter().rposition(|&cell| cell != Canvas::EMPTY);
    &line[..length.map_or(0, |last| last + 1)]
}

/// What to write on each cell.
pub(super) struct CellTexts<'a> {
    cells: &'a [BoardCell],
    sides: [Piece; 2],
    colors: [Color; 2],
    in_line: HashSet<Place>,
}

impl<'a> CellTexts<'a> {
    pub(super) fn new<M>(picture: &'a Picture<M>) -> Self {
        let in_line = picture.lines.iter().flat_map(|line| &line.places);
        Self {
            cells: &picture.cells,
            sides: picture.sides,
            colors: picture.colors,
            in_line: in_line.copied().collect(),
        }
    }

    /// The text of a cell, `empty` if there is nothing on it, and its looks.
    pub(super) fn text(&self, cell: &BoardCell, empty: &str) -> (String, Ink) {
        let Some(piece) = cell.piece else {
            return match (&cell.label, cell.tint) {
                (Some(label), _) => (label.clone(), Ink::FRAME),
                (None, Some(Tint::Side(side))) => self.area(side),
                (None, Some(Tint::Marked)) => ("*".to_owned(), Ink::FRAME),
                (None, Some(Tint::Dark)) => (":".to_owned(), Ink::FRAME),
                (None, _) => (empty.to_owned(), Ink::FRAME),
            };
        };
        let text = match piece.count {
            1 => piece.mark.to_owned(),
            count => format!("{count}{}", piece.mark),
        };
        let role = if self.in_line.contains(&cell.place) {
            Role::InLine(piece.side)
        } else {
            Role::Piece(piece.side)
        };
        let own = piece.side.map(|side| self.colors[side.index()]);
        let color = Some(piece.color.or(own).unwrap_or(Color::Gray));
        (text, Ink { role, color })
    }

    /// The mark of a side and its looks.
    pub(super) fn side(&self, side: Side) -> (&'static str, Ink) {
        let ink = Ink {
            role: Role::Piece(Some(side)),
            color: Some(self.colors[side.index()]),
        };
        (self.sides[side.index()].mark, ink)
    }

    /// The text of an empty cell that belongs to a side: its mark in small letters.
    pub(super) fn area(&self, side: Side) -> (String, Ink) {
        let mark = self.sides[side.index()].mark;
        let small = mark.to_lowercase();
        let text = if small == mark { "~".to_owned() } else { small };
        let ink = Ink {
            role: Role::Area(side),
            color: Some(self.colors[side.index()]),
        };
        (text, ink)
    }

    /// The width of the longest text of a cell of the board or of a side's mark.
    pub(super) fn width(&self, empty: &str) -> usize {
        let texts = self
            .cells
            .iter()
            .map(|cell| width(&self.text(cell, empty).0));
        let marks = self.sides.iter().map(|piece| width(piece.mark));
        texts.chain(marks).max().unwrap_or(0)
    }
}
