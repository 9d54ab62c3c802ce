//! Boards of every layout, each a game of one turn, and how they are sent.

use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{
    BoardCell, Choice, Color, CompletedLine, Drawing, Layout, Notation, Outcome, ParseMoveError,
    Picture, Piece, Place, Shape, Side, Tint, Tray, TwoPlayerGame,
};
use open_ttt_net::matches::Seat;
use open_ttt_net::protocol::BoardView;
use serde_json::{Value, json};

/// A kind of board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Hexagons whose edges belong to the sides, and a swap.
    Hexagons,
    /// Points with lines, men in hand, and moves that capture.
    Points,
    /// Dots and edges, with a box won and a last edge in a colour.
    Dots,
    /// Numbered dark squares, kings, and moves of several captures.
    Draughts,
    /// Figures of neither side, given from a pool.
    Figures,
    /// One of two marks on each cell.
    TwoMarks,
    /// Pits with many pieces, special cells and a text as a piece.
    Pits,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] = [
        Self::Hexagons,
        Self::Points,
        Self::Dots,
        Self::Draughts,
        Self::Figures,
        Self::TwoMarks,
        Self::Pits,
    ];
}

/// A board, on which a single move is played.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Board {
    pub(crate) kind: Kind,
    pub(crate) played: Option<usize>,
}

impl Board {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self { kind, played: None }
    }

    /// The board as JSON; the first side has seat B.
    pub(crate) fn view(&self) -> Value {
        let view = BoardView::of(self, None, |side| Seat::ALL[1 - side.index()]);
        serde_json::to_value(&view).expect("it is JSON")
    }
}

const W: Piece = Piece::new(Side::First, "w");
const B: Piece = Piece::new(Side::Second, "b");

const fn king(piece: Piece, mark: &'static str) -> Piece {
    let shape = Shape::King;
    Piece {
        mark,
        shape,
        ..piece
    }
}

/// A picture with a cell for each place of the layout, up to 12 by 12.
fn full(layout: Layout) -> Picture<usize> {
    let places = (0..12).flat_map(|y| (0..12).map(move |x| Place::flat(x, y)));
    let cells = places.filter(|&place| layout.contains(place));
    Picture {
        cells: cells.map(BoardCell::at).collect(),
        sides: [W, B],
        colors: [Color::White, Color::Black],
        ..Picture::new(layout)
    }
}

fn put(picture: &mut Picture<usize>, pieces: &[(u8, u8, Piece)]) {
    for &(x, y, piece) in pieces {
        let place = Place::flat(x, y);
        let mut cells = picture.cells.iter_mut();
        let cell = cells.find(|cell| cell.place == place);
        cell.expect("the layout has the place").piece = Some(piece);
    }
}

/// Choices by the coordinates of their places, and perhaps a label.
fn choices(paths: &[(&[[u8; 2]], Option<&str>)]) -> Vec<Choice<usize>> {
    let choice = |(m, (path, label)): (usize, &(&[[u8; 2]], Option<&str>))| Choice {
        m,
        path: path.iter().map(|&[x, y]| Place::flat(x, y)).collect(),
        label: label.map(str::to_owned),
    };
    paths.iter().enumerate().map(choice).collect()
}

fn hexagons() -> Picture<usize> {
    let mut picture = full(Layout::hexagons(5, 5, Some(Side::First)));
    put(&mut picture, &[(2, 2, W), (3, 3, B), (0, 0, B)]);
    picture.colors = [Color::Red, Color::Blue];
    let free = picture.cells.iter().filter(|cell| cell.piece.is_none());
    let cells = free
        .enumerate()
        .map(|(m, cell)| Choice::path(m, [cell.place]));
    picture.choices = cells.collect();
    let swap = picture.choices.len();
    picture.choices.push(Choice::button(swap, "Swap"));
    picture
}

