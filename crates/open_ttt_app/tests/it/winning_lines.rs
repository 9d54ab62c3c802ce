//! Lines that have won, in words.

use open_ttt_app::winning_lines;
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Drawing, Notation};

use crate::sessions::game;

/// What is told after these moves.
fn told<G: Notation + Drawing>(mut game: G, moves: &str) -> Option<String> {
    for text in moves.split_whitespace() {
        let m = game.parse_move(text).expect("a move");
        game.check(m).expect("a legal move");
        game.play_unchecked(m);
    }
    winning_lines(&game.picture(), game.outcome().expect("the end"))
}

#[track_caller]
fn check<G: Notation + Drawing>(game: G, moves: &str, expected: Option<&str>) {
    assert_eq!(told(game, moves).as_deref(), expected);
}

#[test]
fn lines_are_told_by_the_names_of_their_places() {
    check(
        TicTacToe::new(),
        "c1 a1 b2 a2 a3",
        Some("Winning line: c1 b2 a3"),
    );
    // Two lines with one move.
    check(
        TicTacToe::new(),
        "a2 b2 a3 b3 b1 c2 c1 c3 a1",
        Some("Winning lines: a1 b1 c1; a1 a2 a3"),
    );
    check(
        game("qubic"),
        "1a1 2a1 1b1 2b1 1c1 2c1 1d1",
        Some("Winning line: 1a1 1b1 1c1 1d1"),
    );
    check(
        game("connect4"),
        "4 1 5 1 6 1 7",
        Some("Winning line (column/row): 4/1 5/1 6/1 7/1"),
    );
}

#[test]
fn draws_and_games_of_points_have_none() {
    check(TicTacToe::new(), "b2 a1 c1 a3 a2 c2 b3 b1 c3", None);
    let pegs = "F A D B G E A F F G C D B H G D E H H A C C B E";
    check(game("pegs"), pegs, None);
}
