//! Whole sessions of every mode, from the menu to the end, compared with an
//! independent implementation of the rules.

use crate::judge::{Rules, pegs_board};
use crate::program::{Talk, run};

/// The sides that people play.
const HUMAN_HUMAN: [bool; 2] = [true, true];
const HUMAN_FIRST: [bool; 2] = [true, false];
const HUMAN_SECOND: [bool; 2] = [false, true];
const COMPUTERS: [bool; 2] = [false, false];

const MODES: [[bool; 2]; 4] = [HUMAN_HUMAN, HUMAN_FIRST, HUMAN_SECOND, COMPUTERS];

const GAMES: [(&str, Rules); 5] = [
    ("1", Rules::Three),
    ("mnk(m=3,n=3,k=3)", Rules::Three),
    ("2", Rules::Pegs(34)),
    ("pegs(lines=38)", Rules::Pegs(38)),
    ("connect4", Rules::ConnectFour),
];

/// The answers from the menu to the first board; computers play random moves.
fn answers(game: &str, humans: [bool; 2]) -> Vec<&str> {
    let mut answers = vec!["1", game];
    answers.extend(match humans {
        HUMAN_HUMAN => &["1"][..],
        HUMAN_FIRST => &["2", "1", "5"],
        HUMAN_SECOND => &["2", "2", "5"],
        _ => &["3", "5", "5"],
    });
    answers
}

/// Follows a game of a session; returns its moves and the output after it. `output`
/// is the output up to the first question. People choose pseudo-random moves,
/// starting from `choice`.
#[track_caller]
fn follow(
    talk: &mut Talk,
    mut output: String,
    rules: Rules,
    humans: [bool; 2],
    mut choice: usize,
) -> (Vec<String>, String) {
    let mut played: Vec<String> = Vec::new();
    loop {
        output = if let Rules::Pegs(lines) = rules {
            after(&output, &pegs_board(&played.concat(), lines))
        } else {
            // The board ends with its column labels.
            let labels = if rules == Rules::Three {
                "  a   b   c\n"
            } else {
                "  1   2   3   4   5   6   7\n"
            };
            output.split_once(labels).unwrap().1.to_owned()
        };
        output = after(&output, "\n");
        let moves = rules.moves(&played);
        if moves.is_empty() {
            return (played, output);
        }
        let side = played.len() % 2;
        let name = rules.sides()[side];
        output = after(&output, &format!("{name} turn\n"));
        let ends = || rules.result(&[&played[..], &moves].concat()).is_some();
        let m = if moves.len() == 1 && ends() {
            let line = format!("Only {} is left, so it's played automatically.\n", moves[0]);
            output = after(&output, &line);
            moves[0].clone()
        } else if humans[side] {
            let asked = format!(
                "Possible moves: {}\n{} to play? (e.g., {})\n> ",
                moves.join(" "),
                rules.noun(),
                moves[0]
            );
            assert_eq!(output, asked);
            choice = (choice * 7 + 3) % 100;
            let m = moves[choice % moves.len()].clone();
            output = after(&talk.answer(&m), &format!("{m}\n"));
            m
        } else {
            output = after(&output, &format!("{name} plays "));
            let m = output.lines().next().unwrap().to_owned();
            assert!(moves.contains(&m), "{m} is not of {moves:?}");
            output = after(&output, &format!("{m}\n"));
            m
        };
        played.push(m);
        output = after(&output, "\n");
    }
}

/// The output after `first`, with which it must start.
#[track_caller]
fn after(output: &str, first: &str) -> String {
    match output.strip_prefix(first) {
        Some(rest) => rest.to_owned(),
        None => panic!("{output}\n-- does not start with --\n{first}"),
    }
}

