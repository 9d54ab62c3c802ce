//! The test of the tutorial.

use open_ttt::rules::conformance::Laws;
use open_ttt::rules::perft;

use crate::game::Reversi;

#[test]
fn the_game_obeys_the_laws() {
    Laws::of(&Reversi::new())
        .rules()
        .notation()
        .drawing()
        .indexed_moves()
        .described();
}

/// The published numbers of move sequences, a pass counted as a move.
#[test]
fn the_moves_are_those_of_the_game() {
    let counts = [1, 4, 12, 56, 244, 1396, 8200, 55092];
    for (depth, count) in (0..).zip(counts) {
        assert_eq!(perft(&Reversi::new(), depth), count);
    }
}
