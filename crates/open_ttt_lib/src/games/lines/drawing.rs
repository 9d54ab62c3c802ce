use super::shape::{Coordinates, opposite};
use super::{Lines, LinesMove, LinesOptions, Mark, Marks};
use crate::rules::{
    BoardCell, Choice, CompletedLine, Drawing, Layout, Picture, Piece, Place, Shape, Side, Tint,
    TwoPlayerGame,
};
use alloc::borrow::ToOwned;
use alloc::string::ToString;
use alloc::vec::Vec;
use alloc::{format, vec};

impl Lines {
    fn place(&self, [x, y, layer, block]: Coordinates) -> Place {
        let z = block * self.options.layers + layer;
        Place { x, y, z }
    }

    fn piece(&self, mark: Mark) -> Piece {
        let text = ["X", "O"][mark as usize];
        match self.options.marks {
            Marks::Own => Piece::new(Side::BOTH[mark as usize], text),
            Marks::Any | Marks::Same => Piece::neutral(text),
        }
    }

    fn layout(&self) -> Layout {
        let [columns, rows, layers, blocks] = self.shape().extents();
        let flat = Layout::grid(columns, rows);
        let Layout::Grid { columns, rows, .. } = flat else {
            return flat;
        };
        if layers == 1 && blocks == 1 {
            return Layout::Grid {
                columns,
                rows,
                block: None,
            };
        }
        let labels = (0..blocks).flat_map(|block| {
            (0..layers).map(move |layer| match (layers, blocks) {
                (1, _) => (block + 1).to_string(),
                (_, 1) => (layer + 1).to_string(),
                _ => format!("{}-{}", block + 1, layer + 1),
            })
        });
        Layout::Layers {
            layers: labels.collect(),
            columns,
            rows,
        }
    }

    /// The lines, each with the kind of its marks.
    fn completed_lines(&self) -> Vec<(Mark, Vec<Coordinates>)> {
        let shape = self.shape();
        let length = self.options.in_a_row as usize;
        let mut lines: Vec<(Mark, Vec<Coordinates>)> = Vec::new();
        for start in (0..self.cell_count()).map(|cell| shape.coordinates(cell)) {
            let Some(mark) = self.mark(start) else {
                continue;
            };
            for direction in self.directions() {
                let same = |at: &Coordinates| self.mark(*at) == Some(mark);
                let before = shape.step(start, opposite(direction)).filter(same);
                let steps = core::iter::successors(Some(start), |&at| {
                    shape
                        .step(at, direction)
                        .filter(same)
                        .filter(|&next| next != start)
                });
                let run: Vec<_> = steps.collect();
                // A cycle of marks has no first one; the lowest cell stands for it.
                let is_cycle = before.is_some_and(|before| run.contains(&before));
                let is_first = before.is_none() || is_cycle && run.iter().min() == Some(&start);
                let enough = if self.options.exact {
                    run.len() == length
                } else {
                    run.len() >= length
                };
                let is_known = |line: &(Mark, Vec<_>)| {
                    line.1.iter().all(|at| run.contains(at)) && line.1.len() == run.len()
                };
                if is_first && enough && !lines.iter().any(is_known) {
                    lines.push((mark, run));
                }
            }
        }
        if length == 1 && lines.is_empty() {
            let only = shape.coordinates(0);
            lines.extend(self.mark(only).map(|mark| (mark, vec![only])));
        }
        lines
    }
}

impl Drawing for Lines {
    /// Each layer of each block or board is drawn beside the others. A closed board is
    /// marked.
    fn picture(&self) -> Picture<LinesMove> {
        let shape = self.shape();
        let cells = (0..self.cell_count()).map(|cell| BoardCell {
            piece: self.mark_on(cell).map(|mark| self.piece(mark)),
            tint: self.is_closed(cell).then_some(Tint::Marked),
            ..BoardCell::at(self.place(shape.coordinates(cell)))
        });
        let choices = self.moves().map(|m| {
            let choice = Choice::path(m, [self.place(shape.coordinates(m.cell))]);
            match m.mark {
                Some(Mark::X) => choice.labelled("X"),
                Some(Mark::O) => choice.labelled("O"),
                None => choice,
            }
        });
        let lines = self
            .completed_lines()
            .into_iter()
            .map(|(mark, line)| CompletedLine {
                side: self.piece(mark).side,
                places: line.into_iter().map(|at| self.place(at)).collect(),
            });
        let LinesOptions { marks, stones, .. } = self.options;
        let goes_on = self.outcome().is_none();
        let status = (stones > 1 && goes_on).then(|| match self.stones_left() {
            1 => "1 mark to play".to_owned(),
            left => format!("{left} marks to play"),
        });
        let number = |side, mark| Piece {
            shape: Shape::Text,
            ..Piece::new(side, mark)
        };
        let picture = Picture::new(self.layout());
        Picture {
            cells: cells.collect(),
            choices: choices.collect(),
            lines: lines.collect(),
            status,
            sides: match marks {
                Marks::Own => picture.sides,
                Marks::Any | Marks::Same => [number(Side::First, "1"), number(Side::Second, "2")],
            },
            ..picture
        }
    }
}
