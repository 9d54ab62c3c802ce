use open_ttt_draw::{Role, Size, Span, draw};
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{
    BoardCell, Color, Drawing, Layout, Notation, Picture, Piece, Place, Side, Stack, play_text,
};

#[track_caller]
fn check<G: Drawing + Notation>(mut game: G, moves: &str, size: Size, expected: &str) {
    play_text(&mut game, moves).expect("the moves are legal");
    let drawn = draw(&game.picture(), size).to_string();
    assert_eq!(drawn, expected, "\n{drawn}");
}

fn terminal(columns: u16, rows: u16) -> Size {
    Size { columns, rows }
}

#[test]
fn the_eight_pegs_of_the_design_document() {
    let expected = "     |         |         |
 ----|---------|---------|----
|    |         |         |    |
|   (F)   |   (G)   |   (H)   |
|         |         |         |
|         |         |         |
|    |   (D)   |   (E)   |    |
|    |         |         |    |
|    |         |         |    |
|   (A)       (B)       (C)   |
|                             |
 -----------------------------
          R: 0           W: 0
";
    check(Pegs::new(), "", Size::default(), expected);
}

#[test]
fn eight_pegs_with_pieces() {
    // Red has a row at height 1 and one at height 2, White has a full peg.
    let expected = "     |         R         |
 ----|---------W---------|----
|    W         W         |    |
|   (F)   W   (G)   |   (H)   |
|         W         |         |
|         W         |         |
|    |   (D)   |   (E)   |    |
|    R         R         R    |
|    R         R         R    |
|   (A)       (B)       (C)   |
|                             |
 -----------------------------
          R: 2           W: 1
";
    check(Pegs::new(), "ADBDCDAFBGCGG", Size::default(), expected);
}

#[test]
fn every_peg_full() {
    let moves = "ABCDEFGHABCDEFGHABCDEFGH";
    let expected = "     W         R         W
 ----W---------R---------W----
|    W         R         W    |
|   (F)   W   (G)   R   (H)   |
|         W         R         |
|         W         R         |
|    R   (D)   W   (E)   R    |
|    R         W         R    |
|    R         W         R    |
|   (A)       (B)       (C)   |
|                             |
 -----------------------------
          R: 9           W: 9
";
    check(Pegs::new(), moves, Size::default(), expected);
}

#[test]
fn tic_tac_toe_boxed() {
    let expected = "   +---+---+---+
 3 | O |   |   |
   +---+---+---+
 2 |   | X |   |
   +---+---+---+
 1 |   |   | X |
   +---+---+---+
     a   b   c
";
    check(TicTacToe::new(), "b2 a3 c1", Size::default(), expected);
}

#[test]
fn connect_four_has_no_row_labels() {
    let expected = " +---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |
 +---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |
 +---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |
 +---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |
 +---+---+---+---+---+---+---+
 |   |   |   | Y |   |   |   |
 +---+---+---+---+---+---+---+
 |   |   |   | R |   | R |   |
 +---+---+---+---+---+---+---+
   1   2   3   4   5   6   7
";
    check(ConnectFour::new(), "446", Size::default(), expected);
}

fn mnk(columns: u8, rows: u8, in_a_row: u8) -> Mnk {
    Mnk::new(columns, rows, in_a_row).expect("the board is valid")
}

#[test]
fn two_digit_rows_line_up() {
    let expected = "    +---+---+
 10 | O |   |
    +---+---+
  9 |   |   |
    +---+---+
  8 |   |   |
    +---+---+
  7 |   |   |
    +---+---+
  6 |   |   |
    +---+---+
  5 |   |   |
    +---+---+
  4 |   |   |
    +---+---+
  3 |   |   |
    +---+---+
  2 |   |   |
    +---+---+
  1 |   | X |
    +---+---+
      a   b
";
    check(mnk(2, 10, 3), "b1 a10", terminal(80, 30), expected);
}

#[test]
fn fifteen_by_fifteen_is_compact() {
    let expected = " 15 O . . . . . . . . . . . . . .
 14 . . . . . . . . . . . . . . .
 13 . . . . . . . . . . . . . . .
 12 . . . . . . . . . . . . . . .
 11 . . . . . . . . . . . . . . .
 10 . . . . . . . . . . . . . . .
  9 . . . . . . . . . . . . . . .
  8 . . . . . . . X . . . . . . .
  7 . . . . . . . . . . . . . . .
  6 . . . . . . . . . . . . . . .
  5 . . . . . . . . . . . . . . .
  4 . . . . . . . . . . . . . . .
  3 . . . . . . . . . . . . . . .
  2 . . . . . . . . . . . . . . .
  1 . . . . . . . . . . . . . . X
    a b c d e f g h i j k l m n o
";
    check(mnk(15, 15, 5), "h8 a15 o1", Size::default(), expected);
}

