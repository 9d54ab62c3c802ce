//! Moves as text: valid and invalid input, and the error messages.

use std::fmt::{Debug, Display};

use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{
    IndexedMoves, Notation, PlayTextErrorKind, Reason, normalized, parse_grid_cell, play_text,
    quoted,
};

#[track_caller]
fn check_cell(text: &str, expected: Option<(u8, u8)>) {
    assert_eq!(parse_grid_cell(text, 19, 19).ok(), expected, "{text:?}");
}

#[test]
fn valid_cells() {
    check_cell("a1", Some((0, 0)));
    check_cell("A1", Some((0, 0)));
    check_cell(" A 1 ", Some((0, 0)));
    check_cell("\ta\n1\r\n", Some((0, 0)));
    check_cell("s19", Some((18, 18)));
    check_cell("S 1 9", Some((18, 18)));
    check_cell("a9", Some((0, 8)));
    check_cell("a10", Some((0, 9)));
}

#[test]
fn invalid_cells() {
    for text in [
        "",
        " ",
        "a",
        "1",
        "1a",
        "a0",
        "a01",
        "a001",
        "a+1",
        "+1",
        "a-1",
        "-",
        "t1",
        "a20",
        "a99",
        "a100",
        "a256",
        "a257",
        "aa1",
        "a1b",
        "a1b1",
        "a1,",
        "a１",
        "ａ1",
        "а1", // A Cyrillic letter.
        "ä1",
        "a\u{0}1",
        "\u{0}",
        "`1",
        "{1",
        "a1\u{301}",
        "🙂",
    ] {
        check_cell(text, None);
    }
    check_cell(&"a".repeat(1 << 20), None);
    check_cell(&format!("a1{}", "0".repeat(1 << 20)), None);
}

#[test]
fn cells_end_with_the_board() {
    assert_eq!(parse_grid_cell("a1", 1, 1).ok(), Some((0, 0)));
    assert!(parse_grid_cell("b1", 1, 1).is_err());
    assert!(parse_grid_cell("a2", 1, 1).is_err());
    assert_eq!(parse_grid_cell("z26", 26, 26).ok(), Some((25, 25)));
    assert!(parse_grid_cell("a1", 0, 0).is_err());
    let error = parse_grid_cell("b2", 1, 1).expect_err("the board has one cell");
    assert_eq!(
        error.to_string(),
        "\"b2\" isn't a move; expected the column a and the row 1, as in a1"
    );
}

#[test]
fn invalid_pegs_and_columns() {
    for text in ["", "I", "AA", "@", "1", "Ä", "\u{0}", "🙂", "A\u{301}"] {
        assert!(Pegs::new().parse_move(text).is_err(), "{text:?}");
    }
    for text in ["", "0", "8", "44", "a", "+1", "01", "１", "\u{0}"] {
        assert!(ConnectFour::new().parse_move(text).is_err(), "{text:?}");
    }
}

