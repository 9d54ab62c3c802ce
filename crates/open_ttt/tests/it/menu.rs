//! The way through the menu.

use crate::program::run;

const MENU: &str = "\
open_ttt: board games for two

1 play
2 rules
3 quit
";

const GAMES: &str = "
Which game?
1 Tic-tac-toe (ttt)
2 Eight pegs (pegs)
3 Connect Four (connect4)
4 K in a row (mnk)
5 Qubic (qubic)
6 Ultimate tic-tac-toe (ultimate)
";

#[test]
fn it_opens_with_the_program() {
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

Red and White take turns to put a piece on one of eight pegs, red first.
A piece falls to the lowest free place; a peg holds three.
The game ends when all 24 places are filled. A straight line of three pieces
of one colour is a point, upright, level or climbing. Of 38 such lines 34 score
if nothing else is said: not those that climb within A B C or F G H.
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

/// From the menu to the first board.
#[track_caller]
fn check_way(answers: &str, expected: &str) {
    let output = run([""; 0], answers);
    let start = format!("{MENU}> 1\n{GAMES}{expected}");
    assert!(
        output.starts_with(&start),
        "{output}\n-- is not --\n{start}"
    );
}

const MODES: &str = "
Who plays?
1 human against human
2 human against computer
3 computer against computer
";

const STRENGTHS: &str = "1 strong
2 fair, errs on one move in five
3 weak, errs on every second move
4 random, plays anything
";

const HINT: &str = "\nWrite help wherever you do not know what to write\n\n";

#[test]
fn human_against_human() {
    check_way(
        "1\nmnk(m=2,n=1,k=2)\n1\n",
        &format!(
            "> mnk(m=2,n=1,k=2)\n{MODES}> 1\n{HINT}   +---+---+\n 1 |   |   |\n   +---+---+\n     a   b\n\nX turn\n"
        ),
    );
}

#[test]
fn human_against_computer() {
    for (side, other, answers) in [
        ("Red", "White", ["1", "red", "R", "Red"]),
        ("White", "Red", ["2", "white", "W", "WHITE"]),
    ] {
        for answer in answers {
            check_way(
                &format!("1\n2\n2\n{answer}\n4\n"),
                &format!(
                    "> 2\n{MODES}> 2\n\nWhich side are you?\n1 Red, who moves first\n2 White\n> {answer}\n\n\
                     How strong is {other}?\n{STRENGTHS}> 4\n{HINT}"
                ),
            );
            let output = run([""; 0], format!("1\n2\n2\n{answer}\n4\n"));
            let asked =
                format!("{side} turn\nPossible moves: A B C D E F G H\nPeg to play? (e.g., A)\n> ");
            assert!(output.contains(&asked), "{output}");
        }
    }
}

#[test]
fn computer_against_computer() {
    check_way(
        "1\n4\n3\n1\n4\n",
        &format!(
            "> 4\n{MODES}> 3\n\nHow strong is X?\n{STRENGTHS}> 1\n\nHow strong is O?\n{STRENGTHS}> 4\n{HINT}"
        ),
    );
}

#[test]
fn a_strong_computer_never_loses() {
    let output = run([""; 0], "1\n1\n3\n1\n4\ny\ny\ny\ny\ny\ny\ny\ny\ny\nn\n");
    assert!(output.ends_with("> n\nGoodbye\n"), "{output}");
    let last = output.lines().rfind(|line| line.starts_with("Series: "));
    assert!(last.unwrap().contains(", O 0, "), "{last:?}");
}