#[test]
fn fifteen_by_fifteen_is_boxed_if_it_fits() {
    for (size, boxed) in [
        (terminal(80, 37), true),
        (terminal(80, 36), false),
        (terminal(65, 50), true),
        (terminal(64, 50), false),
    ] {
        let drawn = draw(&mnk(15, 15, 5).picture(), size).to_string();
        assert_eq!(drawn.starts_with("    +---+"), boxed, "{size:?}\n{drawn}");
    }
}

#[test]
fn nineteen_by_nineteen_fits_a_small_terminal() {
    let drawn = draw(&mnk(19, 19, 5).picture(), Size::default()).to_string();
    let lines: Vec<_> = drawn.lines().collect();
    assert_eq!(lines.len(), 20);
    assert_eq!(lines[0], " 19 . . . . . . . . . . . . . . . . . . .");
    assert_eq!(lines[18], "  1 . . . . . . . . . . . . . . . . . . .");
    assert_eq!(lines[19], "    a b c d e f g h i j k l m n o p q r s");
}

#[test]
fn nine_by_nine_is_boxed_if_the_board_alone_fits() {
    for (size, boxed) in [
        (Size::default(), true),
        (terminal(40, 20), true),
        (terminal(40, 19), false),
        (terminal(39, 50), false),
    ] {
        let drawn = draw(&mnk(9, 9, 5).picture(), size).to_string();
        assert_eq!(drawn.starts_with("   +---+"), boxed, "{size:?}\n{drawn}");
    }
}

#[test]
fn a_board_too_wide_is_drawn_with_a_warning() {
    let expected = "This board needs 14 columns; your terminal has 13.
 1 . . X . . .
   a b c d e f
";
    check(mnk(6, 1, 3), "c1", terminal(13, 24), expected);
    let drawn = draw(&Pegs::new().picture(), terminal(30, 24)).to_string();
    let warning = "This board needs 31 columns; your terminal has 30.\n     |";
    assert!(drawn.starts_with(warning), "{drawn}");
}

const ULTIMATE: &str = "e5 d6 b9 d9 a7 b1 f2 i5 h4 e3";

#[test]
fn ultimate_has_thick_lines_between_its_boards() {
    let expected = "   +---+---+---#---+---+---#---+---+---+
 9 |   | X |   # O |   |   #   |   |   |
   +---+---+---#---+---+---#---+---+---+
 8 |   |   |   #   |   |   #   |   |   |
   +---+---+---#---+---+---#---+---+---+
 7 | X |   |   #   |   |   #   |   |   |
   +===+===+===#===+===+===#===+===+===+
 6 |   |   |   # O |   |   #   |   |   |
   +---+---+---#---+---+---#---+---+---+
 5 |   |   |   #   | X |   #   |   | O |
   +---+---+---#---+---+---#---+---+---+
 4 |   |   |   #   |   |   #   | X |   |
   +===+===+===#===+===+===#===+===+===+
 3 |   |   |   #   | O |   #   |   |   |
   +---+---+---#---+---+---#---+---+---+
 2 |   |   |   #   |   | X #   |   |   |
   +---+---+---#---+---+---#---+---+---+
 1 |   | O |   #   |   |   #   |   |   |
   +---+---+---#---+---+---#---+---+---+
     a   b   c   d   e   f   g   h   i
";
    check(Ultimate::new(), ULTIMATE, Size::default(), expected);
}

#[test]
fn ultimate_is_compact_if_the_boxes_do_not_fit() {
    let expected = " 9 . X . | O . . | . . .
 8 . . . | . . . | . . .
 7 X . . | . . . | . . .
   ------+-------+------
 6 . . . | O . . | . . .
 5 . . . | . X . | . . O
 4 . . . | . . . | . X .
   ------+-------+------
 3 . . . | . O . | . . .
 2 . . . | . . X | . . .
 1 . O . | . . . | . . .
   a b c   d e f   g h i
";
    check(Ultimate::new(), ULTIMATE, terminal(39, 24), expected);
}

const QUBIC: &str = "2b2 3c3 1a1 3b3 4d4 3d3 3c2";