fn points() -> Picture<usize> {
    let ring = |from: u8, to: u8| {
        let corners = [[from, from], [to, from], [to, to], [from, to]];
        let next = corners.iter().cycle().skip(1);
        let sides = corners
            .iter()
            .zip(next)
            .map(|(&[a, b], &[c, d])| [Place::flat(a, b), Place::flat(c, d)]);
        sides.collect::<Vec<_>>()
    };
    let mut links = [ring(0, 6), ring(1, 5), ring(2, 4)].concat();
    for [from, to] in [
        [[3, 0], [3, 2]],
        [[3, 4], [3, 6]],
        [[0, 3], [2, 3]],
        [[4, 3], [6, 3]],
    ] {
        links.push([from, to].map(|[x, y]| Place::flat(x, y)));
    }
    let mut picture = full(Layout::points(7, 7, links));
    picture.cells.retain(|cell| {
        let [across, up] = [cell.place.x, cell.place.y].map(|at| at.abs_diff(3));
        [across, up] != [0, 0] && (across == up || across == 0 || up == 0)
    });
    put(
        &mut picture,
        &[(0, 0, W), (3, 0, W), (3, 1, B), (6, 6, B), (0, 6, W)],
    );
    picture.trays = Side::BOTH
        .map(|side| Tray {
            title: "In hand".to_owned(),
            side: Some(side),
            cells: vec![BoardCell {
                piece: Some(Piece {
                    count: 6,
                    ..[W, B][side.index()]
                }),
                ..BoardCell::at(Place::in_tray(side.index() as u8, 0))
            }],
        })
        .to_vec();
    picture.choices = choices(&[
        (&[[0, 0], [0, 3]], None),
        (&[[3, 0], [6, 0]], None),
        (&[[0, 6], [0, 3], [3, 1]], None),
        (&[[0, 6], [0, 3], [6, 6]], None),
        (&[[0, 6], [3, 6]], None),
    ]);
    picture.lines = vec![CompletedLine {
        side: Some(Side::First),
        places: vec![Place::flat(0, 0), Place::flat(3, 0)],
    }];
    picture.status = Some("Close a mill to capture".to_owned());
    picture
}

fn dots() -> Picture<usize> {
    let mut picture = full(Layout::dots(3, 2));
    let edge = Piece::neutral("#");
    let red = Piece {
        side: Some(Side::First),
        ..edge
    };
    put(
        &mut picture,
        &[
            (1, 0, edge),
            (0, 1, edge),
            (2, 1, edge),
            (1, 2, red),
            (1, 1, W),
            (5, 4, edge),
        ],
    );
    let is_dot = |place: Place| place.x.is_multiple_of(2) && place.y.is_multiple_of(2);
    picture.cells.retain(|cell| !is_dot(cell.place));
    for cell in &mut picture.cells {
        cell.tint = cell
            .owner()
            .filter(|_| cell.place.x == 1 && cell.place.y == 1)
            .map(Tint::Side);
    }
    let is_edge = |place: Place| (place.x + place.y) % 2 == 1;
    let free = picture
        .cells
        .iter()
        .filter(|cell| cell.piece.is_none() && is_edge(cell.place));
    let edges = free
        .enumerate()
        .map(|(m, cell)| Choice::path(m, [cell.place]));
    picture.choices = edges.collect();
    picture.points = Some([1, 0]);
    picture.colors = [Color::Purple, Color::Orange];
    picture
}

fn draughts() -> Picture<usize> {
    let mut picture = full(Layout::grid(8, 8));
    picture
        .cells
        .retain(|cell| (cell.place.x + cell.place.y).is_multiple_of(2));
    picture
        .cells
        .sort_by_key(|cell| (7 - cell.place.y, cell.place.x));
    for (cell, number) in picture.cells.iter_mut().zip(1..) {
        cell.label = Some(number.to_string());
        cell.tint = Some(Tint::Dark);
    }
    put(
        &mut picture,
        &[
            (2, 0, W),
            (3, 1, B),
            (3, 3, B),
            (5, 3, B),
            (7, 7, king(B, "B")),
            (0, 0, king(W, "W")),
            (6, 0, W),
        ],
    );
    picture.choices = choices(&[
        (&[[2, 0], [4, 2], [2, 4]], None),
        (&[[2, 0], [4, 2], [6, 4]], None),
        (&[[6, 0], [7, 1]], None),
        (&[[0, 0], [1, 1]], None),
        (&[[0, 0], [1, 1], [2, 2]], None),
    ]);
    picture.choices[3].label = Some("Stop".to_owned());
    picture
}

