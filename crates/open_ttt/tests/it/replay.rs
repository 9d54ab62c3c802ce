use serde_json::json;

use crate::judge::pegs_points;
use crate::program::{check_one_sentence, command, finish, run, run_json};
use crate::scratch::Scratch;

/// Handwritten games, one for each ending.
const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/games.tsv");

#[test]
fn a_game_is_shown_move_by_move() {
    let text = run(["replay", GAMES, "--game", "2"], "");
    let mut expected = "\
Game 2: connect4
Red: negamax(depth=2)
Yellow: mcts(ms=5)
"
    .to_owned();
    for (ply, column) in "1212121".char_indices() {
        let mover = ["Red", "Yellow"][ply % 2];
        let number = ply + 1;
        expected += &["\n", &number.to_string(), ". ", mover, " plays "].concat();
        expected.extend([column, '\n']);
        for row in (1..=6).rev() {
            expected += " +---+---+---+---+---+---+---+\n ";
            for place in 1..=7 {
                // The pieces of column 1 are Red's, those of column 2 Yellow's.
                let height = match place {
                    1 => ply / 2 + 1,
                    2 => ply.div_ceil(2),
                    _ => 0,
                };
                let mark = if row > height {
                    " "
                } else {
                    ["R", "Y"][place - 1]
                };
                expected.extend(["| ", mark, " "]);
            }
            expected += "|\n";
        }
        expected += " +---+---+---+---+---+---+---+\n";
        expected += "   1   2   3   4   5   6   7\n";
    }
    expected += "\nWinning line (column/row): 1/1 1/2 1/3 1/4\n";
    expected += "Red wins\n";
    assert_eq!(text, expected);
}

#[test]
fn end_shows_only_the_final_board() {
    let text = run(["replay", GAMES, "--end", "--game", "1"], "");
    assert_eq!(
        text,
        "\
Game 1: ttt
X: perfect
O: random

   +---+---+---+
 3 | X |   |   |
   +---+---+---+
 2 | X | O |   |
   +---+---+---+
 1 | X | O |   |
   +---+---+---+
     a   b   c

Winning line: a1 a2 a3
X wins
"
    );
}

#[test]
fn every_game_is_shown_with_its_result() {
    let [red, white] = pegs_points("FADBGEAFFGCDBHGDEHHACCBE", 34);
    let pegs = format!("Red wins {red} to {white}");
    for flags in [&[][..], &["--end"]] {
        let args = ["replay", GAMES];
        let text = run(args.iter().chain(flags), "");
        let ends: Vec<_> = text
            .split("\nGame ")
            .map(|game| game.trim_end().lines().last().unwrap())
            .collect();
        assert_eq!(
            ends,
            [
                "X wins",
                "Red wins",
                "Draw",
                &pegs,
                "O resigns; X wins",
                "X forfeits; O wins",
            ]
        );
        let plays = text.matches(" plays ").count();
        let expected = if flags.is_empty() {
            5 + 7 + 9 + 24 + 1
        } else {
            0
        };
        assert_eq!(plays, expected);
    }
}

/// As a server archives them.
#[test]
fn games_that_people_ended_are_shown() {
    let scratch = Scratch::new("replay_ends");
    let file = scratch.path("games.tsv");
    let ends = [
        ("a1", "0-1 resigned", "X resigns; O wins", "resigned"),
        ("a1", "1-0 time", "O runs out of time; X wins", "time"),
        ("a1", "0-1 abandoned", "X leaves; O wins", "abandoned"),
        ("a1", "1/2-1/2 agreed", "By agreement: Draw", "agreed"),
        ("-", "*", "Unfinished", "unfinished"),
    ];
    let lines = ends.map(|(moves, result, ..)| format!("ttt\tAnn\tBob\t{moves}\t{result}\n"));
    std::fs::write(&file, lines.concat()).unwrap();
    let text = run(["replay", &file, "--end"], "");
    let games = run_json(["replay", &file, "--json"], "");
    assert_eq!(games.len(), ends.len());
    for (((_, _, sentence, ending), game), shown) in
        ends.iter().zip(games).zip(text.split("\nGame "))
    {
        assert_eq!(shown.trim_end().lines().last().unwrap(), *sentence);
        assert_eq!(game["ending"], *ending);
    }
}

