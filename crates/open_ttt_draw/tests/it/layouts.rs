//! Boards of every layout, with what the six games of the library don't have.

use open_ttt_draw::{Role, Size, draw};
use open_ttt_lib::rules::{
    BoardCell, Color, CompletedLine, Layout, Picture, Piece, Place, Side, Tint, Tray,
};

const X: Piece = Piece::new(Side::First, "X");
const O: Piece = Piece::new(Side::Second, "O");

/// A cell for each place that the layout has room for, up to 12 by 12.
fn full(layout: Layout) -> Picture<u8> {
    let places = (0..12).flat_map(|y| (0..12).map(move |x| Place::flat(x, y)));
    let cells = places.filter(|&place| layout.contains(place));
    Picture {
        cells: cells.map(BoardCell::at).collect(),
        ..Picture::new(layout)
    }
}

#[track_caller]
fn cell(picture: &mut Picture<u8>, x: u8, y: u8) -> &mut BoardCell {
    let place = Place::flat(x, y);
    let mut cells = picture.cells.iter_mut();
    let cell = cells.find(|cell| cell.place == place);
    cell.expect("the layout has the place")
}

#[track_caller]
fn put(picture: &mut Picture<u8>, pieces: &[(u8, u8, Piece)]) {
    for &(x, y, piece) in pieces {
        cell(picture, x, y).piece = Some(piece);
    }
}

#[track_caller]
fn check(picture: &Picture<u8>, size: Size, expected: &str) {
    let drawn = draw(picture, size).to_string();
    assert_eq!(drawn, expected, "\n{drawn}");
}

#[test]
fn hexagons_with_edges_of_the_sides() {
    let mut picture = full(Layout::hexagons(4, 3, Some(Side::First)));
    put(&mut picture, &[(0, 0, X), (1, 1, X), (2, 2, O), (3, 0, O)]);
    let expected = "    x x x x x
 3 o . . O . o
  2 o . X . . o
   1 o X . . O o
      x x x x x
         a b c d
";
    check(&picture, Size::default(), expected);
}

#[test]
fn a_hexagon_of_hexagons() {
    // The corners of the rhombus are holes; the label of row 10 is the longest.
    let Layout::Hexagons { columns, rows, .. } = Layout::hexagons(3, 10, None) else {
        panic!("hexagons");
    };
    let rows = rows[7..].to_vec();
    let mut picture = full(Layout::Hexagons {
        columns,
        rows,
        bottom_and_top: None,
    });
    let corners = [Place::flat(0, 2), Place::flat(2, 0)];
    picture.cells.retain(|cell| !corners.contains(&cell.place));
    put(&mut picture, &[(1, 1, X), (2, 2, O)]);
    let expected = " 10   . O
   9 . X .
    8 . .
       a b c
";
    check(&picture, Size::default(), expected);
}

#[test]
fn points_with_lines_between_them() {
    let place = |[x, y]: [u8; 2]| Place::flat(x, y);
    let links = [
        [[0, 0], [2, 0]],
        [[0, 1], [2, 1]],
        [[0, 2], [2, 2]],
        [[0, 0], [0, 2]],
        [[1, 0], [1, 2]],
        [[2, 0], [2, 2]],
        [[0, 0], [2, 2]],
        [[0, 2], [2, 0]],
    ];
    let links = links.map(|link| link.map(place)).to_vec();
    let mut picture = full(Layout::points(3, 3, links));
    put(&mut picture, &[(1, 1, X), (2, 0, O)]);
    picture.points = Some([1, 0]);
    let expected = " 3 +---+---+
   | \\ | / |
 2 +---X---+
   | / | \\ |
 1 +---+---O
   a   b   c
   X: 1   O: 0
";
    check(&picture, Size::default(), expected);
    let low = Size {
        columns: 80,
        rows: 11,
    };
    let expected = " 3 +-+-+
 2 +-X-+
 1 +-+-O
   a b c
   X: 1   O: 0
";
    check(&picture, low, expected);
}

