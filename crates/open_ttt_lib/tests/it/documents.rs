//! Every name of the five design documents is found by searching the
//! documentation of the libraries: as a name of its own or as an alias.

use std::fs;
use std::path::Path;

/// All source files in a folder as one text.
fn source(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text.push_str(&source(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
    text
}

#[track_caller]
fn check(names: &str) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let source: String = ["lib", "search", "players", "catalog"]
        .map(|name| source(&crates.join(format!("open_ttt_{name}/src"))))
        .concat();
    for name in names.split_whitespace() {
        let forms = [
            format!("#[doc(alias = \"{name}\")]"),
            format!("pub fn {name}("),
            format!("pub const fn {name}("),
            format!("    fn {name}("),
            format!("pub fn {name}<"),
            format!("pub struct {name}"),
            format!("pub enum {name}"),
            format!("pub trait {name}"),
            format!("pub mod {name}"),
            format!("    type {name}"),
            format!("    pub {name}: "),
            format!("    {name},"),
            format!("    {name}("),
        ];
        let found = forms.iter().any(|form| source.contains(form));
        assert!(found, "nothing is called {name}");
    }
}

#[test]
fn the_library_design() {
    check("Game new board state can_move do_move start_next_game");
    check("GameState PlayerXMove PlayerOMove PlayerXWin PlayerOWin CatsGame is_game_over");
    check("Board size get get_mut iter free_squares victory_sets Square position owner");
    check("Position row column Owner PlayerX PlayerO None Iter FreeSquares VictorySets AIMove");
}

#[test]
fn the_eight_peg_design() {
    check("addPiece getNumPieces getMoveNum validMove printBoard evalBoard");
    check("Player getColour getScore setScore getMove Colour Board negamax");
}

#[test]
fn the_state_machine() {
    check("StateMachine apply Transition Conflict Player GameStatus NextPlayer Won Tie");
    check("TicTacToe TicTacToeMove TicTacToeConflict GameAlreadyEnded SquareAlreadyFilled");
}

#[test]
fn the_game_framework() {
    check("TwoPlayerGame Token Move Coords2D Board possible_moves_in winner play");
    check("Input choose_stdin draw_board mcts");
}

#[test]
fn the_self_taught_player() {
    check("Player take_turn player_name play_game play_turn GameStatus InProgress");
    check("Winner Loser Draw GameResult player1 player2 WinStatus check_for_winner");
    check("current_player");
}
