//! The menu.

use std::fmt::Write as _;

use crate::program::run;
#[cfg(unix)]
use crate::scratch::Scratch;

const MENU: &str = "\
open_ttt: two-player board games

1 Play
2 Rules
3 Quit
";

const GAMES: &str = "
Which game?
1 Tic-tac-toe (ttt)
2 Eight pegs (pegs)
3 Connect Four (connect4)
4 K in a row (mnk)
5 Qubic (qubic)
6 Ultimate tic-tac-toe (ultimate)
7 Reversi (reversi)
8 Dots and Boxes (dots)
9 Hex (hex)
10 Lines of any kind (lines)
11 Quarto (quarto)
12 English draughts (checkers) (draughts)
13 Morris (mill) (morris)
14 Back
";

#[test]
fn the_program_opens_the_menu() {
    for (answer, rest) in [
        ("3", "Goodbye\n"),
        ("Quit", "Goodbye\n"),
        ("Q", "Goodbye\n"),
    ] {
        let output = run([""; 0], format!("{answer}\n"));
        let lines = output.strip_prefix(&format!("{MENU}> {answer}\n")).unwrap();
        assert_eq!(lines.trim_start(), rest);
    }
}

#[test]
fn the_rules_of_every_game() {
    let expected = format!(
        "{MENU}> 2
{GAMES}> 2

Eight pegs

Red and White take turns putting a piece on one of eight pegs. Red goes first.
A piece falls to the lowest free place; a peg holds three.
The game ends when all 24 places are filled. Each straight line of three pieces
of one colour, vertical, horizontal or diagonal, is a point. By default 34 of
the 38 lines count: all but the diagonals within A B C and F G H.
More points win; equal points are a draw.

{MENU}> quit
Goodbye
"
    );
    assert_eq!(run([""; 0], "2\n2\nquit\n"), expected);
    for (game, title) in [
        ("ttt", "Tic-tac-toe"),
        ("3", "Connect Four"),
        ("mnk(m=3,n=3,k=3)", "K in a row"),
        ("Pegs( lines = 38 )", "Eight pegs"),
    ] {
        let output = run([""; 0], format!("r\n{game}\n3\n"));
        let start = format!("{MENU}> r\n{GAMES}> {game}\n\n{title}\n\n");
        assert!(output.starts_with(&start), "{output}");
    }
}

/// Checks the screens from the menu to the first board.
#[track_caller]
fn check_screens(answers: &str, expected: &str) {
    let output = run([""; 0], answers);
    let start = format!("{MENU}> 1\n{GAMES}{expected}");
    assert!(
        output.starts_with(&start),
        "{output}\n-- is not --\n{start}"
    );
}

const MODES: &str = "
Who plays?
1 human vs human
2 human vs computer
3 computer vs computer
4 Back
";

const LEVELS: &str = "1 master
2 expert
3 hard
4 medium
5 easy
6 beginner
7 adaptive, follows your results
8 random moves
9 Back
";

const HINT: &str = "\nType help at any time\n\n";

#[test]
fn human_vs_human() {
    check_screens(
        "1\nmnk(m=2,n=1,k=2)\n1\n",
        &format!(
            "> mnk(m=2,n=1,k=2)\n{MODES}> 1\n{HINT}   +---+---+\n 1 |   |   |\n   +---+---+\n     a   b\n\nX turn\n"
        ),
    );
}

#[test]
fn human_vs_computer() {
    for (side, other, answers) in [
        ("Red", "White", ["1", "red", "R", "Red"]),
        ("White", "Red", ["2", "white", "W", "WHITE"]),
    ] {
        for answer in answers {
            check_screens(
                &format!("1\n2\n2\n{answer}\n8\n"),
                &format!(
                    "> 2\n{MODES}> 2\n\nWhich side do you want to play?\n1 Red (goes first)\n2 White\n3 Back\n> {answer}\n\n\
                     How strong should {other} be?\n{LEVELS}> 8\n{HINT}"
                ),
            );
            let output = run([""; 0], format!("1\n2\n2\n{answer}\n8\n"));
            let asked =
                format!("{side} turn\nPossible moves: A B C D E F G H\nPeg to play? (e.g., A)\n> ");
            assert!(output.contains(&asked), "{output}");
        }
    }
}

#[test]
fn computer_vs_computer() {
    check_screens(
        "1\n4\n3\n1\n8\n",
        &format!(
            "> 4\n{MODES}> 3\n\nHow strong should X be?\n{LEVELS}> 1\n\nHow strong should O be?\n{LEVELS}> 8\n{HINT}"
        ),
    );
}

#[test]
fn a_master_never_loses() {
    let output = run([""; 0], "1\n1\n3\n1\n8\ny\ny\ny\ny\ny\ny\ny\ny\ny\nn\n3\n");
    let end = format!("> n\n\n{MENU}> 3\n\nGoodbye\n");
    assert!(output.ends_with(&end), "{output}");
    let last = output.lines().rfind(|line| line.starts_with("Score: "));
    assert!(last.unwrap().contains(" 2 0, "), "{last:?}");
}

