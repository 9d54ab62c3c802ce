//! `puzzle`: positions with one right move, at the command line.

use crate::program::{command, finish, run, run_json};

/// The moves of a report as an argument.
fn text(report: &serde_json::Value, name: &str) -> String {
    report[name].as_str().expect(name).to_owned()
}

#[test]
fn a_puzzle_as_json_has_one_solution() {
    let reports = run_json(["puzzle", "--game", "ttt", "--number", "1", "--json"], "");
    let report = &reports[0];
    assert_eq!(report["game"], "ttt");
    assert_eq!(report["number"], 1);
    // The analysis of its own agrees.
    let moves = text(report, "moves");
    let analyzed = run_json(
        ["analyze", "--game", "ttt", "--moves", &moves, "--json"],
        "",
    );
    assert_eq!(analyzed[0]["result"], report["goal"]);
    let first = text(report, "solution");
    let first = first.split(' ').next().expect("a move");
    assert_eq!(analyzed[0]["best"], serde_json::json!([first]));
}

#[test]
fn the_puzzle_of_the_day_is_the_same_for_all() {
    let daily = || run_json(["puzzle", "--game", "connect4", "--daily", "--json"], "");
    assert_eq!(daily()[0]["solution"], daily()[0]["solution"]);
}

#[test]
fn a_wrong_move_is_refuted_and_the_right_one_solves() {
    let args = ["puzzle", "--game", "ttt", "--number", "1"];
    let report = &run_json(args.into_iter().chain(["--json"]), "")[0];
    let solution = text(report, "solution");
    let solution: Vec<_> = solution.split(' ').collect();
    assert_eq!(solution.len(), 1, "the easiest takes one move");
    let moves = text(report, "moves");
    let cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
    let is_free = |cell: &&&str| !moves.contains(**cell) && **cell != solution[0];
    let wrong = cells.iter().find(is_free).expect("another cell");
    let typed = format!("z9\n{wrong}\nhint\n{}\nquit\n", solution[0]);
    let shown = run(args, typed);
    assert!(shown.contains("\"z9\" isn't a move; expected"), "{shown}");
    assert!(shown.contains(&format!("{wrong} doesn't win")), "{shown}");
    assert!(shown.contains("Try again."), "{shown}");
    assert!(shown.contains("It's one of these: "), "{shown}");
    assert!(
        shown.contains(&format!("{} is right.", solution[0])),
        "{shown}"
    );
    assert!(shown.contains("Solved!"), "{shown}");
    // It goes on with the next.
    assert!(shown.contains("puzzle 2 of "), "{shown}");
}

#[test]
fn a_game_without_puzzles_gets_new_ones() {
    let game = "mnk(m=4,n=3,k=3)";
    let report = &run_json(["puzzle", "--game", game, "--json"], "")[0];
    assert_eq!(report["number"], serde_json::Value::Null);
    assert_eq!(report["count"], 0);
    assert!(!text(report, "solution").is_empty());
    let daily = finish(command(["puzzle", "--game", game, "--daily"]), "");
    assert_eq!(daily.status, Some(2));
    assert!(daily.stderr.contains("no puzzles come with"), "{daily:?}");
}
