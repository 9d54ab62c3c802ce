//! What the people who play a game are told: the names of the sides, their marks and colours,
//! what a move is called, and what was expected instead of nonsense.

use open_ttt_lib::games::{
    ConnectFour, DotsAndBoxes, Draughts, Hex, Lines, LinesOptions, Mnk, Morris, Pegs, Quarto,
    Qubic, Reversi, TicTacToe, Ultimate,
};
use open_ttt_lib::rules::Color::{self, Black, Blue, Red, Teal, White, Yellow};
use open_ttt_lib::rules::{Drawing, Notation, Side};

/// What is told about the start of a game.
struct Words {
    sides: [&'static str; 2],
    marks: [&'static str; 2],
    colors: [Color; 2],
    noun: &'static str,
    expected: &'static str,
}

#[track_caller]
fn check<G: Drawing + Notation>(game: &G, words: &Words) {
    let picture = game.picture();
    assert_eq!(Side::BOTH.map(|side| game.side_name(side)), words.sides);
    assert_eq!(picture.sides.map(|piece| piece.mark), words.marks);
    assert_eq!(picture.colors, words.colors);
    assert_eq!(game.move_noun(), words.noun);
    let Err(error) = game.parse_move("nonsense") else {
        panic!("nonsense is a move");
    };
    assert_eq!(error.text, "\"nonsense\"");
    assert_eq!(error.expected, words.expected);
}

#[test]
fn tic_tac_toe() {
    let words = Words {
        sides: ["X", "O"],
        marks: ["X", "O"],
        colors: [Red, Teal],
        noun: "Coordinates",
        expected: "a column from a to c and a row from 1 to 3, as in a1",
    };
    check(&TicTacToe::default(), &words);
}

#[test]
fn pegs() {
    let words = Words {
        sides: ["Red", "White"],
        marks: ["R", "W"],
        colors: [Red, White],
        noun: "Peg",
        expected: "a peg from A to H",
    };
    check(&Pegs::default(), &words);
}

#[test]
fn mnk() {
    let words = Words {
        sides: ["X", "O"],
        marks: ["X", "O"],
        colors: [Red, Teal],
        noun: "Coordinates",
        expected: "a column from a to o and a row from 1 to 15, as in a1",
    };
    check(&Mnk::default(), &words);
}

#[test]
fn reversi() {
    let words = Words {
        sides: ["Black", "White"],
        marks: ["B", "W"],
        colors: [Black, White],
        noun: "Square",
        expected: "a column from a to h and a row from 1 to 8, as in a1, or pass",
    };
    check(&Reversi::default(), &words);
}

#[test]
fn morris() {
    let words = Words {
        sides: ["White", "Black"],
        marks: ["W", "B"],
        colors: [White, Black],
        noun: "Move",
        expected: "points of the board, as in d6, a1-a4 or a1-a4xd6",
    };
    check(&Morris::default(), &words);
}

#[test]
fn connect_four() {
    let words = Words {
        sides: ["Red", "Yellow"],
        marks: ["R", "Y"],
        colors: [Red, Yellow],
        noun: "Column",
        expected: "a column from 1 to 7",
    };
    check(&ConnectFour::default(), &words);
}

#[test]
fn quarto() {
    let words = Words {
        sides: ["First", "Second"],
        marks: ["1", "2"],
        colors: [Red, Teal],
        noun: "Move",
        expected: "a cell and a piece to give, as in a1-ltrf: l or d, t or s, r or q, f or h",
    };
    check(&Quarto::default(), &words);
}

#[test]
fn draughts() {
    let words = Words {
        sides: ["Black", "White"],
        marks: ["b", "w"],
        colors: [Black, White],
        noun: "Move",
        expected: "squares from 1 to 32, as in 11-15 for a step or 15x22x29 for jumps",
    };
    check(&Draughts::default(), &words);
}

#[test]
fn lines() {
    let words = Words {
        sides: ["X", "O"],
        marks: ["X", "O"],
        colors: [Red, Teal],
        noun: "Coordinates",
        expected: "a column from a to c, a row from 1 to 3, as in a1",
    };
    check(&Lines::new(LinesOptions::default()).unwrap(), &words);
}

#[test]
fn qubic() {
    let words = Words {
        sides: ["X", "O"],
        marks: ["X", "O"],
        colors: [Red, Teal],
        noun: "Layer, column and row",
        expected: "a layer from 1 to 4, a column from a to d and a row from 1 to 4, as in 2c4",
    };
    check(&Qubic::default(), &words);
}

#[test]
fn ultimate() {
    let words = Words {
        sides: ["X", "O"],
        marks: ["X", "O"],
        colors: [Red, Teal],
        noun: "Coordinates",
        expected: "a column from a to i and a row from 1 to 9, as in a1",
    };
    check(&Ultimate::default(), &words);
}

#[test]
fn dots_and_boxes() {
    let words = Words {
        sides: ["Red", "Blue"],
        marks: ["R", "B"],
        colors: [Red, Blue],
        noun: "Edge",
        expected: "two neighbouring dots from a1 to f6, as in a1-b1",
    };
    check(&DotsAndBoxes::default(), &words);
}

#[test]
fn hex() {
    let words = Words {
        sides: ["Red", "Blue"],
        marks: ["R", "B"],
        colors: [Red, Blue],
        noun: "Cell",
        expected: "a column from a to k and a row from 1 to 11, as in a1, or swap",
    };
    check(&Hex::default(), &words);
}