#[track_caller]
fn check(game: &str, rules: Rules, humans: [bool; 2]) {
    let (mut talk, mut output) = Talk::start([""; 0]);
    for answer in answers(game, humans) {
        output = talk.answer(answer);
    }
    let hint = "\n\nType help at any time\n\n";
    let mut board = output.split_once(hint).unwrap().1.to_owned();
    let [first, second] = match humans {
        HUMAN_HUMAN => ["Player 1", "Player 2"],
        HUMAN_FIRST => ["You", "Computer"],
        HUMAN_SECOND => ["Computer", "You"],
        _ => ["Computer 1", "Computer 2"],
    };
    let mut wins = [0, 0, 0];
    for number in 1..=3 {
        // The players exchange sides after each game.
        let [one, other] = humans;
        let exchanged = number == 2;
        let humans = if exchanged { [other, one] } else { humans };
        let (played, end) = follow(&mut talk, board, rules, humans, number);
        let result = rules.result(&played).unwrap();
        let mut sides = rules.sides();
        if exchanged {
            sides.reverse();
        }
        let winner = sides.iter().position(|side| result.starts_with(side));
        wins[winner.unwrap_or(2)] += 1;
        let series = if number == 1 {
            String::new()
        } else {
            format!(
                "Score: {first} {}, {second} {}, draws {}\n",
                wins[0], wins[1], wins[2]
            )
        };
        let mut end = &*end;
        if winner.is_some() && !matches!(rules, Rules::Pegs(_)) {
            let (line, rest) = end.split_once('\n').unwrap();
            rules.check_winning_lines(line, &played);
            end = rest;
        }
        assert_eq!(end, format!("{result}\n{series}Play again? (y/n)\n> "));
        if number == 3 {
            break;
        }
        let side = rules.sides()[0];
        let announced = match if number == 1 { second } else { first } {
            "You" => format!("You are {side} and go first\n\n"),
            player => format!("{player} is {side} and goes first\n\n"),
        };
        board = after(&talk.answer("y"), &format!("y\n\n{announced}"));
    }
    let menu = "n\n\nopen_ttt: two-player board games\n";
    after(&talk.answer("n"), menu);
    assert_eq!(talk.answer("quit"), "quit\nGoodbye\n");
    talk.end();
}

#[test]
fn every_mode_of_every_game() {
    for (game, rules) in GAMES {
        for humans in MODES {
            check(game, rules, humans);
        }
    }
}

/// A score of ten takes a column more, and the other side's stays where it is.
#[test]
fn two_digits_in_the_score_of_eight_pegs() {
    for (moves, last) in [
        (
            "CBEDEFGAAFDHBHGFGBCHCDEA",
            "          R: 10          W: 4\n\nRed wins 10 to 4\n",
        ),
        (
            "AGDCGBDHAEHEFBDHFECCFGAB",
            "          R: 5           W: 10\n\nWhite wins 10 to 5\n",
        ),
    ] {
        let typed = &moves[..moves.len() - 1];
        let typed: String = typed.chars().flat_map(|peg| [peg, '\n']).collect();
        let output = run([""; 0], format!("1\n2\n1\n{typed}n\nquit\n"));
        assert!(output.contains(last), "{output}");
        let (score, _) = last.split_once('\n').unwrap();
        assert!(pegs_board(moves, 34).ends_with(&format!("{score}\n")));
    }
}

#[test]
fn a_game_of_eight_pegs() {
    let typed: String = "FADBGEAFFGCDBHGDEHHACCB"
        .chars()
        .flat_map(|peg| [peg, '\n'])
        .collect();
    let output = run([""; 0], format!("1\n2\n1\n{typed}n\nquit\n"));
    let first = "Type help at any time

     |         |         |
 ----|---------|---------|----
|    |         |         |    |
|   (F)   |   (G)   |   (H)   |
|         |         |         |
|         |         |         |
|    |   (D)   |   (E)   |    |
|    |         |         |    |
|    |         |         |    |
|   (A)       (B)       (C)   |
|                             |
 -----------------------------
          R: 0           W: 0

Red turn
Possible moves: A B C D E F G H
Peg to play? (e.g., A)
> F
";
    assert!(output.contains(first), "{output}");
    let last = "
White turn
Only E is left, so it's played automatically.

     R         R         R
 ----W---------W---------W----
|    R         R         W    |
|   (F)   W   (G)   W   (H)   |
|         W         R         |
|         R         W         |
|    W   (D)   R   (E)   W    |
|    R         R         R    |
|    W         W         R    |
|   (A)       (B)       (C)   |
|                             |
 -----------------------------
          R: 3           W: 2

Red wins 3 to 2
Play again? (y/n)
> n

open_ttt: two-player board games

1 Play
2 Rules
3 Quit
> quit
Goodbye
";
    assert!(output.ends_with(last), "{output}");
}
