//! Players with networks from files.

use open_ttt_lib::games::{ConnectFour, TicTacToe};
use open_ttt_lib::rules::{Encode, Named};
use open_ttt_nn::Network;
use serde_json::{Value, json};

use crate::program::{check_one_sentence, command, finish, run, run_json};
use crate::scratch::Scratch;

fn file_of<G: Encode + Named>(game: &G) -> Vec<u8> {
    let architecture = "perceptron(hidden=16)".parse().unwrap();
    Network::new(game, architecture, 1).unwrap().to_bytes()
}

/// The file of an untrained network.
pub(crate) fn untrained(game: &str) -> Vec<u8> {
    match game {
        "ttt" => file_of(&TicTacToe::new()),
        "connect4" => file_of(&ConnectFour::new()),
        other => panic!("{other}"),
    }
}

fn write(scratch: &Scratch, name: &str, bytes: &[u8]) -> String {
    let path = scratch.path(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_network_plays_a_whole_game() {
    let scratch = Scratch::new("networks_play");
    for (game, sides) in [("ttt", ["X", "O"]), ("connect4", ["Red", "Yellow"])] {
        let file = write(&scratch, &format!("Best of {game}.net"), &untrained(game));
        for parameters in ["", "(simulations=0)", "( simulations = 9, seed = 2 )"] {
            let spec = format!("net:{file}{parameters}");
            let args = ["play", "--game", game, "--first", &spec, "--second", &spec];
            let output = run(args, "n\n");
            for side in sides {
                assert!(output.contains(&format!("\n{side} plays ")), "{output}");
            }
            assert!(output.ends_with("Play again? (y/n)\n> n\nGoodbye\n"));
            assert_eq!(output, run(args, "n\n"), "{spec}");
        }
    }
}

#[test]
fn a_match_of_networks_can_be_replayed() {
    let scratch = Scratch::new("networks_arena");
    let file = write(&scratch, "net(1)", &untrained("connect4"));
    let games = scratch.path("games");
    let a = format!("net:{file}()");
    let b = format!("net:{file}(simulations=0,mistakes=1,seed=1)");
    let arena = ["arena", "--game", "connect4", "--a", &a, "--b", &b];
    let more = ["--games", "6", "--openings", "2", "--seed", "1", "--json"];
    let saved = ["--save", &games];
    let args = [&arena[..], &more, &saved].concat();
    let [report] = &run_json(args, "")[..] else {
        panic!("a match has one report");
    };
    assert_eq!(
        (&report["a"], &report["b"]),
        (&Value::from(&*a), &Value::from(&*b))
    );
    // The search proves wins; the other player errs on every move.
    assert!(report["wins"].as_u64() > Some(3), "{report}");

    let replays = run_json(["replay", &games, "--json"], "");
    assert_eq!(replays.len(), 6);
    for (number, replay) in replays.iter().enumerate() {
        let seats = if number % 2 == 0 { [&a, &b] } else { [&b, &a] };
        let named = [&replay["first"], &replay["second"]].map(|seat| seat.as_str().unwrap());
        assert_eq!(named, seats.map(String::as_str));
    }
    let again = run_json([&arena[..], &more].concat(), "");
    for count in ["wins", "draws", "losses"] {
        assert_eq!(again[0][count], report[count]);
    }
}

#[test]
fn a_network_analyzes_positions() {
    let scratch = Scratch::new("networks_analyze");
    let file = write(&scratch, "best", &untrained("ttt"));
    let spec = format!("net:{file}(simulations=200)");
    let analyze = ["analyze", "--game", "ttt", "--player", &spec];
    let output = run(analyze.iter().chain(&["--moves", "a1 b1 a2 b2"]), "");
    assert_eq!(output, format!("X to move; {spec} plays a3\n"));

    // A position to win, one to defend, and a finished game.
    let lines = "a1 b1 a2 b2\na1 b2 a2\na1 b1 a2 b2 a3\n";
    let batch = run_json(analyze.iter().chain(&["--batch", "--json"]), lines);
    for (report, best) in batch.iter().zip(["a3", "a3"]) {
        let expected = json!({
            "result": "unknown", "plies": null, "margin": null, "best": [best], "pv": [best],
            "exact": false, "nodes": 0, "player": spec,
        });
        for (name, expected) in expected.as_object().unwrap() {
            assert_eq!(&report[name], expected, "{name}");
        }
    }
    assert_eq!(batch.len(), 3);
    assert_eq!(
        (&batch[2]["result"], &batch[2]["exact"]),
        (&json!("loss"), &json!(true))
    );
    assert_eq!(batch[2].get("player"), None);

    // Other players work too, and each position gets its own answer.
    let random = [
        "analyze",
        "--game",
        "ttt",
        "--player",
        "random(seed=1)",
        "--batch",
    ];
    let answers = run(random, "a1\na1\na1\n");
    let first = answers.lines().next().unwrap();
    assert!(first.starts_with("O to move; random(seed=1) plays "));
    assert!(answers.lines().all(|line| line == first), "{answers}");
}

/// Checks that every command with players refuses this one with this sentence alone.
#[track_caller]
fn check_refused(spec: &str, status: i32, sentence: &str) {
    let play = ["play", "--first", "random", "--second", spec];
    let first = ["play", "--first", spec];
    let a = ["arena", "--game", "ttt", "--b", "random", "--a", spec];
    let b = ["arena", "--game", "ttt", "--a", "random", "--b", spec];
    let analyze = ["analyze", "--game", "ttt", "--player", spec];
    for args in [&play[..], &first, &a, &b, &analyze] {
        let flag = args[args.len() - 2];
        let ran = finish(command(args), "");
        assert_eq!(ran.stderr, format!("open_ttt: {flag}: {sentence}\n"));
        assert_eq!((ran.status, &*ran.stdout), (Some(status), ""));
        check_one_sentence(&ran.stderr);
    }
}

/// What the system says about a file that can't be read.
#[track_caller]
fn read_error(path: &str) -> std::io::Error {
    std::fs::read(path).unwrap_err()
}

#[test]
fn files_that_are_not_networks_are_refused() {
    let scratch = Scratch::new("networks_files");
    let missing = scratch.path("missing");
    check_refused(
        &format!("net:{missing}(simulations=3)"),
        1,
        &format!("can't read \"{missing}\": {}", read_error(&missing)),
    );
    let folder = scratch.path("folder");
    std::fs::create_dir(&folder).unwrap();
    check_refused(
        &format!("net:{folder}"),
        1,
        &format!("can't read \"{folder}\": {}", read_error(&folder)),
    );

    let whole = untrained("ttt");
    let mut late = whole.clone();
    let last = late.len() - 4;
    late[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    for (name, bytes, reason) in [
        ("empty", &[][..], "the file ends before its header does"),
        (
            "text",
            b"no network at all",
            "the file ends before its header does",
        ),
        (
            "short",
            &whole[..whole.len() - 1],
            "the file is truncated or damaged: its tensors do not fill it",
        ),
        (
            "late",
            &late,
            "the tensor 'outcome.bias' has elements that are NaN or infinite",
        ),
    ] {
        let file = write(&scratch, name, bytes);
        let sentence = format!("\"{file}\" isn't a network: {reason}");
        check_refused(&format!("net:{file}"), 1, &sentence);
    }

    let large = write(&scratch, "large", &whole);
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(&large)
        .unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let sentence = format!("\"{large}\" is larger than 64 MiB");
    check_refused(&format!("net:{large}"), 1, &sentence);
}

#[test]
fn networks_for_other_games_are_refused() {
    let scratch = Scratch::new("networks_suit");
    let other = write(&scratch, "other", &untrained("connect4"));
    let spec = format!("net:{other}(seed=1)");
    check_refused(
        &spec,
        2,
        &format!("{spec}: the network is for \"connect4\", not \"ttt\""),
    );
    let args = [
        "arena",
        "--game",
        "qubic",
        "--b",
        "random",
        "--a",
        "net:pretrained",
    ];
    let ran = finish(command(args), "");
    let sentence = "--a: net:pretrained: no network comes with \"qubic\"";
    assert_eq!(ran.stderr, format!("open_ttt: {sentence}\n"));
    assert_eq!((ran.status, &*ran.stdout), (Some(2), ""));
}

#[test]
fn the_pretrained_network_of_tic_tac_toe_is_unbeatable() {
    let arena = [
        "arena",
        "--game",
        "ttt",
        "--a",
        "net:pretrained(simulations=0)",
    ];
    let perfect = ["--b", "perfect(seed=1)", "--games", "20", "--json"];
    let [report] = &run_json([&arena[..], &perfect].concat(), "")[..] else {
        panic!("one report");
    };
    assert_eq!(report["draws"], json!(20), "{report}");
}
