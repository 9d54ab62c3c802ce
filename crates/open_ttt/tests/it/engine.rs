//! Programs as players. The engine is the program itself, by `analyze --batch`.

use serde_json::Value;

#[cfg(unix)]
use crate::program::Talk;
use crate::program::{check_one_sentence, command, finish, run_json};
#[cfg(unix)]
use crate::scratch::Scratch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_open_ttt");

/// A program as a player: this one, with these arguments.
fn engine(arguments: &str) -> String {
    format!("engine:'{PROGRAM}' {arguments}")
}

#[track_caller]
fn arena(game: &str, a: &str, b: &str, games: &str) -> Value {
    let args = ["arena", "--json", "--game", game, "--a", a, "--b", b];
    let [report] = &run_json(args.iter().chain(&["--games", games]), "")[..] else {
        panic!("a match has one report");
    };
    report.clone()
}

#[test]
fn a_perfect_engine_is_never_beaten() {
    for game in ["ttt", "'mnk(m=3,n=3,k=3)'"] {
        let perfect = engine(&format!(
            "analyze --game {game} --batch --json --player perfect"
        ));
        let game = game.trim_matches('\'');
        let drawn = arena(game, "perfect", &perfect, "6");
        assert_eq!(drawn["draws"], 6, "{drawn}");
        let won = arena(game, &perfect, "random(seed=1)", "20");
        assert!(
            won["losses"] == 0 && won["wins"].as_u64() >= Some(8),
            "{won}"
        );
    }
}

/// Longer notation, an engine that only analyses, and a game that ends by points.
#[test]
fn an_engine_is_told_the_moves_of_any_game() {
    let best = engine("analyze --game 'dots(m=2,n=2)' --batch --json");
    let report = arena("dots(m=2,n=2)", &best, "random(seed=1)", "10");
    assert_eq!(report["losses"], 0, "{report}");
    assert_eq!(report["a"], best);
}

/// The tools of the tests come from Python packages, so Python is there.
#[cfg(unix)]
#[test]
fn the_engine_on_the_page_plays() {
    let page = include_str!("../../../../docs/engines.md");
    let (_, code) = page.split_once("```python\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    let scratch = Scratch::new("engine");
    let file = scratch.path("engine.py");
    std::fs::write(&file, code).unwrap();
    let engine = format!("engine:python3 '{file}'");
    let report = arena("ttt", "perfect", &engine, "6");
    assert_eq!(report["losses"], 0, "{report}");
}

/// While a person thinks it hears nothing, and what it says is about the line that it has read.
#[cfg(unix)]
#[test]
fn a_slow_engine_is_asked_for_its_own_turns_alone() {
    use std::time::Duration;
    use std::{fs, thread};

    let scratch = Scratch::new("slow_engine");
    let (file, asked) = (scratch.path("engine.sh"), scratch.path("asked"));
    let answers = "case \"$moves\" in a1) echo b2;; 'a1 b2 c3') echo a3;; *) echo c2;; esac";
    let script =
        format!("while read -r moves; do echo \"$moves\" >> '{asked}'; sleep 0.2; {answers}; done");
    fs::write(&file, script).unwrap();
    let engine = format!("engine:sh '{file}'");
    let args = ["play", "--plain", "--game", "ttt", "--first", "human"];
    let (mut talk, _) = Talk::start(args.iter().chain(&["--second", &engine]));
    for (typed, answer) in [("a1", "b2"), ("c3", "a3")] {
        // Time in which it could be asked ahead.
        thread::sleep(Duration::from_millis(100));
        let told = talk.answer(typed);
        assert!(told.contains(&format!("O plays {answer}\n")), "{told}");
    }
    talk.answer("quit");
    talk.end();
    assert_eq!(fs::read_to_string(&asked).unwrap(), "a1\na1 b2 c3\n");
}

#[test]
fn a_program_that_fails_ends_the_command_with_a_sentence() {
    let fails = |engine: &str| {
        let args = [
            "arena", "--plain", "--game", "ttt", "--b", "random", "--games", "4", "--a",
        ];
        let ran = finish(command(args.iter().chain(&[engine])), "");
        assert_eq!(ran.status, Some(1), "{engine}: {}", ran.stderr);
        // The program may have said something, too.
        let last = ran.stderr.lines().last().unwrap_or_default();
        check_one_sentence(&format!("{last}\n"));
        last.to_owned()
    };
    assert!(fails("engine:/nowhere/engine").contains("can't start"));
    assert!(fails("engine:'unclosed").contains("ends within quotes"));
    let wrong = fails(&engine("games"));
    assert!(wrong.contains("answered"), "{wrong}");
    let silent = fails(&engine("analyze --game nothing"));
    assert!(silent.contains("without an answer"), "{silent}");
}

/// Without a result, which a resignation would be.
#[test]
fn in_play_a_program_that_fails_ends_only_the_game() {
    let second = "engine:/nowhere/engine";
    let args = ["play", "--plain", "--game", "ttt", "--first", "human"];
    let ran = finish(command(args.iter().chain(&["--second", second])), "b2\nn\n");
    let told = "O can't continue: can't start \"/nowhere/engine\"";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    assert!(!ran.stdout.contains("resigns"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nPlay again?"), "{}", ran.stdout);
    assert_eq!(ran.status, Some(1));
    check_one_sentence(&ran.stderr);
}

/// Nothing that it might have decided.
#[test]
fn an_analysis_by_a_program_that_fails_has_no_result() {
    let args = [
        "analyze",
        "--game",
        "ttt",
        "--player",
        "engine:/nowhere/engine",
    ];
    for more in [&[][..], &["--json"]] {
        let ran = finish(command(args.iter().chain(more)), "");
        assert_eq!((ran.status, &*ran.stdout), (Some(1), ""), "{ran:?}");
        check_one_sentence(&ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_answer_that_cannot_be_read_is_told() {
    for (answer, cause) in [
        (r"printf '\377\n'", "a line that isn't UTF-8"),
        (
            "head -c 70000 /dev/zero; echo",
            "a line of more than 65536 bytes",
        ),
    ] {
        let player = format!("engine:sh -c \"read moves; {answer}; read more\"");
        let args = ["analyze", "--game", "ttt", "--player", &player];
        let ran = finish(command(args), "");
        assert!(ran.stderr.contains(cause), "{ran:?}");
    }
}

#[test]
fn an_engine_needs_a_command_and_servers_start_none() {
    let args = ["arena", "--game", "ttt", "--a", "engine: ", "--b", "random"];
    let ran = finish(command(args), "");
    assert_eq!(ran.status, Some(2));
    check_one_sentence(&ran.stderr);
    let args = [
        "join",
        "http://127.0.0.1:1/",
        "--game",
        "ttt",
        "--opponent",
        "engine:rm",
    ];
    let ran = finish(command(args), "");
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("starts no programs"), "{}", ran.stderr);
}