#[test]
fn qubic_side_by_side() {
    let expected = "        Layer 1            Layer 2            Layer 3            Layer 4
   +---+---+---+---+  +---+---+---+---+  +---+---+---+---+  +---+---+---+---+
 4 |   |   |   |   |  |   |   |   |   |  |   |   |   |   |  |   |   |   | X |
   +---+---+---+---+  +---+---+---+---+  +---+---+---+---+  +---+---+---+---+
 3 |   |   |   |   |  |   |   |   |   |  |   | O | O | O |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+  +---+---+---+---+  +---+---+---+---+
 2 |   |   |   |   |  |   | X |   |   |  |   |   | X |   |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+  +---+---+---+---+  +---+---+---+---+
 1 | X |   |   |   |  |   |   |   |   |  |   |   |   |   |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+  +---+---+---+---+  +---+---+---+---+
     a   b   c   d      a   b   c   d      a   b   c   d      a   b   c   d
";
    check(Qubic::new(), QUBIC, Size::default(), expected);
}

#[test]
fn qubic_is_two_by_two_if_a_row_of_four_is_too_wide() {
    let expected = "        Layer 1            Layer 2
   +---+---+---+---+  +---+---+---+---+
 4 |   |   |   |   |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+
 3 |   |   |   |   |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+
 2 |   |   |   |   |  |   | X |   |   |
   +---+---+---+---+  +---+---+---+---+
 1 | X |   |   |   |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+
     a   b   c   d      a   b   c   d

        Layer 3            Layer 4
   +---+---+---+---+  +---+---+---+---+
 4 |   |   |   |   |  |   |   |   | X |
   +---+---+---+---+  +---+---+---+---+
 3 |   | O | O | O |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+
 2 |   |   | X |   |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+
 1 |   |   |   |   |  |   |   |   |   |
   +---+---+---+---+  +---+---+---+---+
     a   b   c   d      a   b   c   d
";
    check(Qubic::new(), QUBIC, terminal(76, 28), expected);
}

#[test]
fn qubic_is_compact_if_two_by_two_is_too_high() {
    let expected = "   Layer 1  Layer 2  Layer 3  Layer 4
 4 . . . .  . . . .  . . . .  . . . X
 3 . . . .  . . . .  . O O O  . . . .
 2 . . . .  . X . .  . . X .  . . . .
 1 X . . .  . . . .  . . . .  . . . .
   a b c d  a b c d  a b c d  a b c d
";
    check(Qubic::new(), QUBIC, terminal(76, 24), expected);
}

#[test]
fn qubic_on_the_narrowest_terminals() {
    let expected = "   Layer 1  Layer 2
 4 . . . .  . . . .
 3 . . . .  . . . .
 2 . . . .  . X . .
 1 X . . .  . . . .
   a b c d  a b c d

   Layer 3  Layer 4
 4 . . . .  . . . X
 3 . O O O  . . . .
 2 . . X .  . . . .
 1 . . . .  . . . .
   a b c d  a b c d
";
    check(Qubic::new(), QUBIC, terminal(36, 24), expected);
    let drawn = draw(&Qubic::new().picture(), terminal(9, 24)).to_string();
    let warning = "This board needs 10 columns; your terminal has 9.\n   Layer 1\n";
    assert!(drawn.starts_with(warning), "{drawn}");
}

#[test]
fn qubic_changes_its_shape_at_these_sizes() {
    for (size, width, height) in [
        (terminal(77, 16), 77, 11),
        (terminal(77, 15), 37, 6),
        (terminal(76, 27), 37, 6),
        (terminal(37, 24), 37, 6),
        (terminal(36, 28), 19, 13),
        (terminal(19, 24), 19, 13),
        (terminal(18, 60), 10, 27),
        (terminal(18, 24), 10, 27),
    ] {
        let drawn = draw(&Qubic::new().picture(), size).to_string();
        let widest = drawn.lines().map(str::len).max();
        let shape = (widest, drawn.lines().count());
        assert_eq!(shape, (Some(width), height), "{size:?}\n{drawn}");
    }
}

