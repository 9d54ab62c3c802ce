use std::collections::HashMap;

use open_ttt_lib::rules::{
    BoardCell, Choice, Color, CompletedLine, Drawing, Layout, Notation, Picture, Piece, Place,
    Shape, Side, Tint, Tray,
};
use serde::{Deserialize, Serialize};

use crate::matches::Seat;

/// A board as displayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardView {
    /// The arrangement of the cells.
    pub layout: LayoutView,
    /// The names of the sides of seat A and seat B: `Red`.
    pub side_names: [String; 2],
    /// The marks of the usual pieces of seat A and seat B, one or two characters: `R`.
    pub marks: [String; 2],
    /// The shapes of the usual pieces of seat A and seat B.
    pub shapes: [ShapeView; 2],
    /// The colours of seat A and seat B.
    pub colors: [ColorView; 2],
    /// The seat that moves first in this game.
    pub first: Seat,
    /// The seat to move; none if the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<Seat>,
    /// The cells.
    pub cells: Vec<CellView>,
    /// The places beside the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trays: Vec<TrayView>,
    /// The legal moves that are not the move of a cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ChoiceView>,
    /// The places of the last move.
    pub last: Vec<PlaceView>,
    /// The lines that won or scored.
    pub lines: Vec<LineView>,
    /// The lines of whole blocks that won: each block by one of its cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block_lines: Vec<LineView>,
    /// The points of seat A and seat B, in scoring games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[u32; 2]>,
    /// What the board doesn't show: `Give a piece`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The arrangement of the cells of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LayoutView {
    /// A flat board.
    Grid {
        /// The labels of the columns, from the left.
        columns: Vec<String>,
        /// The labels of the rows, from the bottom.
        rows: Vec<String>,
        /// The size of the square blocks that the board is divided into.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        block: Option<u8>,
    },
    /// A rhombus of hexagons, each row shifted to the left by half a cell against the one
    /// below.
    Hexagons {
        /// The labels of the columns, from the left.
        columns: Vec<String>,
        /// The labels of the rows, from the bottom.
        rows: Vec<String>,
        /// The seat that owns the lower and the upper edge; the other one has the left and
        /// the right edge.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bottom_and_top: Option<Seat>,
    },
    /// Points on a plane with straight lines between some of them.
    Points {
        /// The labels of the columns, from the left.
        columns: Vec<String>,
        /// The labels of the rows, from the bottom.
        rows: Vec<String>,
        /// The pairs of points that are linked.
        links: Vec<[PlaceView; 2]>,
    },
    /// Dots at even coordinates, boxes at odd ones, and edges between them.
    Dots {
        /// The labels of the columns of dots and, between them, of boxes.
        columns: Vec<String>,
        /// The labels of the rows of dots and, between them, of boxes.
        rows: Vec<String>,
    },
    /// Flat boards on top of each other.
    Layers {
        /// The labels of the layers, from the lowest.
        layers: Vec<String>,
        /// The labels of the columns, from the left.
        columns: Vec<String>,
        /// The labels of the rows, from the bottom.
        rows: Vec<String>,
    },
    /// Stacks of cells on a plane.
    Stacks {
        /// The stacks.
        stacks: Vec<StackView>,
        /// The height of the stacks, in cells.
        height: u8,
    },
}

/// A stack and its position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackView {
    /// The position from the left.
    pub x: u8,
    /// The position from the front.
    pub y: u8,
    /// The label.
    pub label: String,
}

/// The coordinates of a cell, each from 0: column from the left, row from the
/// bottom or the front, layer or height from below. In a tray: its index, the number of the
/// tray, 255.
pub type PlaceView = [u8; 3];

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CellView {
    /// The coordinates.
    pub at: PlaceView,
    /// The owner of the piece on the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Seat>,
    /// The piece on the cell, unless it is one usual piece of its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<PieceView>,
    /// The text written on the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How the ground of the cell differs from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tint: Option<TintView>,
    /// The legal move that this cell alone chooses.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "move")]
    pub playable: Option<String>,
}

/// A piece, or some pieces alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PieceView {
    /// The piece as text, one or two characters.
    pub mark: String,
    /// The shape to draw.
    pub shape: ShapeView,
    /// The colour, if it isn't that of the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<ColorView>,
    /// How many there are.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
}

