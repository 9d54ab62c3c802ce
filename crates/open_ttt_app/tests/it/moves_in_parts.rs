//! Moves of several parts, typed at once or part by part.

use open_ttt_app::MoveReader;
use open_ttt_lib::rules::{
    BoardCell, Choice, Drawing, Layout, Notation, Outcome, ParseMoveError, Picture, Place, Side,
    Tray, TwoPlayerGame,
};

use crate::sessions::play;

/// A game of one turn on numbered squares, whose moves are of every kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OneTurn {
    played: Option<usize>,
}

/// The squares of a move, from 1, its label and its notation.
const MOVES: [(&[u8], Option<&str>, &str); 10] = [
    (&[1, 2], None, "1-2"),
    (&[1, 3], Some("Stop"), "1x3"),
    (&[1, 3, 5], None, "1x3x5"),
    (&[4, 3, 11], None, "4x3x11"),
    (&[4, 5, 12], None, "4x5x12"),
    (&[11], Some("X"), "x11"),
    (&[11], Some("O"), "o11"),
    (&[], Some("Pass on"), "pass"),
    (&[9, POOL], None, "9+a"),
    (&[9, POOL + 1], None, "9+b"),
];

/// Higher numbers are places in a pool.
const POOL: u8 = 100;

impl TwoPlayerGame for OneTurn {
    type Move = usize;

    fn to_move(&self) -> Side {
        Side::First
    }

    fn outcome(&self) -> Option<Outcome> {
        self.played.map(|_| Outcome::Draw)
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        0..if self.played.is_some() {
            0
        } else {
            MOVES.len()
        }
    }

    fn play_unchecked(&mut self, m: usize) {
        self.played = Some(m);
    }
}

impl Notation for OneTurn {
    fn move_text(&self, m: usize) -> String {
        MOVES[m].2.to_owned()
    }

    fn parse_move(&self, text: &str) -> Result<usize, ParseMoveError> {
        let text = text.trim().to_lowercase();
        let named = MOVES.iter().position(|m| m.2 == text);
        named.ok_or_else(|| ParseMoveError::new(&text, "two squares, as in 1-2"))
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["White", "Black"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Move"
    }
}

impl Drawing for OneTurn {
    fn picture(&self) -> Picture<usize> {
        let square = |number: u8| match number.checked_sub(POOL) {
            Some(index) => Place::in_tray(0, index),
            None => Place::flat(number - 1, 0),
        };
        let pool = [POOL, POOL + 1].map(|number| BoardCell::at(square(number)));
        let cells = (1..=12).map(|number| BoardCell {
            label: Some(number.to_string()),
            ..BoardCell::at(square(number))
        });
        let choices = self.moves().map(|m| {
            let (squares, label, _) = MOVES[m];
            let path: Vec<_> = squares.iter().map(|&number| square(number)).collect();
            let label = label.map(str::to_owned);
            Choice { m, path, label }
        });
        Picture {
            cells: cells.collect(),
            trays: vec![Tray {
                title: "Pool".to_owned(),
                side: None,
                cells: pool.to_vec(),
            }],
            choices: choices.collect(),
            ..Picture::new(Layout::grid(12, 1))
        }
    }
}

const START: OneTurn = OneTurn { played: None };

/// Reads texts one after the other, of which the last one is to be this move.
#[track_caller]
fn check(texts: &[&str], expected: &str) {
    let mut reader = MoveReader::default();
    let (last, beginning) = texts.split_last().expect("there is a text");
    for text in beginning {
        assert!(reader.read(&START, text).is_err(), "{text:?} is no move");
    }
    let m = reader.read(&START, last);
    assert_eq!(m.map(|m| MOVES[m].2), Ok(expected), "{texts:?}");
}

#[track_caller]
fn check_message(text: &str, expected: &str) {
    let read = MoveReader::default().read(&START, text);
    assert_eq!(read, Err(expected.to_owned()), "{text:?}");
}

#[test]
fn a_move_is_typed_at_once() {
    for text in ["1-2", "1 2", "12", "1,2", " 1 - 2 ", "1>2"] {
        check(&[text], "1-2");
    }
    check(&["1 3 5"], "1x3x5");
    check(&["1X3X5"], "1x3x5");
    check(&["1 3 stop"], "1x3");
    check(&["11 O"], "o11");
    check(&["PASS ON"], "pass");
}

#[test]
fn the_places_on_the_way_can_be_left_out() {
    check(&["4x11"], "4x3x11");
    check(&["4 12"], "4x5x12");
}

#[test]
fn a_move_is_typed_part_by_part() {
    check(&["1", "2"], "1-2");
    check(&["1", "3", "5"], "1x3x5");
    check(&["1", "3", "Stop"], "1x3");
    check(&["1 3", "5"], "1x3x5");
    check(&["11", "x"], "x11");
}

#[test]
fn another_move_can_follow_an_incomplete_one() {
    check(&["1", "4x11"], "4x3x11");
    check(&["1", "11", "o"], "o11");
    // After an error, the beginning is forgotten.
    check(&["1", "nonsense", "11", "o"], "o11");
}

#[test]
fn an_incomplete_move_lists_how_it_goes_on() {
    check_message("1", "1 to: 2 3");
    check_message("1 3", "1 3 to: 5, or: Stop");
    check_message("11", "11: X, O");
    check_message("4", "4 to: 3 5");
    // The places of the pool have no names.
    check_message("9", "9 to: 9+a 9+b");
}

#[test]
fn what_is_no_beginning_is_an_error() {
    for text in [
        "7",
        "1 7",
        "2-1",
        "1 2 3",
        "-",
        "",
        "x",
        "stop",
        "1 3 pass on",
    ] {
        let message = MoveReader::default()
            .read(&START, text)
            .expect_err("an error");
        assert!(
            message.contains("isn't a move; expected two squares"),
            "{message}"
        );
    }
}

#[test]
fn a_session_asks_for_the_rest_of_a_move() {
    let output = play(START, "1\nmoves\n1\n3\nboard\n5\nn\n");
    let expected = "Move to play? (e.g., 1-2)
> 1
1 to: 2 3
> moves
1-2 1x3 1x3x5 4x3x11 4x5x12 x11 o11 pass 9+a 9+b
> 1
1 to: 2 3
> 3
1 3 to: 5, or: Stop
> board
";
    assert!(output.contains(expected), "{output}");
    assert!(output.contains("> 5\n"), "{output}");
    assert!(
        output.ends_with("Draw\nPlay again? (y/n)\n> n\nGoodbye\n"),
        "{output}"
    );
}