/// A picture with a piece of the first side at each of these places.
fn picture(layout: Layout, marks: [&'static str; 2], places: &[Place]) -> Picture<u8> {
    let [first, second] = marks;
    let sides = [
        Piece::new(Side::First, first),
        Piece::new(Side::Second, second),
    ];
    let cell = |&place| BoardCell {
        piece: Some(sides[0]),
        ..BoardCell::at(place)
    };
    Picture {
        cells: places.iter().map(cell).collect(),
        points: Some([12, 7]),
        sides,
        ..Picture::new(layout)
    }
}

#[test]
fn marks_of_two_characters_and_points_on_a_flat_board() {
    let picture = picture(Layout::grid(2, 1), ["♜1", "B"], &[Place::flat(1, 0)]);
    let boxed = "   +----+----+
 1 |    | ♜1 |
   +----+----+
     a    b
     ♜1: 12   B: 7
";
    assert_eq!(draw(&picture, Size::default()).to_string(), boxed);
    let compact = " 1    ♜1
   a  b
   ♜1: 12   B: 7
";
    let drawn = draw(&picture, terminal(3, 24)).to_string();
    assert!(drawn.ends_with(compact), "{drawn}");
}

/// Layers of these columns and rows, without labels.
fn layers(count: usize, columns: usize, rows: usize) -> Layout {
    let unnamed = |count| vec![String::new(); count];
    Layout::Layers {
        layers: unnamed(count),
        columns: unnamed(columns),
        rows: unnamed(rows),
    }
}

/// A flat board of these columns and rows, with blocks of this size.
fn blocks(columns: u8, rows: u8, size: u8) -> Layout {
    match Layout::grid(columns, rows) {
        Layout::Grid { columns, rows, .. } => Layout::Grid {
            columns,
            rows,
            block: Some(size),
        },
        other => other,
    }
}

#[test]
fn blocks_that_do_not_divide_the_board() {
    let places = [Place::flat(0, 0), Place::flat(2, 2)];
    let picture = picture(blocks(3, 3, 2), ["X", "O"], &places);
    let boxed = "   +---+---#---+
 3 |   |   # X |
   +===+===#===+
 2 |   |   #   |
   +---+---#---+
 1 | X |   #   |
   +---+---#---+
     a   b   c
     X: 12   O: 7
";
    assert_eq!(draw(&picture, Size::default()).to_string(), boxed);
    let compact = " 3     | X
   ----+--
 2     |
 1 X   |
   a b   c
   X: 12   O: 7
";
    assert_eq!(draw(&picture, terminal(15, 24)).to_string(), compact);
}

fn stacks(plane: &[(u8, u8)], height: u8) -> Layout {
    let stack = |(&(x, y), label): (_, char)| Stack {
        x,
        y,
        label: label.to_string(),
    };
    Layout::Stacks {
        stacks: plane.iter().zip('A'..).map(stack).collect(),
        height,
    }
}

#[test]
fn stacks_do_not_hide_the_labels_behind_them() {
    let layout = stacks(&[(0, 0), (1, 0), (0, 1), (1, 1)], 2);
    let top = Place { x: 1, y: 0, z: 1 };
    let places = [top, Place { z: 0, ..top }, Place { x: 0, y: 1, z: 0 }];
    let expected = " --------------
|    X         |
|   (C)  (D)   |
|         X    |
|         X    |
|   (A)  (B)   |
|              |
 --------------
     X: 12   O: 7
";
    let drawn = draw(&picture(layout, ["X", "O"], &places), Size::default());
    assert_eq!(drawn.to_string(), expected, "\n{drawn}");
}

#[test]
fn an_inconsistent_picture_is_drawn_without_a_panic() {
    let places = [Place::flat(200, 0), Place { x: 0, y: 0, z: 99 }];
    for layout in [
        Layout::grid(0, 0),
        Layout::grid(1, 0),
        Layout::grid(0, 1),
        blocks(0, 0, 3),
        blocks(1, 2, 0),
        blocks(1, 2, 255),
        layers(0, 4, 4),
        layers(3, 0, 0),
        layers(3, 0, 2),
        layers(3, 2, 0),
        stacks(&[], 3),
        stacks(&[(255, 9), (0, 0)], 20),
        stacks(&[(0, 0), (0, 0)], 0),
    ] {
        let drawn = draw(&picture(layout.clone(), ["", ""], &places), Size::default());
        assert!(!drawn.to_string().contains('X'), "{layout:?}");
    }
}

#[test]
fn spans_distinguish_pieces_and_lines_from_the_frame() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a3 b1 b3 b2 c3").expect("the moves are legal");
    let drawn = draw(&game.picture(), Size::default());
    let span = |text: &str, role| Span {
        text: text.to_owned(),
        role,
        color: match role {
            Role::Piece(Some(side)) | Role::InLine(Some(side)) => Some(Color::SIDES[side.index()]),
            _ => None,
        },
    };
    let x = || span("X", Role::InLine(Some(Side::First)));
    let separator = || span(" | ", Role::Frame);
    assert_eq!(
        drawn.lines[1],
        [
            span(" 3 | ", Role::Frame),
            x(),
            separator(),
            x(),
            separator(),
            x(),
            span(" |", Role::Frame)
        ]
    );
    assert_eq!(
        drawn.lines[3][1],
        span("O", Role::Piece(Some(Side::Second)))
    );
    let coloured = drawn.coloured().to_string();
    let third = coloured.lines().nth(1).expect("the board has three rows");
    assert!(
        third.starts_with(" 3 | \u{1b}[1m\u{1b}[7m\u{1b}[38;5;160mX\u{1b}[0m | "),
        "{third:?}"
    );
    assert!(!drawn.to_string().contains('\u{1b}'));
}