fn figures() -> Picture<usize> {
    const MARKS: [&str; 8] = ["lo", "lO", "ls", "lS", "to", "tO", "ts", "tS"];
    let figure = |number: u8| Piece {
        shape: Shape::Figure {
            tall: number & 4 != 0,
            square: number & 2 != 0,
            hollow: number & 1 != 0,
        },
        color: Some([Color::Brown, Color::White][usize::from(number / 8)]),
        ..Piece::neutral(MARKS[usize::from(number % 8)])
    };
    let mut picture = full(Layout::grid(4, 4));
    put(
        &mut picture,
        &[(0, 0, figure(0)), (1, 1, figure(5)), (2, 2, figure(15))],
    );
    let taken = [0, 5, 15];
    picture.trays = vec![Tray {
        title: "Pool".to_owned(),
        side: None,
        cells: (0..16)
            .map(|number| BoardCell {
                piece: (!taken.contains(&number)).then(|| figure(number)),
                ..BoardCell::at(Place::in_tray(0, number))
            })
            .collect(),
    }];
    let pool = (0..16).filter(|number| !taken.contains(number));
    let free: Vec<_> = picture
        .cells
        .iter()
        .filter(|cell| cell.piece.is_none())
        .map(|cell| cell.place)
        .collect();
    let gifts = pool.flat_map(|number| {
        free.iter()
            .map(move |&place| [place, Place::in_tray(0, number)])
    });
    picture.choices = gifts
        .enumerate()
        .map(|(m, path)| Choice::path(m, path))
        .collect();
    picture.lines = vec![CompletedLine {
        side: None,
        places: (0..3).map(|n| Place::flat(n, n)).collect(),
    }];
    picture.status = Some("Place the piece and give another one".to_owned());
    picture
}

fn two_marks() -> Picture<usize> {
    let mut picture: Picture<usize> = Picture::new(Layout::grid(3, 3));
    let places = (0..9).map(|n| Place::flat(n % 3, n / 3));
    picture.cells = places.map(BoardCell::at).collect();
    put(&mut picture, &[(1, 1, Piece::neutral("X"))]);
    let free = picture.cells.iter().filter(|cell| cell.piece.is_none());
    let marks = free.flat_map(|cell| ["X", "O"].map(|mark| (cell.place, mark)));
    picture.choices = marks
        .enumerate()
        .map(|(m, (place, mark))| Choice::path(m, [place]).labelled(mark))
        .collect();
    picture
}

fn pits() -> Picture<usize> {
    let mut picture = full(Layout::grid(6, 2));
    let seeds = |count| Piece {
        count,
        ..Piece::neutral("o")
    };
    put(
        &mut picture,
        &[
            (0, 0, seeds(4)),
            (1, 0, seeds(12)),
            (2, 0, seeds(1)),
            (0, 1, seeds(3)),
        ],
    );
    let text = Shape::Text;
    let knight = Piece {
        shape: text,
        ..Piece::new(Side::First, "♞")
    };
    put(&mut picture, &[(4, 1, knight)]);
    picture.cells[9].tint = Some(Tint::Side(Side::Second));
    picture.cells[11].tint = Some(Tint::Marked);
    picture.choices = choices(&[
        (&[[0, 0]], None),
        (&[[1, 0]], None),
        (&[[4, 1], [5, 1]], None),
        (&[], Some("Pass")),
    ]);
    picture
}

impl TwoPlayerGame for Board {
    type Move = usize;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.played.map_or(0, |_| 1))
    }

    fn outcome(&self) -> Option<Outcome> {
        self.played.map(|_| Outcome::Draw)
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        0..self.picture().choices.len()
    }

    fn play_unchecked(&mut self, m: usize) {
        self.played = Some(m);
    }
}

impl Drawing for Board {
    fn picture(&self) -> Picture<usize> {
        let mut picture = match self.kind {
            Kind::Hexagons => hexagons(),
            Kind::Points => points(),
            Kind::Dots => dots(),
            Kind::Draughts => draughts(),
            Kind::Figures => figures(),
            Kind::TwoMarks => two_marks(),
            Kind::Pits => pits(),
        };
        if let Some(m) = self.played {
            picture.choices.clear();
            picture.status = Some(format!("Move {m} was played"));
        }
        picture
    }
}

