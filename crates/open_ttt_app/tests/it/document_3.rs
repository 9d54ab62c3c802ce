//! The game and the transcript of design document 3.

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::conformance::Laws;

use crate::sessions::{people, play, play_app};

#[expect(dead_code, reason = "the example's main is unused")]
#[path = "../../examples/document_3.rs"]
mod example;

const TRANSCRIPT: &str = "
   +---+---+---+
 3 |   | ⛀ |   |
   +---+---+---+
 2 |   | ⛂ |   |
   +---+---+---+
 1 |   | ⛂ | ⛀ |
   +---+---+---+
     a   b   c

White turn
Possible moves: a1 a2 c2 a3 c3
Coordinates to play? (e.g., a1)
> a2
";

const SCRIPT: &str = "b1\nc1\nb2\nb3\na2\nquit\n";

#[test]
fn tic_tac_toe_reproduces_the_transcript() {
    let app = people(TicTacToe::new())
        .names(["White", "Black"])
        .marks(["⛂", "⛀"]);
    let output = play_app(&app, SCRIPT);
    assert!(output.contains(TRANSCRIPT), "{output}");
}

#[test]
fn the_example_reproduces_the_transcript() {
    let output = play(example::Board::new(), SCRIPT);
    assert!(output.contains(TRANSCRIPT), "{output}");
}

#[test]
fn the_example_obeys_the_laws() {
    Laws::of(&example::Board::new())
        .rules()
        .notation()
        .drawing();
}