#[test]
fn every_question_has_a_way_back() {
    // By number and by name.
    let (menu, game, mode) = (
        format!("{MENU}> "),
        format!("{GAMES}> "),
        format!("{MODES}> "),
    );
    let side = "\nWhich side do you want to play?\n1 Red (goes first)\n2 White\n3 Back\n> ";
    let computer = format!("\nHow strong should White be?\n{LEVELS}> ");
    let path = [("1", &*game), ("2", &mode), ("2", side), ("1", &computer)];
    for (steps, back) in [
        (1, ["14", "Back"]),
        (2, ["4", "back"]),
        (3, ["3", "b"]),
        (4, ["9", "BACK"]),
    ] {
        for back in back {
            let (mut script, mut expected) = (String::new(), menu.clone());
            for (answer, question) in &path[..steps] {
                let _ = writeln!(script, "{answer}");
                let _ = write!(expected, "{answer}\n{question}");
            }
            let _ = write!(script, "{back}\nquit\n");
            let _ = write!(expected, "{back}\n\n{menu}quit\nGoodbye\n");
            assert_eq!(run([""; 0], script), expected);
        }
    }
    let output = run([""; 0], "2\nback\nquit\n");
    assert_eq!(
        output,
        format!("{menu}2\n{game}back\n\n{menu}quit\nGoodbye\n")
    );
}

#[test]
fn lines_of_text_can_be_asked_for() {
    // Output that is no terminal gets them anyway.
    assert_eq!(run(["--plain"], "3\n"), run([""; 0], "3\n"));
    let args = ["play", "--plain", "--second", "human"];
    assert_eq!(
        run(args, "h\nquit\n"),
        run(["play", "--second", "human"], "h\nquit\n")
    );
}

/// The program of the test below.
#[cfg(unix)]
#[test]
#[ignore = "it is the program that another test runs in a terminal"]
fn program() {
    use std::os::unix::process::CommandExt;

    if pseudo_terminal::become_program() {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_open_ttt"));
        crate::kept_games::without_user_settings(&mut program);
        panic!("{}", program.exec());
    }
}

#[cfg(unix)]
#[test]
fn the_menu_leads_to_a_game_and_back() {
    let scratch = Scratch::new("menu");
    let variables = [("OPEN_TTT_DATA_DIR", &*scratch.path("data"))];
    let mut terminal =
        pseudo_terminal::PseudoTerminal::start("menu::program", &variables, [80, 24]);
    terminal.wait_for("open_ttt: two-player board games");
    assert!(terminal.is_full_screen());
    // Rules of the second game.
    terminal.write("r\r");
    terminal.wait_for("Which game?");
    terminal.write("2");
    terminal.wait_for("Red and White take turns putting a piece on one of eight pegs.");
    for screen in ["Which game?", "two-player board games"] {
        terminal.write("q");
        terminal.wait_for(screen);
    }
    // A game of the third against a computer of random moves.
    terminal.write("\r");
    terminal.wait_for("Which game?");
    terminal.click("Connect Four");
    terminal.wait_for("Who plays Red?");
    terminal.write("\r");
    terminal.wait_for("Who plays Yellow?");
    terminal.click("Computer: random moves");
    terminal.wait_for("Red turn");
    terminal.write("4\r");
    terminal.wait_for("Red turn · last move");
    terminal.write("q");
    terminal.wait_for("Leave this game? (y/n)");
    terminal.write("y");
    terminal.wait_for("Which game?");
    terminal.write("qq");
    assert!(terminal.finish().success());
}

#[cfg(unix)]
#[test]
fn the_menu_leads_to_puzzles_and_back() {
    let mut terminal = pseudo_terminal::PseudoTerminal::start("menu::program", &[], [80, 24]);
    terminal.wait_for("open_ttt: two-player board games");
    terminal.click("Puzzles");
    terminal.wait_for("Puzzles of which game?");
    terminal.click("Tic-tac-toe");
    terminal.wait_for("One for everybody, and tomorrow another.");
    terminal.write("\r");
    terminal.wait_for("to move");
    terminal.write("h");
    terminal.wait_for("The move is marked on the board.");
    terminal.write("s");
    terminal.wait_for("The solution: ");
    terminal.write("\r");
    terminal.wait_for("s solution");
    for screen in ["Tic-tac-toe: puzzles", "of which game?", "board games"] {
        terminal.write("q");
        terminal.wait_for(screen);
    }
    terminal.write("q");
    assert!(terminal.finish().success());
}

#[cfg(unix)]
#[test]
fn other_rules_are_typed() {
    let mut terminal = pseudo_terminal::PseudoTerminal::start("menu::program", &[], [80, 24]);
    terminal.wait_for("open_ttt: two-player board games");
    terminal.write("r\r");
    terminal.wait_for("Which game?");
    // The last of the list.
    terminal.write("\u{1b}[F\r");
    terminal.wait_for("Type a key with parameters");
    terminal.write("mnk(m=3,n=3,k=4)\r");
    terminal.wait_for("k must be 1 to 3");
    // The wrong number is typed again: one key after the other, the message goes.
    terminal.write("\u{7f}\u{7f}3");
    terminal.wait_for("> mnk(m=3,n=3,k=3_");
    assert!(!terminal.contents().contains("must be"), "{terminal:?}");
    terminal.resize([40, 15]);
    terminal.write("\u{15}chess\r");
    terminal.wait_for("Unknown game \"chess\"");
    // Back to the list, and once more.
    terminal.write("\u{1b}");
    terminal.wait_for("Which game?");
    terminal.write("\r");
    terminal.wait_for("Type a key with parameters");
    terminal.write("mnk(m=3,n=3,k=3)\r");
    terminal.wait_for("K in a row");
    terminal.wait_for("m: number of columns");
    terminal.write("\u{3}");
    assert!(terminal.finish().success());
}
