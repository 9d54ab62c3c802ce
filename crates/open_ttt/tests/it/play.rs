use crate::program::{check_one_sentence, command, finish, run};

const PEOPLE: [&str; 5] = ["play", "--first", "human", "--second", "human"];

#[test]
fn the_default_game_is_tic_tac_toe() {
    let output = run(["play"], "h\nhuman\nb2\nb1\na1\nc3\na2\nc2\na3\nno\n");
    assert!(output.starts_with("Type help at any time\n\nX: human or computer? (h/c)\n> h\n\nO: human or computer? (h/c)\n> human\n\n"));
    assert!(
        output.ends_with(
            "   +---+---+---+
 3 | X |   | O |
   +---+---+---+
 2 | X | X | O |
   +---+---+---+
 1 | X | O |   |
   +---+---+---+
     a   b   c

Winning line: a1 a2 a3
X wins
Play again? (y/n)
> no
Goodbye
"
        ),
        "{output}"
    );
}

#[test]
fn both_players_can_be_options() {
    let args = [
        "play",
        "--game",
        "connect4",
        "--first",
        "random(seed=1)",
        "--second",
        "random(seed=2)",
    ];
    let output = run(args, "n\n");
    assert!(output.contains("\nRed turn\nRed plays "));
    assert!(output.contains("\nYellow turn\nYellow plays "));
    assert!(!output.contains("human or computer"));
    assert!(output.ends_with("Play again? (y/n)\n> n\nGoodbye\n"));
    assert_eq!(output, run(args, "n\n"), "seeds make the game reproducible");
}

#[test]
fn a_missing_player_is_asked_for() {
    let output = run(["play", "--second", "random"], "h\na1\nquit\n");
    assert!(output.contains("X: human or computer? (h/c)\n> h\n\n"));
    assert!(!output.contains("O: human or computer?"));
    assert!(output.contains("O turn\nO plays "));

    let output = run(["play", "--first", "human"], "c\nRandom moves\na1\nquit\n");
    assert!(!output.contains("X: human or computer?"));
    assert!(output.contains("O: human or computer? (h/c)\n> c\nWhich computer?\n1 master\n"));
    assert!(output.contains("O turn\nO plays "));
}

#[test]
fn every_kind_of_player_plays() {
    for player in [
        "perfect",
        "perfect(mistakes=0.5,seed=3)",
        "negamax(depth=2)",
        "negamax(nodes=100,mistakes=1)",
        "mcts(iterations=30)",
        "mcts(ms=1)",
        "mcts(ms=1,threads=64)",
        "negamax(depth=9,threads=2)",
        "perfect(threads=2)",
        "random",
        "Random( seed = 4 )",
    ] {
        let output = run(["play", "--first", player, "--second", "random"], "n\n");
        assert!(
            output.ends_with("Play again? (y/n)\n> n\nGoodbye\n"),
            "{player}: {output}"
        );
    }
}

#[test]
fn moves_can_be_undone() {
    let output = run(PEOPLE, "a1\nb1\nundo\nb1\nboard\nundo\nquit\n");
    let turns: Vec<_> = output
        .lines()
        .filter(|line| line.starts_with("Possible moves: "))
        .collect();
    // X and O move, X undoes both, X moves, O prints the board and has nothing to
    // undo.
    assert_eq!(turns[0], "Possible moves: a1 b1 c1 a2 b2 c2 a3 b3 c3");
    assert_eq!(turns[2], "Possible moves: c1 a2 b2 c2 a3 b3 c3");
    assert_eq!(turns[3], turns[0]);
    assert_eq!(turns[4], "Possible moves: a1 c1 a2 b2 c2 a3 b3 c3");
    assert_eq!(turns[5], turns[4]);
    assert!(
        output.contains("> undo\nNothing to undo yet.\n> quit\n"),
        "{output}"
    );
}

#[test]
fn a_draw_is_printed() {
    let output = run(PEOPLE, "b2\na1\nc1\na3\na2\nc2\nb3\nb1\nn\n");
    assert!(output.contains("Only c3 is left, so it's played automatically.\n"));
    assert!(
        output.ends_with("Draw\nPlay again? (y/n)\n> n\nGoodbye\n"),
        "{output}"
    );
}

#[test]
fn a_perfect_player_of_a_large_game_is_refused() {
    for (flag, game) in [
        ("--first", "ultimate"),
        ("--second", "reversi"),
        ("--first", "mnk"),
    ] {
        let ran = finish(command(["play", "--game", game, flag, "perfect"]), "");
        assert_eq!((ran.status, &*ran.stdout), (Some(2), ""));
        let expected = format!(
            "open_ttt: {flag}: perfect: the game has more than 400000 positions; negamax plays it\n"
        );
        assert_eq!(ran.stderr, expected);
        check_one_sentence(&ran.stderr);
    }
}
