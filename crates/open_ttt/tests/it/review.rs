//! `review`: saved games judged move by move.

use serde_json::json;

use crate::program::{check_one_sentence, command, finish, run, run_json};
use crate::scratch::Scratch;

/// Handwritten games, one for each ending.
const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/games.tsv");

#[test]
fn a_game_is_judged_in_words() {
    assert_eq!(
        run(["review", GAMES, "--game", "1"], ""),
        "\
Game 1: ttt
X: perfect
O: random

  1. X  a1  best
  2. O  b1  mistake     O loses in 6; better: b2 b1 c1 a3 a2 c2 b3 c3 (O draws)
  3. X  a2  best
  4. O  b2  good
  5. X  a3  best

X's chances  ▅▅████
X: accuracy 100 %, 3 best
O: accuracy 54 %, 1 good, 1 mistake
The game turned with move 2, O's b1.
X wins
"
    );
}

#[test]
fn reviews_as_json() {
    let reports = run_json(["review", GAMES, "--game", "1", "--json"], "");
    let [report] = &reports[..] else {
        panic!("{reports:?}");
    };
    assert_eq!(report["game"], "ttt");
    assert_eq!(
        (&report["first"], &report["second"]),
        (&json!("perfect"), &json!("random"))
    );
    assert_eq!(report["turning_point"], 2);
    assert_eq!(report["accuracy"][0], 100.0);
    let second = &report["moves"][1];
    assert_eq!(second["side"], "second");
    assert_eq!(second["quality"], "mistake");
    assert_eq!(second["lost"], 0.5);
    assert_eq!(second["played"]["move"], "b1");
    assert_eq!(second["played"]["result"], "loss");
    assert_eq!(second["best"]["move"], "b2");
    assert_eq!(second["first_expects"], 1.0);
}

#[test]
fn every_ending_is_reviewed() {
    // All games of the file, also those that a player gave up.
    let reports = run_json(["review", GAMES, "--json", "--time", "2s"], "");
    let games = std::fs::read_to_string(GAMES).unwrap();
    assert_eq!(reports.len(), games.lines().count());
    for report in &reports {
        let moves = report["moves"].as_array().unwrap();
        for reviewed in moves {
            let expects = reviewed["first_expects"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&expects));
        }
    }
}

#[test]
fn an_invalid_line_is_one_sentence() {
    let scratch = Scratch::new("review-invalid");
    let file = scratch.path("games.tsv");
    std::fs::write(&file, "ttt\ta\tb\ta1 a1\t1-0 resigned\n").unwrap();
    let ran = finish(command(["review", &*file]), "");
    assert_eq!(ran.status, Some(1));
    check_one_sentence(&ran.stderr);
    assert!(ran.stderr.contains("line 1"), "{}", ran.stderr);
}