#[test]
fn a_link_spans_points_that_are_no_cells() {
    let links = vec![
        [Place::flat(0, 1), Place::flat(2, 1)],
        [Place::flat(1, 0), Place::flat(1, 1)],
    ];
    let mut picture = full(Layout::points(3, 2, links));
    let cells = [Place::flat(0, 1), Place::flat(2, 1), Place::flat(1, 0)];
    picture.cells.retain(|cell| cells.contains(&cell.place));
    let expected = " 2 +-------+
       |
 1     +
   a   b   c
";
    check(&picture, Size::default(), expected);
}

#[test]
fn dots_edges_and_boxes() {
    let edge = Piece::neutral("#");
    let mut picture = full(Layout::dots(2, 2));
    let edges = [(1, 4), (0, 3), (2, 3), (1, 2), (4, 1), (3, 0)];
    put(&mut picture, &edges.map(|(x, y)| (x, y, edge)));
    put(&mut picture, &[(1, 3, X)]);
    cell(&mut picture, 3, 1).tint = Some(Tint::Side(Side::Second));
    picture.points = Some([1, 0]);
    let expected = " 3 +---+   +
   | X |
 2 +---+   +
         o |
 1 +   +---+
   a   b   c
   X: 1   O: 0
";
    check(&picture, Size::default(), expected);
}

/// They are cut, as what is wider than a board.
#[test]
fn labels_may_be_wider_than_a_board() {
    let [columns, rows] = ["a long label", "1"].map(|label| vec![label.to_owned()]);
    let picture = full(Layout::Dots { columns, rows });
    let drawn = draw(&picture, Size::default()).to_string();
    assert_eq!(drawn, " 1 +\na long label\n");
}

#[test]
fn holes_labels_and_tints_on_a_grid() {
    let mut picture = full(Layout::grid(4, 2));
    let is_dark = |cell: &BoardCell| (cell.place.x + cell.place.y).is_multiple_of(2);
    picture.cells.retain(is_dark);
    for (cell, number) in picture.cells.iter_mut().zip(["3", "4", "1", "2"]) {
        cell.label = Some(number.to_owned());
    }
    let king = Piece { mark: "XX", ..X };
    put(&mut picture, &[(0, 0, king), (3, 1, O)]);
    let expected = "   +----+----+----+----+
 2 |    | 1  |    | O  |
   +----+----+----+----+
 1 | XX |    | 4  |    |
   +----+----+----+----+
     a    b    c    d
";
    check(&picture, Size::default(), expected);

    let mut picture = full(Layout::grid(4, 2));
    picture.cells.pop();
    cell(&mut picture, 0, 0).tint = Some(Tint::Side(Side::First));
    cell(&mut picture, 1, 0).tint = Some(Tint::Side(Side::Second));
    cell(&mut picture, 2, 0).tint = Some(Tint::Marked);
    cell(&mut picture, 3, 0).tint = Some(Tint::Dark);
    put(&mut picture, &[(0, 1, Piece { count: 12, ..X })]);
    let expected = "   +-----+-----+-----+-----+
 2 | 12X | .   | .   |     |
   +-----+-----+-----+-----+
 1 | x   | o   | *   | :   |
   +-----+-----+-----+-----+
     a     b     c     d
";
    check(&picture, Size::default(), expected);
}