#[track_caller]
fn check_list<G: Notation + Debug>(start: &G, text: &str, expected: &str) {
    let mut game = start.clone();
    let played = play_text(&mut game, text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let mut replayed = start.clone();
    let mut texts = Vec::new();
    for m in played {
        texts.push(replayed.move_text(m));
        replayed.play(m).unwrap();
    }
    assert_eq!(texts.join(" "), expected, "{text:?}");
    assert_eq!(game, replayed, "{text:?}");
}

#[test]
fn valid_lists() {
    let four = ConnectFour::new();
    for text in [
        "4453",
        "44,5 3",
        "4 4 5 3",
        "4,4,5,3,",
        " ,4\n4\t5,,3 ",
        "445 3",
    ] {
        check_list(&four, text, "4 4 5 3");
    }
    for text in ["", " ", "-", " - ", ",", " ,\n, "] {
        check_list(&four, text, "");
    }
    check_list(&Pegs::new(), "abCh", "A B C H");
    check_list(&Pegs::new(), "a B,c H", "A B C H");
    check_list(&TicTacToe::new(), "a1,B2 c3", "a1 b2 c3");
    check_list(&Mnk::default(), "o15 a10", "o15 a10");
}

#[track_caller]
fn check_list_error<G: Notation + Debug>(start: &G, text: &str, number: usize, expected: &str) {
    let mut game = start.clone();
    let error = play_text(&mut game, text).expect_err("the list is invalid");
    assert_eq!(error.number, number, "{text:?}");
    let sentence = error.to_string();
    assert_eq!(sentence, expected, "{text:?}");
    assert!(sentence.len() < 300 && !sentence.contains(char::is_control));
    assert!(!sentence.ends_with('.'), "{sentence}");
}

#[test]
fn invalid_lists() {
    let cell = "a column from a to c and a row from 1 to 3, as in a1";
    let ttt = TicTacToe::new();
    check_list_error(
        &ttt,
        "a1 a1",
        2,
        "move 2: \"a1\" is not possible: that place is already taken",
    );
    check_list_error(
        &ttt,
        "a1b2",
        1,
        &format!("move 1: \"a1b2\" isn't a move; expected {cell}"),
    );
    check_list_error(
        &ttt,
        "a1 -",
        2,
        &format!("move 2: \"-\" isn't a move; expected {cell}"),
    );
    check_list_error(
        &ttt,
        "a1 b1\u{0}",
        2,
        &format!("move 2: \"b1\\0\" isn't a move; expected {cell}"),
    );
    check_list_error(
        &ConnectFour::new(),
        "4444444",
        7,
        "move 7: \"4\" is not possible: there is no room left",
    );
    check_list_error(
        &ConnectFour::new(),
        "4498",
        3,
        "move 3: \"9\" isn't a move; expected a column from 1 to 7",
    );
    check_list_error(
        &Pegs::new(),
        "ABCI",
        4,
        "move 4: \"I\" isn't a move; expected a peg from A to H",
    );
    check_list_error(
        &Pegs::new(),
        &"A".repeat(1 << 20),
        4,
        "move 4: \"A\" is not possible: there is no room left",
    );
    check_list_error(
        &Pegs::new(),
        &"\u{7}".repeat(1 << 20),
        1,
        &format!(
            "move 1: \"{}...\" isn't a move; expected a peg from A to H",
            "\\u{7}".repeat(20)
        ),
    );
}

#[test]
fn moves_after_the_end_are_illegal() {
    check_list_error(
        &TicTacToe::new(),
        "a1 a2 b1 b2 c1 c2",
        6,
        "move 6: \"c2\" is not possible: the game is over",
    );
    check_list_error(
        &ConnectFour::new(),
        "41414141",
        8,
        "move 8: \"1\" is not possible: the game is over",
    );
    let full = format!("{}A", "ABCDEFGH".repeat(3));
    check_list_error(
        &Pegs::new(),
        &full,
        25,
        "move 25: \"A\" is not possible: the game is over",
    );
}

#[track_caller]
fn check_refusal<G>(start: &G, moves: &str, refused: &str, expected: &str)
where
    G: Notation + IndexedMoves,
    G::Move: Display,
{
    for m in (0..start.move_count()).filter_map(|index| start.indexed_move(index)) {
        assert_eq!(m.to_string(), start.move_text(m));
    }
    let mut game = start.clone();
    play_text(&mut game, moves).unwrap();
    let m = game.parse_move(refused).unwrap();
    assert_eq!(game.play(m).unwrap_err().to_string(), expected);
}

#[test]
fn illegal_moves_are_displayed_in_notation() {
    let taken = "that place is already taken";
    let full = "there is no room left";
    check_refusal(
        &TicTacToe::new(),
        "b2",
        "b2",
        &format!("illegal move b2: {taken}"),
    );
    check_refusal(&Pegs::new(), "AAA", "a", &format!("illegal move A: {full}"));
    check_refusal(
        &ConnectFour::new(),
        "444444",
        "4",
        &format!("illegal move 4: {full}"),
    );
    check_refusal(
        &Mnk::default(),
        "o15",
        "o15",
        &format!("illegal move o15: {taken}"),
    );
    check_refusal(
        &Qubic::new(),
        "2c4",
        "2c4",
        &format!("illegal move 2c4: {taken}"),
    );
    check_refusal(
        &Ultimate::new(),
        "e5",
        "a1",
        "illegal move a1: the rules do not allow it here",
    );
}

#[test]
fn an_invalid_list_is_played_up_to_its_error() {
    let mut game = ConnectFour::new();
    let error = play_text(&mut game, "443 x 5").expect_err("x is no column");
    assert_eq!(game.plies(), 3);
    assert_eq!(error.number, 4);
    assert!(matches!(error.kind, PlayTextErrorKind::Malformed(_)));
    let error = play_text(&mut game, "444444").expect_err("the column fills up");
    assert_eq!(game.plies(), 7);
    assert_eq!(error.kind, PlayTextErrorKind::Illegal(Reason::Full));
}

#[test]
fn quoted_text_has_no_control_characters() {
    assert_eq!(quoted(""), "\"\"");
    assert_eq!(quoted("say \"hi\"\n"), r#""say \"hi\"\n""#);
    assert_eq!(quoted("\u{202e}abc"), r#""\u{202e}abc""#);
    assert_eq!(quoted("äöü"), "\"äöü\"");
    assert_eq!(
        quoted(&"ä".repeat(21)),
        format!("\"{}...\"", "ä".repeat(20))
    );
}

#[test]
fn normalizing_limits_the_remaining_length() {
    assert_eq!(normalized("", 0).as_deref(), Some(""));
    assert_eq!(normalized("  \n", 0).as_deref(), Some(""));
    assert_eq!(normalized("A", 0), None);
    assert_eq!(normalized(&" ".repeat(1 << 20), 3).as_deref(), Some(""));
    assert_eq!(normalized(&"x".repeat(1 << 20), 3), None);
}