impl Notation for Board {
    fn move_text(&self, m: usize) -> String {
        format!("m{m}")
    }

    fn parse_move(&self, text: &str) -> Result<usize, ParseMoveError> {
        let moves = 0..Self::new(self.kind).moves().count();
        let mut named = moves.filter(|&m| self.move_text(m) == text.trim().to_lowercase());
        named
            .next()
            .ok_or_else(|| ParseMoveError::new(text, "a number, as in m1"))
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["White", "Black"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Move"
    }
}

#[test]
fn the_boards_obey_the_laws() {
    for kind in Kind::ALL {
        Laws::of(&Board::new(kind)).rules().notation().drawing();
    }
}

#[test]
fn a_view_has_only_what_a_board_needs() {
    let view = Board::new(Kind::TwoMarks).view();
    assert_eq!(view["cells"][0], json!({"at": [0, 0, 0]}));
    assert_eq!(
        view["cells"][4],
        json!({"at": [1, 1, 0], "piece": {"mark": "X", "shape": "cross"}})
    );
    assert_eq!(
        view["choices"][1],
        json!({"move": "m1", "path": [[0, 0, 0]], "label": "O"})
    );
    assert_eq!(view["marks"], json!(["O", "X"]));
    assert_eq!(view["shapes"], json!(["ring", "cross"]));
    assert_eq!(view["colors"], json!(["teal", "red"]));
    assert_eq!(view["to_move"], json!("b"));
    for absent in ["trays", "points", "status"] {
        assert_eq!(view.get(absent), None, "{absent}");
    }
}

#[test]
fn a_view_tells_pieces_tints_and_trays() {
    let view = Board::new(Kind::Points).view();
    assert_eq!(view["layout"]["kind"], json!("points"));
    assert_eq!(view["layout"]["links"][0], json!([[0, 0, 0], [6, 0, 0]]));
    assert_eq!(view["cells"][0], json!({"at": [0, 0, 0], "owner": "b"}));
    let hand = json!({
        "title": "In hand",
        "seat": "b",
        "cells": [{"at": [0, 0, 255], "owner": "b", "piece": {"mark": "w", "shape": "disc", "count": 6}}],
    });
    assert_eq!(view["trays"][0], hand);
    assert_eq!(
        view["choices"][2]["path"],
        json!([[0, 6, 0], [0, 3, 0], [3, 1, 0]])
    );
    assert_eq!(view["status"], json!("Close a mill to capture"));

    let view = Board::new(Kind::Figures).view();
    let figure = json!({"figure": {"tall": true, "square": false, "hollow": true}});
    let piece = json!({"mark": "tO", "shape": figure, "color": "brown"});
    assert_eq!(view["cells"][5], json!({"at": [1, 1, 0], "piece": piece}));
    assert_eq!(view["lines"][0].get("seat"), None);

    let view = Board::new(Kind::Pits).view();
    assert_eq!(view["cells"][9]["tint"], json!("a"));
    assert_eq!(view["cells"][11]["tint"], json!("marked"));
    assert_eq!(view["cells"][0]["move"], json!("m0"));
    assert_eq!(
        view["choices"][1],
        json!({"move": "m3", "path": [], "label": "Pass"})
    );

    let view = Board::new(Kind::Hexagons).view();
    assert_eq!(view["layout"]["bottom_and_top"], json!("b"));
}

#[test]
fn the_last_move_is_told_by_its_places() {
    let start = Board::new(Kind::Points);
    for (m, expected) in [
        (0, json!([[0, 0, 0], [0, 3, 0]])),
        (2, json!([[0, 6, 0], [0, 3, 0], [3, 1, 0]])),
    ] {
        let after = start.after(m);
        let view = BoardView::of(&after, Some((&start, m)), |side| Seat::ALL[side.index()]);
        assert_eq!(json!(view.last), expected);
        assert_eq!((view.to_move, view.choices.len()), (None, 0));
    }
}