#[test]
fn trays_and_status_below_the_board() {
    let mut picture = full(Layout::grid(2, 1));
    let men = [Piece { count: 9, ..X }].map(Some);
    let pool = [Some(Piece::neutral("ls")), None, Some(Piece::neutral("lr"))];
    let tray = |index, title: &str, side, pieces: &[Option<Piece>]| Tray {
        title: title.to_owned(),
        side,
        cells: pieces
            .iter()
            .zip(0..)
            .map(|(&piece, x)| BoardCell {
                piece,
                ..BoardCell::at(Place::in_tray(index, x))
            })
            .collect(),
    };
    picture.trays = vec![
        tray(0, "In hand", Some(Side::First), &men),
        tray(1, "Pool", None, &pool),
    ];
    for (cell, label) in picture.trays[1].cells.iter_mut().zip(["a", "b", "c"]) {
        cell.label = Some(label.to_owned());
    }
    picture.status = Some("Give a piece".to_owned());
    let expected = "   +---+---+
 1 |   |   |
   +---+---+
     a   b
 X In hand: 9X
 Pool: a ls  b -  c lr
 Give a piece
";
    check(&picture, Size::default(), expected);
    // The board makes room for the lines below it.
    let narrow = Size {
        columns: 16,
        rows: 6,
    };
    let expected = " 1 . .
   a b
 X In hand: 9X
 Pool: a ls  b -
       c lr
 Give a piece
";
    check(&picture, narrow, expected);
}

#[test]
fn colours_are_those_of_the_sides_or_the_piece() {
    let mut picture = full(Layout::grid(5, 1));
    let blue = Piece {
        color: Some(Color::Blue),
        ..X
    };
    let neutral = Piece::neutral("N");
    put(
        &mut picture,
        &[(0, 0, X), (1, 0, O), (2, 0, blue), (3, 0, neutral)],
    );
    cell(&mut picture, 4, 0).tint = Some(Tint::Side(Side::Second));
    picture.colors = [Color::Green, Color::White];
    picture.lines = vec![CompletedLine {
        side: None,
        places: vec![Place::flat(3, 0)],
    }];
    let drawn = draw(&picture, Size::default());
    let spans = drawn.lines[1]
        .iter()
        .filter(|span| span.role != Role::Frame);
    let looks: Vec<_> = spans
        .map(|span| (&*span.text, span.role, span.color))
        .collect();
    let [first, second] = Side::BOTH.map(Some);
    assert_eq!(
        looks,
        [
            ("X", Role::Piece(first), Some(Color::Green)),
            ("O", Role::Piece(second), Some(Color::White)),
            ("X", Role::Piece(first), Some(Color::Blue)),
            ("N", Role::InLine(None), Some(Color::Gray)),
            ("o", Role::Area(Side::Second), Some(Color::White)),
        ]
    );
    let coloured = drawn.coloured().to_string();
    for part in ["\u{1b}[38;5;28mX", "\u{1b}[1mO", "\u{1b}[38;5;33mX"] {
        assert!(coloured.contains(part), "{coloured:?}");
    }
}

#[test]
fn an_inconsistent_picture_is_drawn_without_a_panic() {
    let far = [Place::flat(200, 0), Place::flat(0, 200), Place::flat(1, 2)];
    let link = vec![[far[0], far[1]], [Place::flat(0, 0); 2]];
    let sides = [None, Some(Side::First)];
    let hexagons =
        sides.map(|side| [(0, 0), (0, 3), (3, 0)].map(|(x, y)| Layout::hexagons(x, y, side)));
    let points = [(0, 0), (0, 3), (3, 0), (1, 1)].map(|(x, y)| Layout::points(x, y, link.clone()));
    let [columns, rows] = [0, 4].map(|count| vec![String::new(); count]);
    let dots = [(&columns, &rows), (&rows, &columns), (&rows, &rows)].map(|(columns, rows)| {
        let (columns, rows) = (columns.clone(), rows.clone());
        Layout::Dots { columns, rows }
    });
    for layout in hexagons.into_iter().flatten().chain(points).chain(dots) {
        let mut picture = full(layout);
        picture.cells = far.map(BoardCell::at).to_vec();
        for (cell, piece) in picture.cells.iter_mut().zip([X, O]) {
            cell.piece = Some(piece);
        }
        let drawn = draw(&picture, Size::default()).to_string();
        assert!(!drawn.contains(['X', 'O']), "{drawn}");
    }
}