const fn one() -> u32 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_one(count: &u32) -> bool {
    *count == 1
}

/// The shape of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShapeView {
    /// Two crossed strokes.
    Cross,
    /// A circle.
    Ring,
    /// A disc.
    Disc,
    /// A disc with a crown.
    King,
    /// A figure with three features.
    Figure {
        /// Tall, not short.
        tall: bool,
        /// Square, not round.
        square: bool,
        /// With a hole in its top.
        hollow: bool,
    },
    /// The mark as text.
    Text,
}

/// A colour by name, of which a client chooses a value that is visible on its background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ColorView {
    Red,
    Orange,
    Yellow,
    Green,
    Teal,
    Blue,
    Purple,
    Pink,
    Brown,
    Gray,
    Black,
    White,
}

/// How the ground of a cell differs from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TintView {
    /// It belongs to seat A.
    A,
    /// It belongs to seat B.
    B,
    /// A dark square.
    Dark,
    /// A special cell.
    Marked,
}

/// Places beside the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrayView {
    /// What they hold.
    pub title: String,
    /// The owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The places.
    pub cells: Vec<CellView>,
}

/// A legal move that is chosen by several places one after the other, or by a button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChoiceView {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The places in the order of their choice.
    pub path: Vec<PlaceView>,
    /// The text of the button that chooses the move after the places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A line of pieces that won or scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineView {
    /// The owner, if the pieces have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The cells, or one of each block, from one end to the other.
    pub places: Vec<PlaceView>,
}

impl BoardView {
    /// The view of a position.
    ///
    /// `last` is the position before the last move and that move, and `seat_of` the seat of
    /// each side.
    pub fn of<G: Notation + Drawing>(
        position: &G,
        last: Option<(&G, G::Move)>,
        seat_of: impl Fn(Side) -> Seat,
    ) -> Self {
        let picture = position.picture();
        let last = last.and_then(|(before, m)| {
            let choices = before.picture().choices;
            choices.into_iter().find(|choice| choice.m == m)
        });
        let last = last.map_or_else(Vec::new, |choice| choice.path);
        let first = seat_of(Side::First);
        let names = Side::BOTH.map(|side| position.side_name(side).to_owned());
        let Picture { sides, colors, .. } = picture;
        let tray = |tray: Tray| TrayView {
            title: tray.title,
            seat: tray.side.map(&seat_of),
            cells: cells(&tray.cells, &sides, &seat_of),
        };
        let line = |line: CompletedLine| LineView {
            seat: line.side.map(&seat_of),
            places: line.places.into_iter().map(place).collect(),
        };
        let mut view = Self {
            layout: layout(picture.layout, &seat_of),
            side_names: in_seat_order(first, names),
            marks: in_seat_order(first, sides.map(|piece| piece.mark.to_owned())),
            shapes: in_seat_order(first, sides.map(|piece| piece.shape.into())),
            colors: in_seat_order(first, colors.map(ColorView::from)),
            first,
            to_move: position
                .outcome()
                .is_none()
                .then(|| seat_of(position.to_move())),
            cells: cells(&picture.cells, &sides, &seat_of),
            trays: picture.trays.into_iter().map(tray).collect(),
            choices: Vec::new(),
            last: last.into_iter().map(place).collect(),
            lines: picture.lines.into_iter().map(line).collect(),
            block_lines: picture.block_lines.into_iter().map(line).collect(),
            points: picture.points.map(|points| in_seat_order(first, points)),
            status: picture.status,
        };
        view.add_choices(position, picture.choices);
        view
    }

    /// Adds each move to the cell that alone chooses it, or else to the other choices.
    fn add_choices<G: Notation>(&mut self, position: &G, choices: Vec<Choice<G::Move>>) {
        let in_trays = self.trays.iter_mut().flat_map(|tray| &mut tray.cells);
        let cells = self.cells.iter_mut().chain(in_trays);
        let mut cells: HashMap<PlaceView, &mut CellView> =
            cells.map(|cell| (cell.at, cell)).collect();
        for Choice { m, path, label } in choices {
            let text = position.move_text(m);
            let path: Vec<_> = path.into_iter().map(place).collect();
            let alone = match (&*path, &label) {
                ([only], None) => cells.get_mut(only),
                _ => None,
            };
            match alone {
                Some(cell) => cell.playable = Some(text),
                None => self.choices.push(ChoiceView { text, path, label }),
            }
        }
    }