#[test]
fn games_as_json() {
    let games = run_json(["replay", GAMES, "--json"], "");
    assert_eq!(games.len(), 6);
    assert_eq!(
        games[0],
        json!({
            "number": 1, "game": "ttt", "first": "perfect", "second": "random",
            "moves": "a1 b1 a2 b2 a3", "plies": 5, "winner": "first", "ending": "finished",
        })
    );
    assert_eq!(games[2]["winner"], json!(null));
    assert_eq!(games[3]["moves"], "FADBGEAFFGCDBHGDEHHACCBE");
    assert_eq!(games[4]["ending"], "resigned");
    assert_eq!(
        games[5],
        json!({
            "number": 6, "game": "ttt", "first": "random", "second": "random",
            "moves": "", "plies": 0, "winner": "second", "ending": "forfeited",
        })
    );
    let one = run_json(["replay", "--json", "--game", "4", GAMES], "");
    assert_eq!(one, games[3..4]);
}

#[test]
fn an_empty_file_has_no_games() {
    let scratch = Scratch::new("an_empty_file_has_no_games");
    let file = scratch.path("games.tsv");
    std::fs::write(&file, "").unwrap();
    assert_eq!(run(["replay", &file], ""), "");
}

/// Checks a file with a valid first line and an invalid second one.
#[track_caller]
fn check_invalid(name: &str, second: &[u8], sentence: &str) {
    let scratch = Scratch::new(name);
    let file = scratch.path("games.tsv");
    let first = b"ttt\ta\tb\ta1\t1-0 resigned\r\n";
    std::fs::write(&file, [&first[..], second].concat()).unwrap();
    let ran = finish(command(["replay", &file, "--json"]), "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 1, "the first game is printed");
    let expected = format!("open_ttt: \"{file}\", line 2: {sentence}\n");
    assert_eq!(ran.stderr, expected);
    assert!(!ran.stderr.trim_end().contains(char::is_control));

    let ran = finish(command(["replay", &file, "--game", "1"]), "");
    assert_eq!(ran.status, Some(0), "other lines do not matter");
}

#[test]
fn invalid_lines() {
    let fields = "a game has 5 fields separated by tabs (game, first, second, moves, result), not";
    check_invalid("replay_empty_line", b"\n", &format!("{fields} 1"));
    check_invalid("replay_field", b"ttt\ta\tb\ta1\n", &format!("{fields} 4"));
    check_invalid(
        "replay_result",
        b"ttt\ta\tb\ta1\t1:0",
        "\"1:0\" isn't a result; write 1-0, 0-1, 1/2-1/2, *, or one like 1-0 resigned",
    );
    check_invalid(
        "replay_illegal",
        b"connect4\ta\tb\t1111111\t1-0\n",
        "move 7: \"1\" is not possible: there is no room left",
    );
    check_invalid(
        "replay_wrong_result",
        b"connect4\ta\tb\t1212121\t0-1\n",
        "the result is 0-1, but after the moves the first side has won",
    );
    check_invalid(
        "replay_game",
        b"chess\ta\tb\te4\t1-0\n",
        "unknown game \"chess\"; expected ttt, pegs, connect4, mnk, qubic, ultimate, reversi, dots, hex, lines, quarto, draughts, morris",
    );
    check_invalid("replay_bytes", b"\xff\xfe\n", "the line isn't valid UTF-8");
    check_invalid(
        "replay_long",
        &vec![b'x'; 1 << 20],
        "the line is longer than 262144 bytes",
    );
}

#[test]
fn files_that_cannot_be_read() {
    for (file, reason) in [
        ("/no/such/file", "No such file or directory"),
        (env!("CARGO_MANIFEST_DIR"), "Is a directory"),
    ] {
        let ran = finish(command(["replay", file]), "");
        assert_eq!((ran.status, &*ran.stdout), (Some(1), ""));
        check_one_sentence(&ran.stderr);
        let expected = format!("open_ttt: can't read \"{file}\": ");
        assert!(ran.stderr.starts_with(&expected), "{ran:?}");
        if cfg!(unix) {
            assert!(ran.stderr.contains(reason), "{ran:?}");
        }
    }
}

#[test]
fn a_game_that_is_not_in_the_file() {
    let ran = finish(command(["replay", GAMES, "--game", "7"]), "");
    assert_eq!((ran.status, &*ran.stdout), (Some(2), ""));
    assert_eq!(
        ran.stderr,
        format!("open_ttt: {GAMES:?} has only 6 games\n")
    );
}
