use serde_json::{Value, json};

use crate::program::{run, run_json};

#[track_caller]
fn arena(game: &str, a: &str, b: &str, games: &str) -> Value {
    let args = [
        "arena", "--json", "--game", game, "--a", a, "--b", b, "--games", games,
    ];
    let [report] = &run_json(args, "")[..] else {
        panic!("a match has one report");
    };
    let mut report = report.clone();
    // What the clock says is another one each time.
    assert!(report["ms"].as_f64() >= Some(0.0));
    report.as_object_mut().unwrap().remove("ms");
    report
}

#[test]
fn perfect_players_draw_every_game() {
    assert_eq!(
        arena("ttt", "perfect", "perfect", "50"),
        json!({
            "game": "ttt", "a": "perfect", "b": "perfect",
            "games": 50, "wins": 0, "draws": 50, "losses": 0,
            "elo": null, "elo_low": null, "elo_high": null,
        }),
    );
}

#[test]
fn nobody_beats_a_perfect_player() {
    let report = arena("ttt", "perfect", "random", "500");
    assert_eq!(report["losses"], 0);
    assert!(report["wins"].as_u64() > Some(300), "{report}");
    let mirrored = arena("ttt", "random", "perfect", "500");
    assert_eq!(mirrored["wins"], 0);
    assert!(mirrored["losses"].as_u64() > Some(300), "{mirrored}");
    assert!(mirrored["elo"].as_f64() < Some(0.0));
}

#[test]
fn one_that_errs_loses_at_times() {
    let report = arena(
        "ttt",
        "perfect(mistakes=1,seed=1)",
        "perfect(seed=2)",
        "100",
    );
    assert_eq!(report["wins"], 0);
    assert!(report["losses"].as_u64() > Some(50), "{report}");
}

#[test]
fn seeds_make_a_match_reproducible() {
    for game in ["ttt", "pegs", "connect4", "mnk(m=5,n=5,k=4)"] {
        let play = |seed| {
            arena(
                game,
                &format!("random(seed={seed})"),
                "random(seed=2)",
                "60",
            )
        };
        assert_eq!(play(1), play(1), "{game}");
        let matches: Vec<_> = (1..=5).map(play).collect();
        assert!(
            matches
                .iter()
                .any(|report| report["wins"] != matches[0]["wins"]),
            "{game}"
        );
    }
    let searching = || {
        arena(
            "connect4",
            "negamax(depth=2,seed=1)",
            "mcts(iterations=20,seed=2)",
            "4",
        )
    };
    assert_eq!(searching(), searching());
}

#[test]
fn the_players_change_sides_after_each_game() {
    let counts = |games| {
        let report = arena("mnk(m=1,n=1,k=1)", "random", "random", games);
        [&report["wins"], &report["draws"], &report["losses"]].map(|n| n.as_u64().unwrap())
    };
    assert_eq!(counts("1"), [1, 0, 0]);
    assert_eq!(counts("2"), [1, 0, 1]);
    assert_eq!(counts("3"), [2, 0, 1]);
    assert_eq!(counts("100"), [50, 0, 50]);
}

#[test]
fn a_score_no_difference_explains_has_none() {
    let report = arena("mnk(m=1,n=1,k=1)", "random", "random", "1");
    let elos = [&report["elo"], &report["elo_low"], &report["elo_high"]];
    assert_eq!(elos, [&Value::Null; 3]);
}

#[test]
fn a_report_for_people() {
    let text = |games| {
        let match_of = ["arena", "--game", "mnk(m=1,n=1,k=1)", "--games", games];
        run(
            match_of
                .iter()
                .chain(&["--a", "random", "--b", "mcts(ms=1)"]),
            "",
        )
    };
    assert_eq!(
        text("1"),
        "random against mcts(ms=1): 1 win, 0 draws, 0 losses\n\
         Elo difference: more games are needed to tell\n"
    );
    assert_eq!(
        text("100"),
        "random against mcts(ms=1): 50 wins, 0 draws, 50 losses\n\
         Elo difference +0, 95 % between -69 and +69\n"
    );
}