    /// Shows that the game is over, which the position may not know.
    pub(crate) fn end(&mut self) {
        self.remove_choices();
        self.to_move = None;
    }

    /// Removes the legal moves, for a game that doesn't go on.
    pub(super) fn remove_choices(&mut self) {
        let in_trays = self.trays.iter_mut().flat_map(|tray| &mut tray.cells);
        for cell in self.cells.iter_mut().chain(in_trays) {
            cell.playable = None;
        }
        self.choices.clear();
    }
}

fn cells(cells: &[BoardCell], usual: &[Piece; 2], seat_of: impl Fn(Side) -> Seat) -> Vec<CellView> {
    let view = |cell: &BoardCell| CellView {
        at: place(cell.place),
        owner: cell.owner().map(&seat_of),
        piece: cell
            .piece
            .filter(|piece| !usual.contains(piece))
            .map(Into::into),
        label: cell.label.clone(),
        tint: cell.tint.and_then(|tint| match tint {
            Tint::Side(side) => Some([TintView::A, TintView::B][seat_of(side).index()]),
            Tint::Dark => Some(TintView::Dark),
            Tint::Marked => Some(TintView::Marked),
            _ => None,
        }),
        playable: None,
    };
    cells.iter().map(view).collect()
}

/// Values of the first and the second side, in the order of the seats.
fn in_seat_order<T>(first: Seat, mut by_side: [T; 2]) -> [T; 2] {
    by_side.rotate_left(first.index());
    by_side
}

fn place(place: Place) -> PlaceView {
    [place.x, place.y, place.z]
}

impl From<Piece> for PieceView {
    fn from(piece: Piece) -> Self {
        Self {
            mark: piece.mark.to_owned(),
            shape: piece.shape.into(),
            color: piece.color.map(Into::into),
            count: piece.count,
        }
    }
}

impl From<Shape> for ShapeView {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Cross => Self::Cross,
            Shape::Ring => Self::Ring,
            Shape::Disc => Self::Disc,
            Shape::King => Self::King,
            Shape::Figure {
                tall,
                square,
                hollow,
            } => Self::Figure {
                tall,
                square,
                hollow,
            },
            // A shape that this version doesn't know is drawn as its mark.
            _ => Self::Text,
        }
    }
}

impl From<Color> for ColorView {
    fn from(color: Color) -> Self {
        match color {
            Color::Red => Self::Red,
            Color::Orange => Self::Orange,
            Color::Yellow => Self::Yellow,
            Color::Green => Self::Green,
            Color::Teal => Self::Teal,
            Color::Blue => Self::Blue,
            Color::Purple => Self::Purple,
            Color::Pink => Self::Pink,
            Color::Brown => Self::Brown,
            Color::Gray => Self::Gray,
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}

fn layout(layout: Layout, seat_of: impl Fn(Side) -> Seat) -> LayoutView {
    match layout {
        Layout::Grid {
            columns,
            rows,
            block,
        } => LayoutView::Grid {
            columns,
            rows,
            block,
        },
        Layout::Hexagons {
            columns,
            rows,
            bottom_and_top,
        } => LayoutView::Hexagons {
            columns,
            rows,
            bottom_and_top: bottom_and_top.map(seat_of),
        },
        Layout::Points {
            columns,
            rows,
            links,
        } => LayoutView::Points {
            columns,
            rows,
            links: links.into_iter().map(|link| link.map(place)).collect(),
        },
        Layout::Dots { columns, rows } => LayoutView::Dots { columns, rows },
        Layout::Layers {
            layers,
            columns,
            rows,
        } => LayoutView::Layers {
            layers,
            columns,
            rows,
        },
        Layout::Stacks { stacks, height } => LayoutView::Stacks {
            stacks: stacks
                .into_iter()
                .map(|stack| StackView {
                    x: stack.x,
                    y: stack.y,
                    label: stack.label,
                })
                .collect(),
            height,
        },
        // An unknown layout: clients place the cells by their coordinates.
        _ => LayoutView::Grid {
            columns: Vec::new(),
            rows: Vec::new(),
            block: None,
        },
    }
}
