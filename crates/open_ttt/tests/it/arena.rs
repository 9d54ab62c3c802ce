use serde_json::{Value, json};

#[cfg(unix)]
use crate::program::{check_one_sentence, command, finish};
use crate::program::{run, run_json};
use crate::scratch::Scratch;

#[track_caller]
fn arena(game: &str, a: &str, b: &str, games: &str) -> Value {
    arena_with(game, a, b, &["--games", games])
}

/// The report of a match, without the fields that vary.
#[track_caller]
fn arena_with(game: &str, a: &str, b: &str, more: &[&str]) -> Value {
    let args = ["arena", "--json", "--game", game, "--a", a, "--b", b];
    let [report] = &run_json(args.iter().chain(more), "")[..] else {
        panic!("a match has one report");
    };
    let mut report = report.clone();
    assert!(report["ms"].as_f64() >= Some(0.0));
    assert!(report["seed"].is_u64() && report["threads"].as_u64() >= Some(1));
    for changing in ["ms", "seed", "threads"] {
        report.as_object_mut().unwrap().remove(changing);
    }
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
            "pairs": [0, 0, 25, 0, 0], "end": "played", "sprt": null, "openings": 0,
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
fn a_player_with_mistakes_loses_games() {
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
fn the_players_swap_sides_after_each_game() {
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
fn a_perfect_score_has_no_elo_difference() {
    let report = arena("mnk(m=1,n=1,k=1)", "random", "random", "1");
    let elos = [&report["elo"], &report["elo_low"], &report["elo_high"]];
    assert_eq!(elos, [&Value::Null; 3]);
}

#[test]
fn a_report_as_text() {
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
        "random vs mcts(ms=1): 1 win, 0 draws, 0 losses\n\
         Elo difference: not enough games\n"
    );
    assert_eq!(
        text("100"),
        "random vs mcts(ms=1): 50 wins, 0 draws, 50 losses\n\
         Elo difference +0, 95 % interval -69 to +69\n"
    );
}

#[test]
fn a_match_with_a_seed_does_not_depend_on_the_threads() {
    let play = |players: [&str; 2], seed, threads| {
        let more = [
            "--seed",
            seed,
            "--threads",
            threads,
            "--openings",
            "3",
            "--games",
            "30",
        ];
        arena_with("connect4", players[0], players[1], &more)
    };
    let quick = ["negamax(depth=1,mistakes=0.3)", "mcts(iterations=20)"];
    let alone = play(quick, "7", "1");
    for threads in ["1", "2", "5"] {
        assert_eq!(play(quick, "7", threads), alone);
    }
    let random = ["random", "random"];
    let others: Vec<_> = ["1", "2", "3", "4"]
        .iter()
        .map(|seed| play(random, seed, "2"))
        .collect();
    assert!(others.iter().any(|report| *report != others[0]));
}

#[test]
fn an_sprt_ends_a_match_early() {
    let clear = |a, b| arena_with("ttt", a, b, &["--sprt", "-20,20", "--seed", "1"]);
    let won = clear("perfect", "random");
    assert_eq!(won["end"], "accepted");
    assert_eq!(won["sprt"]["accepted"], 20.0);
    assert!(won["games"].as_u64() < Some(1_000), "{won}");
    assert!(won["sprt"]["llr"].as_f64() >= won["sprt"]["llr_high"].as_f64());
    // ln 19
    assert_eq!(won["sprt"]["llr_high"], 2.944);
    assert_eq!(won["sprt"]["llr_low"], -2.944);
    let lost = clear("random", "perfect");
    assert_eq!(lost["sprt"]["accepted"], -20.0);
    assert_eq!(lost["end"], "accepted");

    let short = arena_with(
        "ttt",
        "perfect",
        "random",
        &["--sprt", "-1,1", "--games", "4"],
    );
    assert_eq!(short["end"], "played");
    assert_eq!(short["sprt"]["accepted"], Value::Null);
}

#[test]
fn an_sprt_is_reported_as_text() {
    let text = |sprt, games| {
        let args = ["arena", "--game", "mnk(m=1,n=1,k=1)", "--games", games];
        let players = ["--a", "random", "--b", "random", "--sprt", sprt];
        run(args.iter().chain(&players), "")
    };
    let last = |text: String| text.lines().last().unwrap().to_owned();
    // Every pair is a win and a loss, so the Elo difference is 0.
    let accepted = last(text("0,30", "10000"));
    assert!(
        accepted.starts_with("SPRT 0 vs 30 Elo: 0 accepted, LLR -"),
        "{accepted}"
    );
    assert!(accepted.ends_with(" (-2.94 to 2.94)"), "{accepted}");
    let undecided = last(text("-10,10", "8"));
    assert_eq!(
        undecided,
        "SPRT -10 vs 10 Elo: undecided, LLR 0.00 (-2.94 to 2.94)"
    );
}

#[test]
fn games_are_saved_and_replayed() {
    let scratch = Scratch::new("games_are_saved_and_replayed");
    let file = scratch.path("games.tsv");
    for (game, a, b) in [
        ("connect4", "negamax(depth=1, seed=3)", "random"),
        ("mnk(m=4,n=4,k=3)", "random", "mcts(iterations=5)"),
    ] {
        let report = arena_with(
            game,
            a,
            b,
            &[
                "--games",
                "9",
                "--save",
                &file,
                "--seed",
                "5",
                "--threads",
                "2",
            ],
        );
        assert_eq!(report["games"], 9);
    }
    let games = run_json(["replay", &file, "--json"], "");
    assert_eq!(games.len(), 18, "the second match is appended to the first");
    for (number, game) in games.iter().enumerate() {
        assert_eq!(game["number"], number + 1);
        let seats = if number < 9 {
            ["negamax(depth=1,seed=3)", "random"]
        } else {
            ["random", "mcts(iterations=5)"]
        };
        let swapped = number % 9 % 2;
        assert_eq!(game["first"], seats[swapped], "{game}");
        assert_eq!(game["second"], seats[1 - swapped], "{game}");
    }
    // The games have the score of the match.
    let report = arena_with(
        "connect4",
        "negamax(depth=1, seed=3)",
        "random",
        &["--games", "9", "--seed", "5"],
    );
    let won_by = |number: usize| games[number]["winner"].as_str();
    let wins = (0..9).filter(|&n| won_by(n) == Some(["first", "second"][n % 2]));
    let losses = (0..9).filter(|&n| won_by(n) == Some(["second", "first"][n % 2]));
    assert_eq!(report["wins"], wins.count());
    assert_eq!(report["losses"], losses.count());
}

#[test]
fn an_incomplete_last_line_is_terminated() {
    let scratch = Scratch::new("an_incomplete_last_line_is_terminated");
    let file = scratch.path("games.tsv");
    std::fs::write(&file, "ttt\trandom\trandom\ta1 b1 a2 b2 a3\t1-0").unwrap();
    arena_with(
        "ttt",
        "random",
        "random",
        &["--games", "2", "--save", &file],
    );
    assert_eq!(run_json(["replay", &file, "--json"], "").len(), 3);
}

#[cfg(unix)]
#[track_caller]
fn check_not_saved(file: &str, reason: &str) {
    let args = ["arena", "--game", "ttt", "--a", "random", "--b", "random"];
    let ran = finish(command(args.iter().chain(&["--save", file])), "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    check_one_sentence(&ran.stderr);
    let expected = format!("open_ttt: can't write \"{file}\": {reason}");
    assert!(ran.stderr.starts_with(&expected), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn games_that_cannot_be_saved() {
    check_not_saved("/", "Is a directory");
    check_not_saved("/no/such/folder/games", "No such file or directory");
    #[cfg(target_os = "linux")]
    check_not_saved("/dev/full", "No space left on device");
}
